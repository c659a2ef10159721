#include "memtest/base/units.hpp"
#include "memtest/cli/messages.hpp"
#include "memtest/cli/verbs/read_sweeps.hpp"
#include "memtest/cli/verbs/verbs.hpp"
#include "memtest/report/format.hpp"
#include "memtest/report/levels_report.hpp"
#include "memtest/report/output_file.hpp"
#include "memtest/report/stored_curves.hpp"
#include "memtest/report/tlb_file.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace memtest {
namespace {

struct LevelsOptions {
    bool fit = false;
    Format format = Format::csv;
};

constexpr std::array levels_options{
    Option<LevelsOptions>{"Options", 0, "fit", "", "print size, measured and modelled latency, to be plotted together",
                          "", [](LevelsOptions& o, const Argument&) { o.fit = true; }},
    Option<LevelsOptions>{"Options", 0, "format", "F", "csv or json", "csv",
                          [](LevelsOptions& o, const Argument& a) { o.format = parse_choice<Format>(a); },
                          all_words<Format>},
};

std::string modelled(const Hierarchy& hierarchy, double size_bytes) {
    const auto latency_ns = modelled_latency_ns(hierarchy, size_bytes);
    return latency_ns ? fmt::format("{:.3f}", *latency_ns) : "";
}

std::string fit_csv(const StoredSweep& sweep) {
    std::string text = "Thread, Mem size (MiB), Access latency (ns), Modelled latency (ns)\n";
    for (const LevelReport& report : report_levels(sweep)) {
        for (const CurvePoint& point : curve_of_thread(sweep, report.thread))
            text += fmt::format("{}, {:.5f}, {:.3f}, {}\n", report.thread, point.size_bytes / mib, point.latency_ns,
                                modelled(report.hierarchy, point.size_bytes));
    }
    return text;
}

std::string levels_in(Format format, const std::vector<LevelReport>& reports) {
    return format == Format::json ? levels_json(reports) : levels_csv(reports);
}

/// @throws Error (usage) when the file is another
StoredTranslation read_translation_beside(const std::string& file) {
    auto stored = read_tlb_file(file);
    if (!stored)
        throw usage_error(
            fmt::format("{}: give the output of 'memtest tlb' as the second file; 'memtest translation' takes "
                        "two sweeps",
                        file));
    if (const auto reason = why_incomplete(*stored))
        warn(fmt::format("{} {}: TLBs may be missing", stored->name, *reason));
    return std::move(*stored);
}

ExitStatus run_levels(const CommandLine& line) {
    const LevelsOptions options = with_options(LevelsOptions(), levels_options, line);
    const auto& files = line.operands;
    if (files.empty() || files.size() > 2)
        throw usage_error(fmt::format("memtest levels takes a sweep and perhaps the output of 'memtest tlb', not {} "
                                      "files; 'memtest levels --help' says more",
                                      files.size()));
    if (options.fit && options.format != Format::csv)
        throw usage_error(
            fmt::format("--format {}: --fit prints CSV alone; leave one of them out", word_of(options.format)));
    check_standard_input(files);
    StoredSweep sweep = read_sweep_file(files.front());
    warn_if_incomplete(sweep);
    if (files.size() == 2)
        sweep = without_translation(sweep, read_translation_beside(files.back()));
    OutputFile(std::nullopt).write(options.fit ? fit_csv(sweep) : levels_in(options.format, report_levels(sweep)));
    return ExitStatus::success;
}

} // namespace

const Verb levels_verb{.name = "levels",
                       .operands = "FILE [TLB]",
                       .summary = "read the hierarchy off a stored sweep",
                       .about = "Reads the levels of the memory hierarchy off a stored sweep ('-' is standard\n"
                                "input). With the output of 'memtest tlb' as well it subtracts what translation\n"
                                "adds to the latencies, so that no TLB looks like a cache.\n",
                       .options = [] { return texts_of(levels_options); },
                       .run = run_levels};

} // namespace memtest

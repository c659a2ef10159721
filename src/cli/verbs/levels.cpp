#include "memtest/cli/verbs/levels.hpp"

#include "memtest/base/units.hpp"
#include "memtest/report/format.hpp"
#include "memtest/report/levels_json.hpp"
#include "memtest/report/levels_report.hpp"
#include "memtest/report/output_file.hpp"
#include "memtest/report/stored_curves.hpp"
#include "memtest/report/sweep_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <iterator>

namespace memtest {
namespace {

struct LevelsOptions {
    bool fit = false;
    Format format = Format::csv;
};

constexpr std::array table{
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
            fmt::format_to(std::back_inserter(text), "{}, {:.5f}, {:.3f}, {}\n", report.thread, point.size_bytes / mib,
                           point.latency_ns, modelled(report.hierarchy, point.size_bytes));
    }
    return text;
}

std::string levels_in(Format format, const std::vector<LevelReport>& reports) {
    return format == Format::json ? levels_json(reports) : levels_csv(reports);
}

/// Reads a sweep, and warns where rows of it may be missing.
StoredSweep read_and_warn(const std::string& file) {
    StoredSweep sweep = read_sweep_file(file);
    if (const auto reason = why_incomplete(sweep))
        fmt::print(stderr, "memtest: warning: {} {}: levels may be missing\n", sweep.name, *reason);
    return sweep;
}

} // namespace

std::vector<OptionText> levels_option_texts() {
    return texts_of(std::span<const Option<LevelsOptions>>(table));
}

ExitStatus run_levels(const std::vector<std::string>& arguments) {
    LevelsOptions options;
    const auto files =
        parse_command_line(std::span<const Option<LevelsOptions>>(table), arguments, options, "memtest levels");
    if (files.size() != 1)
        throw usage_error(
            fmt::format("memtest levels takes one file, not {}; 'memtest levels --help' says more", files.size()));
    if (options.fit && options.format != Format::csv)
        throw usage_error(
            fmt::format("--format {}: --fit prints CSV alone; leave one of them out", word_of(options.format)));
    const StoredSweep sweep = read_and_warn(files.front());
    OutputFile(std::nullopt).write(options.fit ? fit_csv(sweep) : levels_in(options.format, report_levels(sweep)));
    return ExitStatus::success;
}

} // namespace memtest

#include "memtest/kinds/levels.hpp"
#include "memtest/base/units.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/messages.hpp"
#include "memtest/kinds/level_table.hpp"
#include "memtest/kinds/report.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/kinds/translation.hpp"
#include "memtest/result/notice.hpp"
#include "memtest/result/result_reader.hpp"
#include "memtest/result/result_writer.hpp"

#include <fmt/format.h>

#include <array>
#include <span>

namespace memtest {
namespace {

struct LevelsOptions {
    bool fit = false;
    std::optional<Format> format = std::nullopt; ///< none: a table on a terminal, else CSV
    std::optional<std::string> part = std::nullopt;
    std::optional<TableColumns> columns = std::nullopt;
};

const auto levels_options = std::to_array<Option<LevelsOptions>>({
    {{"Options", 0, "fit", "", "print the measured and the modelled latency of each size, to be plotted together"},
     [](LevelsOptions& o, const Argument&) { o.fit = true; }},
    {{"Options", 0, "format", "F", "csv, json or table", "table on a terminal, else csv", all_words<Format>},
     [](LevelsOptions& o, const Argument& a) { o.format = parse_choice<Format>(a); }},
    part_option<LevelsOptions>("the one whose levels its page shows"),
    columns_option<LevelsOptions>(),
});

/// A size with its measured and its modelled latency.
struct FitRow {
    int thread = 0;
    double size_mib = 0;
    double latency_ns = 0;
    std::optional<double> modelled_ns;
};

const KindOf<FitRow>
    fit_kind({.command = "levels", .measured = false},
             {column_of<&FitRow::thread>("Thread", "", ""),
              column_of<&FitRow::size_mib>("Mem size (MiB)", "", "", {.digits = decimals(5), .highest = 1e14}),
              column_of<&FitRow::latency_ns>("Access latency (ns)", "", ""),
              column_of<&FitRow::modelled_ns>("Modelled latency (ns)", "", "")});

std::vector<FitRow> fit_rows(const Result& sweep, bool translation_is_off) {
    std::vector<FitRow> rows;
    for (const ThreadCurve& curve : curves_of(sweep)) {
        const Hierarchy hierarchy = read_levels(curve.points, sweep, translation_is_off);
        for (const CurvePoint& point : curve.points)
            rows.push_back({curve.thread, point.size_bytes / mib, point.latency_ns,
                            modelled_latency_ns(hierarchy, point.size_bytes)});
    }
    return rows;
}

/// Of a report without a choice, the sweep in the pages of the TLBs; without these the one whose levels its page shows.
Result read_sweep(const std::string& path, const LevelsOptions& options, const std::optional<Result>& tlb) {
    StoredFile file = read_file(path, options.columns);
    if (file.is_report && !options.part) {
        const Result* small = find_part(file.results, "sweep");
        if (tlb && small != nullptr && have_same_pages(*small, *tlb))
            return *small;
        if (const Result* sweep = sweep_of_levels(file))
            return *sweep;
    }
    return chosen_result(std::move(file), &sweep_kind, options.part);
}

ExitStatus run_levels(const CommandLine& line) {
    const LevelsOptions options = with_options(LevelsOptions(), levels_options, line);
    const auto& files = line.operands;
    if (files.empty() || files.size() > 2)
        throw usage_error(fmt::format("levels takes a sweep, or a sweep and the output of 'memtest tlb', not {} "
                                      "files; see 'memtest levels --help'",
                                      files.size()));
    if (options.fit && options.format.value_or(Format::csv) != Format::csv)
        throw usage_error(
            fmt::format("--format {} cannot be combined with --fit, which prints only CSV", word_of(*options.format)));
    check_standard_input(files);
    const auto tlb = files.size() == 2 ? std::optional(read_result(files.back(), &tlb_kind)) : std::nullopt;
    Result sweep = read_sweep(files.front(), options, tlb);
    OutputFile output(std::nullopt);
    const Format format = options.format.value_or(output.is_terminal() ? Format::table : Format::csv);
    const bool for_people = format == Format::table && !options.fit;
    if (for_people)
        warn_of_missing_rows(sweep); // the answer says the rest
    else
        warn_of(sweep);
    bool is_off = false;
    if (tlb) {
        check_same_machine(sweep, *tlb);
        warn_of(*tlb);
        const std::size_t warned = sweep.warnings.size();
        is_off = subtract_translation(sweep, *tlb);
        for (const Notice& warning : std::span(sweep.warnings).subspan(for_people ? sweep.warnings.size() : warned))
            warn(fmt::format("{}: {}", sweep.name, sentence_of(warning)));
    }
    if (options.fit) {
        write_whole(output, fit_kind, fit_rows(sweep, is_off), {}, {});
        return ExitStatus::success;
    }
    if (for_people) {
        Answer answer = answer_of_levels(sweep, is_off);
        add_warnings(answer, sweep.warnings);
        output.write(text_of(answer, terminal_columns()));
        return ExitStatus::success;
    }
    write_levels(output, report_levels(sweep, is_off), format);
    return ExitStatus::success;
}

} // namespace

const Command levels_command{.name = "levels",
                             .operands = "FILE [TLB]",
                             .summary = "infer cache levels from a stored sweep",
                             .examples = {{{"memtest levels sweep.csv", "capacity and latency of each level"},
                                           {"memtest levels sweep.csv tlb.csv", "without the cost of translation"}}},
                             .about =
                                 "Infers the cache levels from the curve of a stored sweep ('-' is standard\n"
                                 "input). Given the output of 'memtest tlb' as well, it first subtracts the cost\n"
                                 "of address translation, so that no TLB looks like a cache. Both may be parts of\n"
                                 "a report.\n",
                             .options = [] { return texts_of(levels_options); },
                             .run = run_levels};

} // namespace memtest

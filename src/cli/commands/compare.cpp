#include "memtest/cli/commands/compare.hpp"

#include "memtest/base/text.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/messages.hpp"
#include "memtest/cli/options.hpp"
#include "memtest/report/figure_table.hpp"
#include "memtest/report/output_file.hpp"
#include "memtest/report/result_reader.hpp"
#include "memtest/report/result_taker.hpp"
#include "memtest/report/run_description.hpp"
#include "memtest/report/sweep.hpp"
#include "memtest/report/tail.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

const auto compare_options = std::to_array<Option<CompareOptions>>({
    {{"Options", 0, "measure", "",
      "all files are baselines: measure now what they hold, and compare; measure again what is worse or unclear"},
     [](CompareOptions& o, const Argument&) { o.measure = true; }},
    {{"Options", 0, "tries", "N",
      "with --measure, measure at most N times, 1 to 10; files of sweeps each time with up to twice as many visits",
      "3"},
     [](CompareOptions& o, const Argument& a) { o.tries = static_cast<unsigned>(parse_count(a, 1, 10)); }},
    {{"Options", 'o', "output", "FILE", "with --measure, write what is measured to FILE"},
     [](CompareOptions& o, const Argument& a) { o.output = parse_file_name(a); }},
    {{"Options", 0, "tolerance", "PCT", "ignore changes of up to PCT percent", "5"},
     [](CompareOptions& o, const Argument& a) { o.tolerance_percent = parse_percent(a, 1000); }},
    {{"Options", 0, "unclear", "STATUS",
      "exit status of 'cannot tell': 4, pass (0 if noise is the only reason) or fail (3, as for slower)", "4",
      all_words<Unclear>},
     [](CompareOptions& o, const Argument& a) { o.unclear = parse_choice<Unclear>(a); }},
    {{"Options", 0, "all", "", "show every size or figure in the table, not only those that differ"},
     [](CompareOptions& o, const Argument&) { o.all = true; }},
    {{"Options", 0, "force", "", "compare even results of other settings or machines"},
     [](CompareOptions& o, const Argument&) { o.force = true; }},
    {{"Options", 0, "format", "F", "csv, json or table", "table", all_words<Format>},
     [](CompareOptions& o, const Argument& a) {
         o.format = parse_choice<Format>(a);
         if (o.format == Format::table) // compare has its own table
             o.format.reset();
     }},
    parts_option<CompareOptions>("all; beside another file, the only one that fits"),
    {{"Options", 0, "status", "", "print nothing: the exit status is the verdict"},
     [](CompareOptions& o, const Argument&) { o.quiet = true; }},
});

/// A verdict, and whether `cannot tell` has no other reason than noise.
struct Outcome {
    Verdict verdict;
    bool only_noisy;
};

/// Whether "cannot tell" counts as a pass.
bool is_passed(const Outcome& outcome, Unclear unclear) {
    return outcome.verdict == Verdict::cannot_tell && unclear == Unclear::pass && outcome.only_noisy;
}

/// Prints a comparison unless it is to be quiet. @param rows those of the kind
template<class Compared, class RowType>
ExitStatus conclude(const Compared& comparison, const KindOf<RowType>& kind, const std::vector<RowType>& rows,
                    const Outcome& outcome, const CompareOptions& options) {
    const bool passed = is_passed(outcome, options.unclear);
    OutputFile output(std::nullopt);
    if (!options.quiet && options.format)
        write_whole(output, kind, rows, comparison_findings(comparison), {.format = *options.format});
    else if (!options.quiet)
        output.write(comparison_table(comparison, options.all, passed,
                                      output.is_terminal() ? std::optional(terminal_columns()) : std::nullopt));
    const bool is_unclear = outcome.verdict == Verdict::cannot_tell;
    if (outcome.verdict == Verdict::slower || (is_unclear && options.unclear == Unclear::fail))
        return ExitStatus::slower;
    return is_unclear && !passed ? ExitStatus::cannot_tell : ExitStatus::success;
}

ExitStatus conclude(const Comparison& comparison, const CompareOptions& options) {
    return conclude(comparison, compare_kind, comparison.sizes, {comparison.verdict, comparison.only_noisy()}, options);
}

ExitStatus conclude(const FigureComparison& comparison, const CompareOptions& options) {
    return conclude(comparison, figures_kind, comparison.figures, {comparison.verdict, comparison.only_noisy}, options);
}

CompareOptions options_of_compare(const CommandLine& line) {
    CompareOptions options = with_options(CompareOptions(), compare_options, line);
    for (const std::string_view name : {"tries", "output"}) {
        if (const GivenOption* given = line.given(name); given != nullptr && !options.measure)
            throw usage_error(fmt::format("--{} {} requires --measure", name, shown(given->value)));
    }
    if (options.output == "-" && !options.quiet)
        throw usage_error(
            "--output - would mix what is measured with the comparison on standard output; give the name of "
            "a file, or --status");
    const std::size_t least = options.measure ? 1 : 2;
    if (line.operands.size() < least)
        throw usage_error("compare requires at least one baseline and the new result, or only baselines with "
                          "--measure; see 'memtest compare --help'");
    return options;
}

/// Reports of only the named parts. @throws Error (usage) if one of the names fits none
std::vector<ReportResults> reports_of(std::vector<StoredFile> files, const std::vector<std::string>& names) {
    std::vector<ReportResults> reports;
    for (StoredFile& file : files) {
        keep_parts(file, names);
        reports.push_back(report_of(std::move(file)));
    }
    return reports;
}

/// Compares all parts of reports, the last with the others.
ExitStatus run_on_reports(std::vector<ReportResults> reports, const CompareOptions& options) {
    const ReportResults latest = std::move(reports.back());
    reports.pop_back();
    for (const ReportResults& base : reports)
        check_comparable(base, latest, options);
    return conclude(compare_reports(reports, latest, options.tolerance_percent), options);
}

/// The results in files, or the parts of reports: those named, or else those of the other files' kind. All are of one
/// kind.
std::vector<Result> results_of_one_kind(std::vector<StoredFile> files, const std::optional<std::string>& part) {
    const auto single = std::ranges::find(files, false, &StoredFile::is_report);
    const Kind* const kind = single == files.end() ? nullptr : single->results.front().kind;
    std::vector<Result> results;
    for (StoredFile& file : files) {
        const bool is_report = file.is_report;
        results.push_back(chosen_result(std::move(file), is_report ? kind : nullptr, part));
    }
    for (const Result& result : results) {
        if (result.kind != results.front().kind)
            throw usage_error(fmt::format("{} holds {} and {} {}; compare results of one kind", results.front().name,
                                          described(*results.front().kind), result.name, described(*result.kind)));
    }
    if (results.front().kind == &tail_histogram_kind)
        throw usage_error(fmt::format("{}: holds {}, which cannot be compared; give percentiles, without --histogram",
                                      results.front().name, described(*results.front().kind)));
    return results;
}

/// Compares the last result with the others of its kind: sweeps by their levels, others by their figures.
ExitStatus run_on_results(std::vector<Result> results, const CompareOptions& options) {
    if (!options.quiet)
        std::ranges::for_each(results, repeat_warnings);
    const Result latest = std::move(results.back());
    results.pop_back();
    const bool by_levels =
        latest.kind == &sweep_kind && (has_several_sizes(latest) || std::ranges::any_of(results, has_several_sizes));
    for (const Result& base : results)
        check_comparable(base, latest, options, by_levels);
    return by_levels ? conclude(compare_results(results, latest, options.tolerance_percent), options)
                     : conclude(compare_by_figures(results, latest, options.tolerance_percent), options);
}

/// @param comparison std::nullopt if a signal interrupted the run
template<class Comparison>
ExitStatus conclude_if_measured(const std::optional<Comparison>& comparison, const CompareOptions& options) {
    if (comparison)
        return conclude(*comparison, options);
    if (!options.quiet)
        warn("interrupted, so nothing was compared");
    return ExitStatus::failure;
}

/// The chosen part if it is a single one.
std::optional<std::string> single_part(const CompareOptions& options) {
    if (options.parts.size() > 1)
        throw usage_error(fmt::format("--part {}: several parts require files of 'memtest report' alone",
                                      shown(options.parts.back())));
    return options.parts.empty() ? std::nullopt : std::optional(options.parts.front());
}

ExitStatus run_on_sweeps(const std::vector<Result>& baselines, const CompareOptions& options, const CommandLine& line) {
    for (const Result& base : baselines)
        check_kind(base, sweep_kind);
    if (!options.quiet)
        std::ranges::for_each(baselines, repeat_warnings);
    return conclude_if_measured(measure_and_compare(baselines, options, line), options);
}

ExitStatus run_compare(const CommandLine& line) {
    const CompareOptions options = options_of_compare(line);
    check_standard_input(line.operands);
    std::vector<StoredFile> files;
    for (const std::string& file : line.operands)
        files.push_back(read_file(file));
    // A single part is compared by itself, unless it is measured and no sweep.
    const Kind* const single = options.parts.size() == 1 ? kind_of_part(options.parts.front()) : nullptr;
    const bool is_by_itself = single != nullptr && (!options.measure || single == &sweep_kind);
    if (is_by_itself || !std::ranges::all_of(files, &StoredFile::is_report)) {
        auto results = results_of_one_kind(std::move(files), single_part(options));
        return options.measure ? run_on_sweeps(results, options, line) : run_on_results(std::move(results), options);
    }
    auto reports = reports_of(std::move(files), options.parts);
    if (!options.measure)
        return run_on_reports(std::move(reports), options);
    return conclude_if_measured(measure_and_compare(reports, options), options);
}

} // namespace

void check_comparable(const Result& base, const Result& latest, const CompareOptions& options, bool is_told) {
    constexpr std::array<std::pair<Is, std::string_view>, 3> sorts{{{Is::setting, "measured different things"},
                                                                    {Is::machine, "are of different machines"},
                                                                    {Is::system, "differ in the system"}}};
    for (const auto& [sort, how] : sorts) {
        const auto found = differences(base.run, latest.run, sort);
        const std::string sentence = fmt::format("{} and {} {}: {}", base.name, latest.name, how, describe(found));
        if (!found.empty() && sort != Is::system && !options.force)
            throw usage_error(sentence + "; --force compares them nevertheless");
        if (!found.empty() && is_told && !options.quiet)
            warn(sentence);
    }
}

void check_comparable(const ReportResults& base, const ReportResults& latest, const CompareOptions& options) {
    for (const Result* part : parts_of(base)) {
        for (const Result* now : parts_of(latest)) {
            if (now->part == part->part)
                check_comparable(*part, *now, options, false);
        }
    }
}

const Command compare_command{
    .name = "compare",
    .operands = "BASE... NEW",
    .summary = "detect regressions between results",
    .examples = {{{"memtest compare a.csv b.csv new.csv", "is the last sweep slower?"},
                  {"memtest compare before.json after.json", "what changed between two reports?"}}},
    .about = "Compares the last file with the others and reports through its exit status:\n"
             "sweeps size by size and level by level, results of other commands by their\n"
             "figures, and reports by both, part by part. A single slower size does not make\n"
             "a sweep slower. Several baselines show how large the noise is. With --measure\n"
             "all files are baselines, sweeps or reports, and the same is measured now.\n",
    .closing = "Exit status: 0 not slower or worse, 1 failure while running, 2 usage error or\n"
               "results of different kinds, settings or machines, 3 slower or worse, 4 cannot\n"
               "tell (too noisy, a busy machine, a cache that holds less, something missing).\n",
    .options = [] { return texts_of(compare_options); },
    .run = run_compare};

} // namespace memtest

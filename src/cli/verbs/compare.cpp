#include "memtest/insight/compare.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/messages.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/cli/verbs/probe.hpp"
#include "memtest/cli/verbs/verbs.hpp"
#include "memtest/measure/sweep.hpp"
#include "memtest/measure/team.hpp"
#include "memtest/report/comparison.hpp"
#include "memtest/report/figure_comparison.hpp"
#include "memtest/report/result_reader.hpp"
#include "memtest/report/result_taker.hpp"
#include "memtest/report/result_writer.hpp"
#include "memtest/report/run_description.hpp"
#include "memtest/report/sweep.hpp"
#include "memtest/report/tail.hpp"
#include "memtest/report/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace memtest {

namespace {

/// The exit status for "cannot tell": its own, that of a pass, or that of a slower sweep.
enum class Unclear { own, pass, fail };

} // namespace

template<>
inline constexpr std::array<Word<Unclear>, 3> word_table<Unclear>{
    {{Unclear::own, "4"}, {Unclear::pass, "pass"}, {Unclear::fail, "fail"}}};

namespace {

struct CompareOptions {
    double tolerance_percent = 5;
    Unclear unclear = Unclear::own;
    std::optional<Format> format = std::nullopt; ///< none: a table for people
    bool all = false;
    bool force = false;
    bool quiet = false;
    bool measure = false;
    unsigned tries = 3;
    std::optional<std::string> output = std::nullopt; ///< for the measured sweep
    std::optional<std::string> part = std::nullopt;
};

const auto compare_options = std::to_array<Option<CompareOptions>>({
    {{"Options", 0, "measure", "",
      "all files are baselines: make a new sweep like them and compare it; measure again what is slower or unclear"},
     [](CompareOptions& o, const Argument&) { o.measure = true; }},
    {{"Options", 0, "tries", "N",
      "with --measure, measure at most N times, 1 to 10, each time with twice as many visits", "3"},
     [](CompareOptions& o, const Argument& a) { o.tries = static_cast<unsigned>(parse_count(a, 1, 10)); }},
    {{"Options", 'o', "output", "FILE", "with --measure, write the new sweep to FILE"},
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
    part_option<CompareOptions>(),
    {{"Options", 'q', "quiet", "", "print nothing; the exit status tells the result"},
     [](CompareOptions& o, const Argument&) { o.quiet = true; }},
});

/// Refuses runs with other settings or on other machines, unless forced. Warns of other differences.
/// @param is_told else the comparison names them
void check_comparable(const Result& base, const Result& latest, const CompareOptions& options, bool is_told = true) {
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

std::size_t in_whole_lines(double bytes, const RunDescription& run) {
    const auto line_bytes = static_cast<double>(run.line_bytes.value_or(1));
    return static_cast<std::size_t>(std::round(bytes / line_bytes) * line_bytes);
}

/// The sizes of a sweep, ascending.
std::vector<std::size_t> sizes_of(const Result& sweep) {
    std::set<std::size_t> sizes;
    for (const Row& row : sweep.rows_of<Row>())
        sizes.insert(in_whole_lines(static_cast<double>(row.size_bytes), sweep.run));
    return {sizes.begin(), sizes.end()};
}

/// Refuses baselines whose settings no single sweep can have.
void check_baselines(const std::vector<Result>& baselines) {
    const Result& first = baselines.front();
    for (const Result& base : baselines) {
        if (const auto reason = why_incomplete(base))
            throw usage_error(fmt::format("{} {}; give a complete baseline", base.name, *reason));
        if (!base.run.order)
            throw usage_error(fmt::format(
                "{} does not describe how it was measured; give a baseline made without --quiet", base.name));
        if (base.run.memory_file)
            throw usage_error(fmt::format("{} was measured in {}, which is overwritten only on request; measure with "
                                          "--memory {} --overwrite, and compare both files",
                                          base.name, *base.run.memory_file, *base.run.memory_file));
        if (const auto found = differences(first.run, base.run, Is::setting); !found.empty())
            throw usage_error(fmt::format("{} and {} measured different things: {}; give baselines of the same kind",
                                          first.name, base.name, describe(found)));
        if (sizes_of(base) != sizes_of(first))
            throw usage_error(fmt::format("{} and {} have different sizes; give baselines with the same --min-size, "
                                          "--max-size and --points",
                                          first.name, base.name));
    }
}

/// Measures sizes again and lets the new rows replace the old ones.
void measure_again(std::vector<Row>& rows, const Options& asked, MeasuredResult& result) {
    result.warn({Code::measured_again,
                 {{"sizes", asked.sizes.size()},
                  {"from_bytes", asked.sizes.front()},
                  {"to_bytes", asked.sizes.back()},
                  {"visits", asked.timing.visits}}});
    const Machine machine = read_machine();
    const RunPlan plan = plan_run(asked, machine);
    Team team(plan.team, machine.files, Interruption::requested());
    MonotonicClock clock;
    std::map<std::pair<int, std::size_t>, Row> again;
    run_sweep(
        plan.sweep, team, clock,
        [&](const Row& row) {
            again[{row.thread, row.size_bytes}] = row;
        },
        [&](const Progress& progress) { result.show_progress(describe(progress)); });
    if (Interruption::requested())
        return;
    for (Row& row : rows) {
        if (const auto found = again.find({row.thread, row.size_bytes}); found != again.end())
            row = std::move(found->second);
    }
}

/// Measures the new sweep and compares it. A slower result must repeat; one that cannot be told is measured again until
/// no try is left. std::nullopt if interrupted.
std::optional<Comparison> measured_and_judged(const std::vector<Result>& baselines, const CompareOptions& options,
                                              const CommandLine& line) {
    check_baselines(baselines);
    Options asked = options_as(baselines.front().run, sizes_of(baselines.front()));
    asked.columns = {ColumnGroup::stats};
    asked.format = options.format.value_or(Format::csv);
    asked.output = options.output.value_or("");
    asked.quiet = options.quiet && !options.output;
    asked.silent = options.quiet;
    asked.told_elsewhere = true;
    Result latest{.name = options.output.value_or("the new sweep"), .kind = &sweep_kind};
    Comparison comparison;
    const auto check = [&](const RunDescription& run) {
        latest.run = run;
        for (const Result& base : baselines)
            check_comparable(base, latest, options);
    };
    const auto improve = [&](std::vector<Row>& rows, MeasuredResult& result) {
        latest.run.end = RunEnd{.measured = asked.sizes.size(), .planned = asked.sizes.size()};
        for (unsigned tried = 1; !Interruption::requested(); ++tried) {
            latest.rows = rows;
            latest.warnings = those_of({result.warn_of_others()});
            const Comparison before =
                std::exchange(comparison, compare_results(baselines, latest, options.tolerance_percent));
            if (tried > 1)
                keep_far_slower(comparison, before);
            const bool is_decided =
                comparison.verdict == Verdict::slower ? tried > 1 : comparison.verdict != Verdict::cannot_tell;
            std::set<std::size_t> sizes;
            for (const double bytes : sizes_in_doubt(comparison))
                sizes.insert(in_whole_lines(bytes, latest.run));
            if (is_decided || tried == options.tries || sizes.empty())
                return;
            asked = options_to_try_again(asked, latest.run, {sizes.begin(), sizes.end()});
            measure_again(rows, asked, result);
        }
    };
    measure_sweep(asked, line, {.check = check, .improve = improve});
    return Interruption::requested() ? std::nullopt : std::optional(comparison);
}

CompareOptions options_of_compare(const CommandLine& line) {
    CompareOptions options = with_options(CompareOptions(), compare_options, line);
    for (const std::string_view name : {"tries", "output"}) {
        if (const GivenOption* given = line.given(name); given != nullptr && !options.measure)
            throw usage_error(fmt::format("--{} {} requires --measure", name, shown(given->value)));
    }
    if (options.output == "-" && !options.quiet)
        throw usage_error("--output - would mix the new sweep with the comparison on standard output; give the name of "
                          "a file, or --quiet");
    const std::size_t least = options.measure ? 1 : 2;
    if (line.operands.size() < least)
        throw usage_error("memtest compare requires at least one baseline and the new sweep, or only baselines with "
                          "--measure; see 'memtest compare --help'");
    return options;
}

/// Compares all parts of reports, the last with the others.
ExitStatus run_on_reports(std::vector<StoredFile> files, const CompareOptions& options) {
    std::vector<ReportResults> reports;
    for (StoredFile& file : files)
        reports.push_back(report_of(std::move(file)));
    const ReportResults latest = std::move(reports.back());
    reports.pop_back();
    for (const ReportResults& base : reports) {
        for (const Result* part : parts_of(base)) {
            for (const Result* now : parts_of(latest)) {
                if (now->part == part->part)
                    check_comparable(*part, *now, options, false);
            }
        }
    }
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

ExitStatus run_compare(const CommandLine& line) {
    const CompareOptions options = options_of_compare(line);
    if (options.measure) {
        const std::vector<Result> baselines = read_sweeps(line.operands, options.part);
        if (!options.quiet)
            std::ranges::for_each(baselines, repeat_warnings);
        const auto comparison = measured_and_judged(baselines, options, line);
        return comparison ? conclude(*comparison, options) : ExitStatus::failure; // a signal interrupted it
    }
    check_standard_input(line.operands);
    std::vector<StoredFile> files;
    for (const std::string& file : line.operands)
        files.push_back(read_file(file));
    return !options.part && std::ranges::all_of(files, &StoredFile::is_report)
               ? run_on_reports(std::move(files), options)
               : run_on_results(results_of_one_kind(std::move(files), options.part), options);
}

} // namespace

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
             "all files are baselines, and the new sweep is measured now.\n",
    .closing = "Exit status: 0 not slower or worse, 1 failure while running, 2 usage error or\n"
               "results of different kinds, settings or machines, 3 slower or worse, 4 cannot\n"
               "tell (too noisy, a busy machine, a cache that holds less, something missing).\n",
    .options = [] { return texts_of(compare_options); },
    .run = run_compare};

} // namespace memtest

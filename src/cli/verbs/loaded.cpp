#include "memtest/base/id_list.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/messages.hpp"
#include "memtest/cli/progress.hpp"
#include "memtest/cli/result_file.hpp"
#include "memtest/cli/verbs/loaded_plan.hpp"
#include "memtest/cli/verbs/verbs.hpp"
#include "memtest/measure/load_team.hpp"
#include "memtest/report/description.hpp"
#include "memtest/report/load_report.hpp"
#include "memtest/report/output_file.hpp"
#include "memtest/report/table_report.hpp"
#include "memtest/version.hpp"

#include <fmt/format.h>

#include <exception>
#include <optional>

namespace memtest {
namespace {

std::vector<std::string> headline(const LoadedRun& run) {
    const std::vector<int>& loaders = run.sweep.loaders;
    std::vector<std::string> sentences{
        fmt::format("memtest {}: latency of a random chain on processor {} while processor{} {} load{}", version,
                    run.team.processors.front(), loaders.size() == 1 ? "" : "s", format_ids(loaders),
                    loaders.size() == 1 ? "s" : "")};
    for (const std::string& sentence : load_sentences(run.sweep.pattern, run.team.area_bytes))
        sentences.push_back(sentence);
    sentences.push_back(fmt::format("{} steps of load, each visited until known to {:g} %, at most {} times, reporting "
                                    "the {} of the batches in which all loaders ran",
                                    run.sweep.steps, run.sweep.timing.precision_percent.value_or(0),
                                    run.sweep.timing.visits, word_of(run.sweep.timing.estimate)));
    return sentences;
}

RunDescription describe(const LoadedRun& plan, const std::vector<std::string>& arguments, const Machine& machine,
                        const std::vector<ThreadFacts>& facts) {
    RunDescription run = describe_machine(plan.team, machine, facts);
    run.start = present_time();
    run.arguments = arguments;
    run.order = plan.team.shape.order;
    run.line_bytes = plan.team.shape.line_bytes;
    run.seed = plan.team.shape.seed;
    run.largest_size = largest_size(plan.team.largest_bytes, plan.lowered);
    run.estimate = plan.sweep.timing.estimate;
    run.precision_percent = plan.sweep.timing.precision_percent;
    run.visits = plan.sweep.timing.visits;
    return run;
}

/// Why the row is empty; nothing where it is not.
std::optional<std::string> warning_on(const LoadRow& row, const std::vector<int>& loaders) {
    if (row.latency_ns)
        return std::nullopt;
    std::vector<int> absent;
    for (const std::size_t loader : row.never_ran)
        absent.push_back(loaders.at(loader));
    const std::string reason = absent.empty() ? "others ran on the processors meanwhile"
                                              : fmt::format("processor{} {} never loaded at the calibrated rate",
                                                            absent.size() == 1 ? "" : "s", format_ids(absent));
    return fmt::format(
        "at {:.1f} % load {} of {} batches were set aside: {}; leave the processors to this run, or give "
        "others with --load-cpu",
        row.load_percent, row.set_aside, row.set_aside + row.batches, reason);
}

/// What the end of the run needs of the rows.
struct LoadRows {
    std::vector<LoadPoint> points;
    std::size_t rows = 0;
};

/// Measures and reports every row. @return what ended it early, if anything
std::exception_ptr measure(const LoadedRun& run, LoadTeam& team, TableReport& report, LoadRows& results,
                           const LoadedOptions& options) {
    ProgressLine progress(!options.quiet);
    const auto take_row = [&](const LoadRow& row) {
        progress.clear();
        report.row(load_fields(row, options.stats));
        ++results.rows;
        if (row.latency_ns && row.bytes_per_ns)
            results.points.push_back(
                {.load_percent = row.load_percent, .bytes_per_ns = *row.bytes_per_ns, .latency_ns = *row.latency_ns});
        if (const auto sentence = warning_on(row, run.sweep.loaders))
            warn_in(report, *sentence, options.quiet);
    };
    try {
        run_load_sweep(run.sweep, team, take_row, [&](const std::string& phrase) { progress.show(phrase); });
    } catch (...) {
        return std::current_exception();
    }
    return nullptr;
}

void measure_into(OutputFile& output, const LoadedOptions& options, const std::vector<std::string>& arguments,
                  const LoadedRun& plan, const Machine& machine, const SystemFiles& files) {
    LoadTeam team(plan.team, plan.sweep.pattern, files, Interruption::requested());
    RunDescription run = describe(plan, arguments, machine, team.facts());
    TableReport report(output, options.stats ? load_table_with_stats : load_table, options.format, options.quiet);
    report.open(headline(plan), run);
    LoadRows results;
    const std::exception_ptr failure = measure(plan, team, report, results, options);
    const bool interrupted = failure != nullptr || Interruption::requested();
    run.end =
        RunEnd{.measured = results.rows, .planned = rows_of(plan.sweep), .interrupted = interrupted, .of_rows = true};
    const auto curve = interrupted ? std::nullopt : std::optional(read_load_curve(results.points));
    report.close(run, curve ? load_lines(*curve) : KeyedLines{}, load_members(plan.sweep.pattern, curve));
    if (failure)
        std::rethrow_exception(failure);
}

ExitStatus run_loaded(const std::vector<std::string>& arguments) {
    const LoadedOptions options = parse_loaded_options(arguments);
    const SystemFiles files;
    const Machine machine = read_machine(files);
    const LoadedRun run = plan_loaded(options, machine, files);
    write_result(options.output,
                 [&](OutputFile& output) { measure_into(output, options, arguments, run, machine, files); });
    return ExitStatus::success;
}

} // namespace

const Verb loaded_verb{.name = "loaded",
                       .summary = "measure latency while others load",
                       .about = "Measures latency against bandwidth and prints it as CSV with the knee: one\n"
                                "processor walks a random chain while others stream through memory of their own,\n"
                                "in steps of load evenly spaced in bandwidth.\n",
                       .options = [] { return texts_of(loaded_options()); },
                       .run = run_loaded};

} // namespace memtest

#include "memtest/cli/commands/loaded.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/id_list.hpp"
#include "memtest/base/text.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/kinds/loaded.hpp"
#include "memtest/result/run_description.hpp"
#include "memtest/version.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memtest {
namespace {

constexpr unsigned usual_steps = 12;
constexpr double seconds_of_curve = 12;

std::vector<std::string_view> estimate_words() {
    return {word_of(Estimate::median), word_of(Estimate::mean)};
}

void set_estimate(Options& options, const GivenOption& argument) {
    const auto estimate = value_of<Estimate>(argument.value);
    if (estimate == Estimate::min)
        throw usage_error("--estimate min: under load the fastest batch is one in which a load thread lost its "
                          "processor; expected median or mean");
    if (!estimate)
        throw not_one_of(argument, estimate_words());
    options.timing.estimate = *estimate;
}

void set_writes(LoadOptions& options, const GivenOption& argument) {
    options.write_percents.clear();
    for (const std::string_view field : split_fields(argument.value)) {
        const auto percent = parse_number<unsigned>(field);
        if (!percent || *percent > 100 || std::ranges::count(options.write_percents, *percent) > 0)
            throw refused(argument, "distinct whole numbers from 0 to 100, such as 50 or 0,33,50,100");
        options.write_percents.push_back(*percent);
    }
    if (options.write_percents.size() > 1)
        options.columns.push_back(ColumnGroup::writes);
}

std::vector<Option<LoadOptions>> loaded_option_table() {
    MeasuringOption estimate =
        shared_option("estimate", "statistic over the batches in which all load threads ran: median or mean", "median");
    estimate.words = estimate_words;
    estimate.set = set_estimate;
    return measuring_options<LoadOptions>(
        {load_option("cpu"),
         load_option("load-cpu"),
         {{"Options", 0, "writes", "LIST",
           "percentage of lines that the load threads write, 0 to 100; a line that is written is read first, so 33, 50 "
           "and 100 make 3, 2 and 1 reads per write; several, such as 0,50,100, give a curve each",
           "0"},
          set_writes},
         load_option("size"),
         {{"Options", 0, "loads", "N",
           "rows under load, 1 to 64: most of them evenly spaced in bandwidth, a third near the knee", "12"},
          [](auto& o, auto& a) { o.points = static_cast<unsigned>(parse_count(a, 1, 64)); }},
         load_option("pages"),
         load_option("node"),
         shared_option("memory"),
         shared_option("overwrite"),
         shared_option("seed"),
         shared_option("precision", "visit each row until its visits agree to PCT percent, at most 16 times", "2"),
         time_option("12 for each curve"),
         estimate,
         shared_option(
             "stats",
             "append columns: disagreement between visits, visits, batches that count, batches set aside, quartiles of "
             "latency and bandwidth, notes")});
}

std::vector<std::string> loaded_headline(const LoadedRun& run) {
    const std::vector<int>& loading = run.sweep.load_processors;
    std::vector<std::string> sentences{
        fmt::format("memtest {}: latency of a random chain on processor {} while processor{} {} load{}", version,
                    run.team.processors.front(), loading.size() == 1 ? "" : "s", format_ids(loading),
                    loading.size() == 1 ? "s" : "")};
    for (const std::string& sentence :
         load_sentences(run.team.shape.line_bytes, run.write_percents, run.team.area_bytes))
        sentences.push_back(sentence);
    sentences.push_back(fmt::format("Rows: load threads asleep, awake but silent, under {} from light to full, asleep "
                                    "again; each is the {} over the batches in which all load threads ran, measured in "
                                    "up to {} visits, until they agree to {:g} %",
                                    counted(run.sweep.steps, "load"), word_of(run.sweep.timing.estimate),
                                    run.sweep.timing.visits, run.sweep.timing.precision_percent.value()));
    return sentences;
}

/// @param time_is_up for this curve
void measure_curve(MeasuredResult& result, const LoadedRun& plan, unsigned write_percent, LoadTeam& team,
                   const TimeIsUp& time_is_up, std::vector<LoadRow>& rows) {
    LoadSweep sweep = plan.sweep;
    sweep.pattern.write_percent = write_percent;
    team.set_write_percent(write_percent);
    const bool is_one_of_several = plan.write_percents.size() > 1;
    const std::string which = is_one_of_several ? fmt::format("writes {} %: ", write_percent) : "";
    bool has_warned = false;
    const auto take_row = [&](LoadRow row) {
        row.write_percent = write_percent;
        result.row(row, is_settled(row));
        rows.push_back(result.so_far().rows_of<LoadRow>().back()); // as in the file
        const auto warning = warning_on(row, is_one_of_several);
        if (warning && !std::exchange(has_warned, true)) // once: the other rows show it
            result.warn(*warning);
    };
    const auto show = [&which, progress = result.progress()](const std::string& phrase) { progress(which + phrase); };
    run_load_sweep(sweep, team, take_row, show, time_is_up);
}

void measure_loaded(MeasuredResult& result, const LoadedRun& plan, const Machine& machine) {
    LoadTeam team(plan.team, plan.sweep.pattern, machine.files, Interruption::requested());
    RunDescription run = describe_loaded(plan, machine, team.facts());
    run.most_seconds = seconds_of_curve * static_cast<double>(plan.write_percents.size());
    run.estimate = plan.sweep.timing.estimate;
    run.precision_percent = plan.sweep.timing.precision_percent;
    run.visits = plan.sweep.timing.visits;
    result.begin(loaded_headline(plan), run, rows_of(plan.sweep) * plan.write_percents.size(),
                 plan.team.processors.size());
    result.warn_of_kinds({plan.team.processors.front()}, plan.load_processors(), machine);
    result.warn(plan.warning);
    result.watch(plan.team.processors);

    std::vector<LoadCurve> curves;
    double begun = 0;
    result.measure([&] {
        measure_curves(result, plan.write_percents, curves, [&](unsigned write_percent, std::vector<LoadRow>& rows) {
            constexpr double of_last_row = 0.12; // of a curve's time: up to 16 visits without load
            const double share = (++begun - of_last_row) / static_cast<double>(plan.write_percents.size());
            measure_curve(result, plan, write_percent, team, result.time_is_up(share), rows);
        });
    });
    if (result.warn_of_others()) {
        for (LoadCurve& curve : curves)
            curve.several = 0; // no claim of the machine
    }
    result.end(loaded_findings(plan.write_percents, curves));
}

ExitStatus run_loaded(const CommandLine& line) {
    const LoadOptions options = options_of_loaded(line);
    const Machine machine = read_machine();
    const LoadedRun run = plan_loaded(options, machine, unforeseen_chain);
    return measure_result(loaded_kind, options, line,
                          [&](MeasuredResult& result) { measure_loaded(result, run, machine); });
}

} // namespace

LoadOptions options_of_loaded(const CommandLine& line) {
    LoadOptions defaults{{.shape = {.order = Order::random}}};
    defaults.timing.estimate = Estimate::median;
    return with_options(defaults, loaded_option_table(), line);
}

void measure_curves(MeasuredResult& result, const std::vector<unsigned>& write_percents, std::vector<LoadCurve>& curves,
                    const CurveMeasurement& measure) {
    std::vector<MachineBusy> failures;
    for (const unsigned write_percent : write_percents) {
        std::vector<LoadRow> rows;
        try {
            measure(write_percent, rows);
        } catch (const MachineBusy& busy) {
            failures.push_back(busy);
            if (write_percents.size() > 1)
                result.warn({Code::no_figure_under_load, {{"write_percent", write_percent}}});
        }
        if (!result.is_whole())
            return;
        curves.push_back(read_load_curve(rows));
    }
    if (failures.size() == write_percents.size())
        throw MachineBusy(failures.back());
}

LoadedRun plan_loaded(const LoadOptions& options, const Machine& machine, const ChainChoice& choose) {
    LoadedRun run{plan_loaded_team("memtest loaded", true, options, machine, choose), {}, {}};
    run.team.kept_from_bytes = kept_from({run.team.largest_bytes}, run.team.shape); // each step walks on from the last
    run.sweep = {.steps = options.points.value_or(usual_steps),
                 .pattern = {.line_bytes = run.team.shape.line_bytes},
                 .timing = options.timing,
                 .load_processors = run.load_processors(),
                 .want = wanted_loads};
    run.write_percents = options.write_percents;
    return run;
}

const Command loaded_command{.name = "loaded",
                             .summary = "measure latency under load",
                             .examples = {{{"memtest loaded", "idle to full load, all cores reading"},
                                           {"memtest loaded --writes 0,50,100", "a curve for each share of writes"}}},
                             .about =
                                 "Measures latency against bandwidth. One processor walks a random chain while\n"
                                 "the load threads stream through memory of their own, under loads chosen from\n"
                                 "what was measured: a third of them near the knee, the highest bandwidth at which\n"
                                 "latency is still close to idle latency. It prints CSV, then the knee.\n",
                             .options = [] { return texts_of(loaded_option_table()); },
                             .run = run_loaded};

} // namespace memtest

#include "memtest/cli/commands/tail.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/measuring.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/kinds/loaded.hpp"
#include "memtest/kinds/tail.hpp"
#include "memtest/result/answer.hpp"
#include "memtest/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace memtest {
namespace {

constexpr std::uint64_t most_samples = std::numeric_limits<std::uint32_t>::max(); // an hour in L1
constexpr std::uint64_t usual_samples = std::uint64_t{1} << 20U;                  // a hundred of them above p99.99

void set_loads(TailOptions& options, const GivenOption& argument) {
    constexpr double least = 1; // below it, load threads pause longer than their rate is sampled
    for (const std::string_view field : split_fields(argument.value)) {
        const double percent = parse_percent({.name = argument.name, .value = std::string(field)}, 100);
        if (percent < least)
            throw refused(argument, fmt::format("at least {:g} percent", least));
        if (std::ranges::count(options.load_percents, percent) > 0)
            throw refused(argument, "distinct numbers from 1 to 100, such as 50 or 50,100");
        options.load_percents.push_back(percent);
    }
    std::ranges::sort(options.load_percents);
}

std::vector<Option<TailOptions>> tail_option_table() {
    constexpr std::string_view group = "Options";
    return measuring_options<TailOptions>(
        {{{group, 0, "load", "LIST",
           "also sample while other processors load the memory at these percentages of their peak bandwidth, such as "
           "50,100"},
          set_loads},
         {{group, 0, "samples", "N", "samples per row, at least 16, shared among 16 visits", "1048576"},
          [](auto& o, auto& a) { o.timing.accesses = parse_count(a, TailSweep().visits, most_samples); }},
         {{group, 0, "group", "K",
           "dependent accesses per sample, 1 to 4096 (default: 1, or more if the counter is too coarse for one)"},
          [](auto& o, auto& a) { o.group = static_cast<std::size_t>(parse_count(a, 1, largest_group)); }},
         load_option("cpu"),
         load_option("load-cpu"),
         {{group, 0, "writes", "PCT",
           "percentage of lines that the load threads write, 0 to 100: 33, 50 and 100 make 3, 2 and 1 reads per write",
           "0"},
          [](auto& o, auto& a) { o.write_percents = {static_cast<unsigned>(parse_count(a, 0, 100))}; }},
         load_option("size"),
         load_option("pages"),
         load_option("node"),
         shared_option("memory"),
         shared_option("overwrite"),
         shared_option("seed"),
         time_option("as it says when it begins"),
         shared_option("stats",
                       "append columns: accesses per sample, samples set aside and achieved load in percent, p50 of "
                       "a fast and of a slow visit, how long the processor was taken away")});
}

/// Sizes well inside each level, and memory; ascending. From the third cache on, others share it, and may leave little
/// of it: a few times the one before shows its latency on a busy machine, too.
std::vector<std::size_t> sizes_for(const TeamPlan& team, const Machine& machine) {
    constexpr double times_the_cache_before = 2.5;
    const std::size_t line = team.shape.line_bytes;
    const std::vector<Processor> measured = with_ids(machine.allowed, {team.processors.front()});
    std::vector<double> caches;
    for (const Cache& cache : measured.front().caches)
        caches.push_back(static_cast<double>(cache.size_bytes));
    std::ranges::sort(caches);
    std::vector<std::size_t> sizes;
    for (std::size_t i = 0; i < caches.size(); ++i) {
        double inside = caches[i] / 2;
        if (i >= private_caches)
            inside = std::min(inside, times_the_cache_before * caches[i - 1]);
        if (const std::size_t bytes = static_cast<std::size_t>(inside) / line * line;
            bytes > 0 && bytes < team.largest_bytes)
            sizes.push_back(bytes);
    }
    sizes.push_back(team.largest_bytes);
    return sizes;
}

std::vector<std::string> tail_headline(const TailRun& run, const TickScale& scale) {
    const TailSweep& sweep = run.sweep;
    const std::size_t group = sweep.group.value_or(1);
    std::vector<std::string> sentences{
        fmt::format("memtest {}: latency distribution of single loads on processor {}", version,
                    run.team.processors.front()),
        fmt::format("A sample is {} of a random chain, timed by the processor's counter in steps of {} ns",
                    group == 1 ? "one load" : fmt::format("a group of {} dependent loads", group),
                    text_of(scale.resolution_ns(), significant(3))),
        "The cost of the readings, measured on a chain in L1, is subtracted"};
    if (group > 1)
        sentences.emplace_back("A percentile of groups is not one of single loads");
    else if (!sweep.group)
        sentences.emplace_back("If the counter is too coarse for one load, a sample is a group of loads; a remark says "
                               "where");
    sentences.push_back(
        fmt::format("{} samples for each row in {} visits; samples from moments in which the processor was taken away "
                    "are set aside",
                    sweep.samples, sweep.visits));
    if (!sweep.load_processors.empty()) {
        for (const std::string& sentence :
             load_sentences(sweep.pattern.line_bytes, {sweep.pattern.write_percent}, run.team.area_bytes))
            sentences.push_back(sentence);
    }
    return sentences;
}

/// For so many samples, as on a busy machine with two processors; more of them take turns at the memory.
double tail_seconds(const TailSweep& sweep) {
    constexpr double seconds_per_row = 1.5; // of the usual samples
    return std::ceil(2 + seconds_per_row * static_cast<double>(rows_of(sweep)) * static_cast<double>(sweep.samples) /
                             static_cast<double>(usual_samples));
}

void measure_tail(MeasuredResult& result, const TailRun& plan, const TickScale& scale, const Machine& machine) {
    TailTeam team(plan.team, plan.sweep.pattern, scale, machine.files, Interruption::requested());
    RunDescription run = describe_loaded(plan, machine, team.facts());
    run.most_seconds = tail_seconds(plan.sweep);
    result.begin(tail_headline(plan, scale), run, rows_of(plan.sweep), plan.team.processors.size());
    result.warn_of_kinds({plan.team.processors.front()}, plan.load_processors(), machine);
    result.warn(plan.warning);
    result.watch(plan.team.processors);

    if (!scale.is_settled)
        result.warn(Notice(Code::counter_unsettled));

    std::vector<double> cost_ns;
    const auto take_row = [&](const TailRow& row) {
        for (const double ticks : row.samples.cost_ticks)
            cost_ns.push_back(ticks * scale.ns_per_tick);
        result.row(tail_row(row, scale));
        if (row.samples.counts.empty())
            result.warn({Code::samples_set_aside, {{"bytes", row.size_bytes}, {"load_percent", row.load_percent}}});
    };
    result.measure([&] { run_tail_sweep(plan.sweep, team, take_row, result.progress(), result.time_is_up()); });
    result.warn(warning_on_missed_loads(result.so_far()));
    Result known = result.so_far();
    known.resolution_ns = scale.resolution_ns();
    result.end(tail_findings(known, scale, cost_ns), {}, {},
               known.row_count() > 0 ? std::optional(answer_of(known)) : std::nullopt);
}

ExitStatus run_tail(const CommandLine& line) {
    const TailOptions options = options_of_tail(line);
    const Machine machine = read_machine();
    MonotonicClock clock;
    const TickScale scale = measure_ticks(clock);
    const TailRun run = plan_tail(options, machine, unforeseen_chain);
    return measure_result(tail_kind, options, line,
                          [&](MeasuredResult& result) { measure_tail(result, run, scale, machine); });
}

} // namespace

TailOptions options_of_tail(const CommandLine& line) {
    TailOptions defaults{{{.shape = {.order = Order::random}}}};
    defaults.timing.accesses = usual_samples;
    return with_options(defaults, tail_option_table(), line);
}

TailRun plan_tail(const TailOptions& options, const Machine& machine, const ChainChoice& choose) {
    TailRun run{plan_loaded_team("memtest tail --load", !options.load_percents.empty(), options, machine, choose), {}};
    run.sweep = {.sizes = sizes_for(run.team, machine),
                 .load_percents = options.load_percents,
                 .samples =
                     rounded_up(static_cast<std::size_t>(options.timing.accesses), std::size_t{TailSweep().visits}),
                 .group = options.group,
                 .pattern = {.line_bytes = run.team.shape.line_bytes, .write_percent = options.write_percents.front()},
                 .load_processors = run.load_processors()};
    run.team.kept_from_bytes = kept_from(run.sweep.sizes, run.team.shape);
    return run;
}

const Command tail_command{.name = "tail",
                           .summary = "measure latency distributions",
                           .examples = {{{"memtest tail", "percentiles of caches and memory, idle"},
                                         {"memtest tail --load 50,100", "also under half and full load"}}},
                           .about = "Measures the latency distribution of single loads from caches and memory and\n"
                                    "prints percentiles as CSV. The counter of the processor times each access of a\n"
                                    "random chain: with all other processors idle and, with --load, also while they\n"
                                    "load the memory.\n",
                           .options = [] { return texts_of(tail_option_table()); },
                           .run = run_tail};

} // namespace memtest

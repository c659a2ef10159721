#include "memtest/cli/verbs/probe.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/cli/verbs/verbs.hpp"
#include "memtest/machine/arena.hpp"
#include "memtest/measure/load_generator.hpp"
#include "memtest/measure/quick_checks.hpp"
#include "memtest/measure/sweep.hpp"
#include "memtest/measure/team.hpp"
#include "memtest/report/advice.hpp"
#include "memtest/report/description.hpp"
#include "memtest/report/levels.hpp"
#include "memtest/report/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <set>

namespace memtest {
namespace {

/// Adds a row to the curve of its thread.
void include(std::vector<ThreadCurve>& threads, const Row& row) {
    const auto number = static_cast<std::size_t>(row.thread);
    while (threads.size() <= number)
        threads.push_back({.thread = static_cast<int>(threads.size()), .points = {}, .clocks = {}});
    if (!row.latency_ns)
        return;
    const auto size_bytes = static_cast<double>(row.size_bytes);
    threads[number].points.push_back(
        {.size_bytes = size_bytes, .latency_ns = *row.latency_ns, .disturbed = any_disturbing(row.notes)});
    if (row.latency_cycles)
        threads[number].clocks.push_back({.size_bytes = size_bytes, .ghz = *row.latency_cycles / *row.latency_ns});
}

/// Of the clocks of the rows' estimates: cycles over ns, to within 2 %.
std::optional<ClockRange> clock_range(const std::vector<ThreadCurve>& threads) {
    std::optional<ClockRange> range;
    for (const ThreadCurve& thread : threads) {
        for (const auto& [size_bytes, ghz] : thread.clocks)
            range = range ? ClockRange{std::min(range->lowest_ghz, ghz), std::max(range->highest_ghz, ghz)}
                          : ClockRange{ghz, ghz};
    }
    return range;
}

/// Of the first thread that was disturbed: the threads share most of what disturbs them.
std::optional<std::string> advice_on_disturbances(const std::vector<ThreadCurve>& threads, Order order) {
    for (const ThreadCurve& thread : threads) {
        if (auto sentence = advice_on_disturbance(thread.points, order))
            return sentence;
    }
    return std::nullopt;
}

/// Takes a page from each node. @throws Error (usage) where the kernel does not let memory be bound to one
void check_nodes(const std::vector<int>& nodes, const SystemFiles& files) {
    for (const int node : std::set(nodes.begin(), nodes.end()))
        const Arena page(base_page_bytes(), PageKind::system_default, files, node);
}

std::optional<std::string> check_prefetching(const TeamPlan& team, const std::vector<Row>& rows,
                                             const SystemFiles& files) {
    try {
        const auto followed = followed_stride(rows, quick_random_sweep(team, files, Interruption::requested()));
        return followed ? advice_on_prefetching(team.shape.order, followed->strided_ns, followed->random_ns)
                        : std::nullopt;
    } catch (const std::exception& error) { // the sweep is already written
        return fmt::format("whether the prefetcher follows the stride could not be checked: {}", error.what());
    }
}

std::optional<std::string> check_learning(const TeamPlan& team, const SystemFiles& files) {
    try {
        const auto time = [&] { return quick_lap_times(team, files, Interruption::requested()); };
        const auto laps = learned_laps(time, wait_for_another_moment);
        return laps ? advice_on_learned_laps(*laps) : std::nullopt;
    } catch (const std::exception&) { // no memory for a check that no one asked for
        return std::nullopt;
    }
}

/// What all rows together say about the run.
std::vector<std::string> advice_after(const TeamPlan& team, const std::vector<ThreadCurve>& threads,
                                      const std::vector<Row>& rows, const SystemFiles& files) {
    const bool random = team.shape.order == Order::random;
    const bool began_cold = team.warmup_laps == 0U; // then the first size is slow anyway
    const auto range = clock_range(threads);
    return advice_of({range ? advice_on_moving_clock(*range) : std::nullopt,
                      began_cold ? std::nullopt : advice_on_disturbances(threads, team.shape.order),
                      !random && !Interruption::requested() ? check_prefetching(team, rows, files) : std::nullopt,
                      random && team.largest_bytes >= mib && !Interruption::requested() ? check_learning(team, files)
                                                                                        : std::nullopt});
}

void measure_probe(MeasuredResult& result, const Options& options, const RunPlan& plan, const Machine& machine,
                   const SweepUse& use) {
    const AwakeCores awake(plan.awake);
    auto team = std::make_unique<Team>(plan.team, machine.files, Interruption::requested());
    const RunDescription run = describe_run(plan, machine, team->facts());
    if (use.check)
        use.check(run);
    result.begin(sweep_headline(run), run, plan.sweep.sizes.size());
    for (const std::string& sentence : advice_before(plan, machine))
        result.warn(sentence);

    std::vector<ThreadCurve> threads;
    std::vector<Row> rows; // without their visits
    const auto take_row = [&](const Row& row) {
        result.row(sweep_row(row, options.counters), row.is_settled);
        include(threads, row);
        rows.push_back(row);
        rows.back().visits.clear();
    };
    std::vector<Row> held;
    const auto hold_row = [&](const Row& row) { held.push_back(row); };
    result.measure([&] {
        MonotonicClock clock;
        run_sweep(plan.sweep, *team, clock, use.improve ? RowSink(hold_row) : RowSink(take_row),
                  [&](const Progress& progress) { result.show_progress(describe(progress)); });
        team.reset(); // what follows may need its memory
        if (use.improve)
            use.improve(held, result);
    });
    std::ranges::for_each(held, take_row);
    if (!result.failed()) {
        for (const std::string& sentence : advice_after(plan.team, threads, rows, machine.files))
            result.warn(sentence);
    }
    result.run().core_clock_range = clock_range(threads);
    const bool for_readers = !options.levels && !use.improve && result.has_reader() && result.is_whole();
    std::vector<LevelReport> levels;
    for (const ThreadCurve& thread : options.levels || for_readers ? threads : std::vector<ThreadCurve>{})
        levels.push_back(report_levels(thread, run));
    if (for_readers)
        result.end({}, level_findings(levels));
    else
        result.end(level_findings(levels));
}

ExitStatus run_probe(const CommandLine& line) {
    return measure_sweep(options_of_probe(line), line);
}

} // namespace

ExitStatus measure_sweep(const Options& options, const CommandLine& line, const SweepUse& use) {
    const Machine machine = read_machine();
    const RunPlan plan = plan_run(options, machine);
    check_counters(plan.team.counters, machine.files, try_counter);
    check_nodes(plan.team.nodes, machine.files);
    return measure_result(sweep_kind, options, line,
                          [&](MeasuredResult& result) { measure_probe(result, options, plan, machine, use); });
}

const Command probe_command{.summary = "measure latency by size of memory",
                            .about =
                                "Measures the access latency of every level of the memory hierarchy: times a\n"
                                "dependent walk along a chain of cache lines in areas of growing size, and prints\n"
                                "CSV rows of size and ns per access.\n",
                            .closing = "A size may carry a unit: 64K, 1.5M, 2G, 512KiB (powers of 1024).\n"
                                       "Exit status: 0 success, 1 failure while running, 2 usage error,\n"
                                       "128+n when ended by signal n.\n",
                            .options = [] { return texts_of(probe_options()); },
                            .run = run_probe};

} // namespace memtest

#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"
#include "memtest/cli/advice.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/messages.hpp"
#include "memtest/cli/options.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/cli/result_file.hpp"
#include "memtest/cli/verbs/verbs.hpp"
#include "memtest/machine/arena.hpp"
#include "memtest/measure/random_check.hpp"
#include "memtest/measure/sweep.hpp"
#include "memtest/measure/team.hpp"
#include "memtest/report/description.hpp"
#include "memtest/report/levels.hpp"
#include "memtest/report/output_file.hpp"
#include "memtest/report/result_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace memtest {
namespace {

/// What the end of the run needs of the rows.
class Results {
public:
    void include(const Row& row) {
        sizes_.insert(row.size_bytes);
        threads_.resize(std::max(threads_.size(), static_cast<std::size_t>(row.thread) + 1));
        Thread& thread = threads_.at(static_cast<std::size_t>(row.thread));
        const auto size_bytes = static_cast<double>(row.size_bytes);
        if (!row.latency_ns)
            return;
        thread.curve.push_back(
            {.size_bytes = size_bytes, .latency_ns = *row.latency_ns, .disturbed = any_disturbing(row.notes)});
        if (row.latency_cycles)
            thread.clocks.push_back({.size_bytes = size_bytes, .ghz = *row.latency_cycles / *row.latency_ns});
    }

    /// The first thread's latency at the largest size, if there is one.
    [[nodiscard]] std::optional<double> last_latency_ns() const {
        if (threads_.empty() || threads_.front().curve.empty())
            return std::nullopt;
        return threads_.front().curve.back().latency_ns;
    }

    [[nodiscard]] std::size_t sizes() const { return sizes_.size(); }

    /// Of the clocks of the rows' estimates: cycles over ns, to within 2 %.
    [[nodiscard]] std::optional<ClockRange> clock_range() const {
        std::optional<ClockRange> range;
        for (const Thread& thread : threads_) {
            for (const SizeClock& clock : thread.clocks) {
                range =
                    range ? ClockRange{std::min(range->lowest_ghz, clock.ghz), std::max(range->highest_ghz, clock.ghz)}
                          : ClockRange{clock.ghz, clock.ghz};
            }
        }
        return range;
    }

    [[nodiscard]] std::optional<std::string> advice_on_disturbances() const {
        for (const Thread& thread : threads_) {
            if (auto sentence = advice_on_disturbance(thread.curve))
                return sentence; // the threads share most of what disturbs them
        }
        return std::nullopt;
    }

    [[nodiscard]] std::vector<LevelReport> levels(const RunDescription& run) const {
        std::vector<LevelReport> reports;
        for (const Thread& thread : threads_)
            reports.push_back(report_levels({static_cast<int>(reports.size()), thread.curve, thread.clocks}, run));
        return reports;
    }

private:
    struct Thread {
        std::vector<CurvePoint> curve;
        std::vector<SizeClock> clocks;
    };

    std::set<std::size_t> sizes_;
    std::vector<Thread> threads_;
};

/// Takes a page from each node. @throws Error (usage) where the kernel does not let memory be bound to one
void check_nodes(const std::vector<int>& nodes, const SystemFiles& files) {
    for (const int node : std::set(nodes.begin(), nodes.end()))
        const Arena page(base_page_bytes(), PageKind::system_default, files, node);
}

std::optional<std::string> check_prefetching(const TeamPlan& team, double last_latency_ns, const SystemFiles& files) {
    try {
        const auto random_ns = quick_random_latency_ns(team, files, Interruption::requested());
        return random_ns ? advice_on_prefetching(team.shape.order, last_latency_ns, *random_ns) : std::nullopt;
    } catch (const std::exception& error) { // the sweep is already written
        return fmt::format("whether the prefetcher follows the stride could not be checked: {}", error.what());
    }
}

std::optional<std::string> check_learning(const TeamPlan& team, const SystemFiles& files) {
    try {
        const auto laps = quick_lap_times(team, files, Interruption::requested());
        return laps ? advice_on_learned_laps(*laps) : std::nullopt;
    } catch (const std::exception&) { // no memory for a check that no one asked for
        return std::nullopt;
    }
}

/// What all rows together say about the run.
std::vector<std::string> advice_after(const TeamPlan& team, const Results& results, const SystemFiles& files) {
    const bool random = team.shape.order == Order::random;
    const bool began_cold = team.warmup_laps == 0U; // then the first size is slow anyway
    const auto last_latency_ns = results.last_latency_ns();
    const auto clock_range = results.clock_range();
    return advice_of({clock_range ? advice_on_moving_clock(*clock_range) : std::nullopt,
                      random && !began_cold ? results.advice_on_disturbances() : std::nullopt,
                      !random && last_latency_ns && !Interruption::requested()
                          ? check_prefetching(team, *last_latency_ns, files)
                          : std::nullopt,
                      random && team.largest_bytes >= mib && !Interruption::requested() ? check_learning(team, files)
                                                                                        : std::nullopt});
}

/// Measures and reports every row. @return what ended it early, if anything
std::exception_ptr measure(const Sweep& sweep, Probe& probe, ResultWriter& report, Results& results,
                           const Options& options) {
    ProgressLine line(!options.quiet);
    MonotonicClock clock;
    const auto take_row = [&](const Row& row) {
        line.clear();
        report.row(sweep_row(row, options.counters));
        results.include(row);
    };
    try {
        run_sweep(sweep, probe, clock, take_row, [&](const Progress& progress) { line.show(describe(progress)); });
    } catch (...) {
        return std::current_exception();
    }
    return nullptr;
}

void measure_into(OutputFile& output, const Options& options, const std::vector<std::string>& arguments,
                  const RunPlan& plan, const Machine& machine, const SystemFiles& files) {
    ResultStyle style{.format = options.format, .quiet = options.quiet, .more = counter_columns(options.counters)};
    if (options.cycles)
        style.groups.push_back(ColumnGroup::cycles);
    if (options.stats)
        style.groups.push_back(ColumnGroup::stats);
    ResultWriter report(output, sweep_kind, style);
    const std::string start = present_time();
    auto team = std::make_unique<Team>(plan.team, files, Interruption::requested());
    RunDescription run = describe_run(plan, machine, team->facts());
    run.start = start;
    run.arguments = arguments;
    report.begin(sweep_headline(run), run);
    for (const std::string& sentence : advice_before(plan, machine, files))
        warn_in(report, sentence, options.quiet);
    Results results;
    const std::exception_ptr failure = measure(plan.sweep, *team, report, results, options);
    team.reset(); // what follows may need its memory

    if (!failure) {
        for (const std::string& sentence : advice_after(plan.team, results, files))
            warn_in(report, sentence, options.quiet);
    }
    run.core_clock_range = results.clock_range();
    run.end = RunEnd{results.sizes(), plan.sweep.sizes.size(), failure != nullptr || Interruption::requested()};
    report.end(options.levels ? level_findings(results.levels(run)) : Findings{}, run);
    if (failure)
        std::rethrow_exception(failure);
}

ExitStatus run_probe(const CommandLine& line) {
    const Options options = options_of_probe(line);
    const SystemFiles files;
    const Machine machine = read_machine(files);
    const RunPlan plan = plan_run(options, machine, files);
    check_counters(plan.team.counters, files, try_counter);
    check_nodes(plan.team.nodes, files);
    write_result(options.output,
                 [&](OutputFile& output) { measure_into(output, options, line.arguments, plan, machine, files); });
    return ExitStatus::success;
}

} // namespace

const Verb probe_verb{.summary = "measure latency by size of memory",
                      .about = "Measures the access latency of every level of the memory hierarchy: times a\n"
                               "dependent walk along a chain of cache lines in areas of growing size, and prints\n"
                               "CSV rows of size and ns per access.\n",
                      .closing = "A size may carry a unit: 64K, 1.5M, 2G, 512KiB (powers of 1024).\n"
                                 "Exit status: 0 success, 1 failure while running, 2 usage error,\n"
                                 "128+n when ended by signal n.\n",
                      .options = [] { return texts_of(probe_options()); },
                      .run = run_probe};

} // namespace memtest

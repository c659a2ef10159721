#include "memtest/cli/probe/command.hpp"

#include "memtest/base/error.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/probe/advice.hpp"
#include "memtest/cli/probe/command_line.hpp"
#include "memtest/cli/probe/plan.hpp"
#include "memtest/cli/progress.hpp"
#include "memtest/machine/arena.hpp"
#include "memtest/measure/random_check.hpp"
#include "memtest/measure/sweep.hpp"
#include "memtest/measure/team.hpp"
#include "memtest/report/description.hpp"
#include "memtest/report/output_file.hpp"
#include "memtest/report/report.hpp"
#include "memtest/report/reported_caches.hpp"
#include "memtest/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace memtest {
namespace {

void warn(const std::string& sentence) {
    fmt::print(stderr, "memtest: warning: {}\n", sentence);
}

/// What is remembered of the rows once they are written.
class Results {
public:
    void include(const Row& row) {
        for (const Visit& visit : row.visits) {
            lowest_ghz_ = lowest_ghz_ == 0 ? visit.core_ghz : std::min(lowest_ghz_, visit.core_ghz);
            highest_ghz_ = std::max(highest_ghz_, visit.core_ghz);
        }
        const auto thread = static_cast<std::size_t>(row.thread);
        curves_.resize(std::max(curves_.size(), thread + 1));
        clocks_ghz_.resize(curves_.size());
        if (!row.latency_ns)
            return;
        curves_[thread].push_back({.size_bytes = static_cast<double>(row.size_bytes), .latency_ns = *row.latency_ns});
        clocks_ghz_[thread].push_back(row.latency_cycles.value() / *row.latency_ns);
    }

    /// The first thread's latency at the largest size, if there is one.
    [[nodiscard]] std::optional<double> last_latency_ns() const {
        if (curves_.empty() || curves_.front().empty())
            return std::nullopt;
        return curves_.front().back().latency_ns;
    }

    [[nodiscard]] Description closing_lines() const {
        if (highest_ghz_ == 0)
            return {};
        return {{"core clock range", fmt::format("{:.3f} to {:.3f} GHz", lowest_ghz_, highest_ghz_)}};
    }

    void warn_of_moving_clock() const {
        if (highest_ghz_ > 1.02 * lowest_ghz_)
            warn(fmt::format(
                "the core's clock moved between {:.3f} and {:.3f} GHz during the run, and cache latencies in "
                "ns with it; compare cycles (--cycles), or fix the frequency",
                lowest_ghz_, highest_ghz_));
    }

    void warn_of_disturbances() const {
        for (const std::vector<CurvePoint>& curve : curves_) {
            if (const auto sentence = advice_on_disturbance(curve)) {
                warn(*sentence);
                return; // the threads share most of what disturbs them
            }
        }
    }

    [[nodiscard]] std::vector<LevelReport> levels(SweepOrder order, std::string_view caches) const {
        std::vector<LevelReport> reports;
        for (std::size_t thread = 0; thread < curves_.size(); ++thread)
            reports.push_back(report_levels(static_cast<int>(thread), curves_[thread], order,
                                            core_ghz_over(clocks_ghz_[thread]), caches));
        return reports;
    }

private:
    double lowest_ghz_ = 0;
    double highest_ghz_ = 0;
    std::vector<std::vector<CurvePoint>> curves_; // one per thread
    std::vector<std::vector<double>> clocks_ghz_; // of their rows, one list per thread
};

/// Takes a page from each node. @throws Error (usage) where the kernel does not let memory be bound to one
void check_nodes(const std::vector<int>& nodes, const SystemFiles& files) {
    for (const int node : std::set(nodes.begin(), nodes.end()))
        const Arena page(base_page_bytes(), PageKind::system_default, files, node);
}

void warn_of_prefetching(const TeamPlan& team, double last_latency_ns, const SystemFiles& files) {
    try {
        const auto random_ns = quick_random_latency_ns(team, files, Interruption::requested());
        const auto sentence =
            random_ns ? advice_on_prefetching(team.shape.order, last_latency_ns, *random_ns) : std::nullopt;
        if (sentence)
            warn(*sentence);
    } catch (const Error& error) { // the sweep is done and written: what cannot be checked does not undo it
        warn(fmt::format("whether the prefetcher follows the stride could not be checked: {}", error.what()));
    }
}

/// Measures and reports every row. @return what ended it early, if anything: what was measured until then is reported
std::exception_ptr measure(const Sweep& sweep, Probe& probe, Report& report, Results& results, bool quiet) {
    ProgressLine line(!quiet);
    MonotonicClock clock;
    const auto take_row = [&](const Row& row) {
        line.clear();
        report.row(row);
        results.include(row);
    };
    try {
        run_sweep(sweep, probe, clock, take_row, [&](const Progress& progress) { line.show(describe(progress)); });
    } catch (...) {
        return std::current_exception();
    }
    return nullptr;
}

Columns columns_of(const ProbeOptions& options) {
    return {.cycles = options.cycles, .stats = options.stats, .counters = options.counters};
}

void measure(const ProbeOptions& options) {
    const SystemFiles files;
    const Machine machine = read_machine(files);
    const RunPlan plan = plan_run(options, machine, files);
    check_counters(plan.team.counters, files, try_counter);
    check_nodes(plan.team.nodes, files);
    const Interruption interruption;
    OutputFile output(options.output);
    const std::unique_ptr<Report> report =
        make_report({.format = options.format, .columns = columns_of(options), .quiet = options.quiet}, output);
    for (const std::string& sentence : advice_before(plan, machine, files))
        warn(sentence);

    auto team = std::make_unique<Team>(plan.team, files, Interruption::requested());
    report->open(headline(plan), describe_run(plan, machine, team->facts()));
    Results results;
    const std::exception_ptr failure = measure(plan.sweep, *team, *report, results, options.quiet);
    team.reset(); // its memory may be needed for what follows

    const Order order = plan.team.shape.order;
    report->close(results.closing_lines(),
                  options.levels ? results.levels(sweep_order_of(word_of(order)), describe_caches(machine.caches))
                                 : std::vector<LevelReport>{});
    if (failure)
        std::rethrow_exception(failure);
    results.warn_of_moving_clock();
    const auto last_latency_ns = results.last_latency_ns();
    const bool began_cold = plan.team.warmup_laps == 0U; // the first size then is slow by itself
    if (order == Order::random && !began_cold)
        results.warn_of_disturbances();
    if (order != Order::random && last_latency_ns && !Interruption::requested())
        warn_of_prefetching(plan.team, *last_latency_ns, files);
    Interruption::end_by_signal();
}

} // namespace

ExitStatus run_probe(const std::vector<std::string>& arguments) {
    const ProbeOptions options = parse_probe_options(arguments);
    if (options.help)
        OutputFile(std::nullopt).write(probe_help());
    else if (options.version)
        OutputFile(std::nullopt).write(fmt::format("memtest {}\n", version));
    else
        measure(options);
    return ExitStatus::success;
}

} // namespace memtest

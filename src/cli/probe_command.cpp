#include "memtest/cli/probe_command.hpp"

#include "memtest/cli/advice.hpp"
#include "memtest/cli/description.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/levels_report.hpp"
#include "memtest/cli/output_file.hpp"
#include "memtest/cli/progress.hpp"
#include "memtest/cli/report.hpp"
#include "memtest/cli/reported_caches.hpp"
#include "memtest/cli/run_plan.hpp"
#include "memtest/error.hpp"
#include "memtest/machine/arena.hpp"
#include "memtest/measure/random_check.hpp"
#include "memtest/measure/sweep.hpp"
#include "memtest/measure/team.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
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
        lowest_ghz_ = lowest_ghz_ == 0 ? row.lowest_ghz : std::min(lowest_ghz_, row.lowest_ghz);
        highest_ghz_ = std::max(highest_ghz_, row.highest_ghz);
        curves_.resize(std::max(curves_.size(), static_cast<std::size_t>(row.thread) + 1));
        if (row.latency_ns)
            curves_.at(static_cast<std::size_t>(row.thread))
                .push_back({.size_bytes = static_cast<double>(row.size_bytes),
                            .latency_ns = *row.latency_ns,
                            .disturbed = std::ranges::find_first_of(row.notes, disturbing_notes) != row.notes.end()});
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
            reports.push_back(report_levels(static_cast<int>(thread), curves_[thread], order, highest_ghz_, caches));
        return reports;
    }

private:
    double lowest_ghz_ = 0;
    double highest_ghz_ = 0;
    std::vector<std::vector<CurvePoint>> curves_; // one per thread
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

} // namespace

void run_probe(const Options& options) {
    const SystemFiles files;
    const Machine machine = read_machine(files);
    const RunPlan plan = plan_run(options, machine, files);
    check_counters(plan.team.counters, files, try_counter);
    check_nodes(plan.team.nodes, files);
    const Interruption interruption;
    OutputFile output(options.output);
    const std::unique_ptr<Report> report = make_report(options, output);
    for (const std::string& sentence : advice_before(plan, machine, files))
        warn(sentence);

    bool opened = false;
    const auto map_team = [&]() -> std::unique_ptr<Probe> {
        auto team = std::make_unique<Team>(plan.team, files, Interruption::requested());
        if (!opened)
            report->open(headline(plan), describe_run(plan, machine, team->facts()));
        opened = true;
        return team;
    };
    Results results;
    ProgressLine progress(!options.quiet);
    MonotonicClock clock;
    ProgressEstimate estimate(clock);
    const auto take_row = [&](const Row& row) {
        progress.clear();
        report->row(row);
        results.include(row);
    };
    run_sweep(plan.sweep, map_team, take_row,
              [&](std::size_t done, std::size_t of) { progress.show(estimate.step(done, of)); });
    progress.clear();

    const Order order = plan.team.shape.order;
    report->close(results.closing_lines(),
                  options.levels ? results.levels(sweep_order_of(word_of(order)), describe_caches(machine.caches))
                                 : std::vector<LevelReport>{});
    results.warn_of_moving_clock();
    const auto last_latency_ns = results.last_latency_ns();
    const bool began_cold = plan.team.warmup_laps == 0U; // the first size then is slow by itself
    if (order == Order::random && !began_cold)
        results.warn_of_disturbances();
    if (order != Order::random && last_latency_ns && !Interruption::requested())
        warn_of_prefetching(plan.team, *last_latency_ns, files);
    Interruption::end_by_signal();
}

} // namespace memtest

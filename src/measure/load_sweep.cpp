#include "memtest/measure/load_sweep.hpp"

#include "memtest/base/error.hpp"
#include "memtest/machine/clock.hpp"
#include "memtest/measure/calibration.hpp"
#include "memtest/measure/rounds.hpp"
#include "memtest/measure/walker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace memtest {
namespace {

constexpr unsigned batches_in_visit = 16;
constexpr double batch_ns = 1e6; // long compared with a look at the load threads, short compared with disturbances

/// Walks its chain in batches, and looks at the load threads before and after each.
class LoadedWalker : public Walker {
public:
    LoadedWalker(const TeamPlan& plan, const Placement& placement, const SystemFiles& files,
                 const std::atomic<bool>& interrupted, const LoadBoard& board, std::vector<LoadBatch>& batches)
        : Walker(plan, placement, files, interrupted), interrupted_(interrupted), board_(board), batches_(batches) {}

    [[nodiscard]] std::uint64_t prepare(const VisitPlan& visit) override {
        shortest_batch_ = Walker::prepare(visit);
        return shortest_batch_;
    }

    void measure(const TimingPlan& /*timing*/, Measurement& measurement) override {
        // Published at the end: the load threads read what lies beside it during the visit.
        std::vector<LoadBatch> batches;
        walk_batch(shortest_batch_, measurement);
        const std::uint64_t accesses = accesses_in_batch(measurement);
        for (unsigned batch = 0; batch < batches_in_visit && !interrupted_; ++batch) {
            const LoadLook before = look_at(board_, clock_);
            walk_batch(accesses, measurement);
            const LoadLook after = look_at(board_, clock_);
            if (!measurement.timing.batch_ns.empty()) // else interrupted
                batches.push_back({.ns_per_access = measurement.timing.batch_ns.front(),
                                   .preempted = measurement.after.preemptions > measurement.before.preemptions,
                                   .lines_per_ns = rates_between(before, after)});
        }
        batches_ = std::move(batches);
    }

private:
    void walk_batch(std::uint64_t accesses, Measurement& measurement) {
        Walker::measure({.accesses = accesses, .batches = 1}, measurement);
    }

    [[nodiscard]] std::uint64_t accesses_in_batch(const Measurement& pilot) const {
        if (pilot.timing.batch_ns.empty())
            return shortest_batch_;
        return std::max(shortest_batch_,
                        static_cast<std::uint64_t>(std::ceil(batch_ns / pilot.timing.batch_ns.front())));
    }

    const std::atomic<bool>& interrupted_;
    const LoadBoard& board_;
    std::vector<LoadBatch>& batches_;
    MonotonicClock clock_;
    std::uint64_t shortest_batch_ = 1;
};

/// Whether no batch of a step counts after visits at several moments.
bool tells_nothing(const LoadStep& step, const std::vector<std::vector<LoadBatch>>& visits) {
    constexpr std::size_t several = 8;
    return visits.size() >= several && std::ranges::none_of(visits, [&](const std::vector<LoadBatch>& batches) {
               return std::ranges::any_of(batches, [&](const LoadBatch& batch) { return counts(batch, step); });
           });
}

} // namespace

void run_load_sweep(const LoadSweep& sweep, LoadProbe& probe, const LoadRowSink& row_sink,
                    const PhraseSink& phrase_sink) {
    require(sweep.steps > 0 && sweep.timing.visits > 0, "a sweep visits a step of load or more");
    unsigned next_round = 0; // each visit has its own order, so this counts all rounds
    /// @return whether it was not interrupted
    const auto measure = [&](const std::vector<LoadStep>& steps, std::string_view what, const LoadRowSink& give) {
        const unsigned first_round = next_round;
        std::vector<std::vector<std::vector<LoadBatch>>> visits(steps.size());
        return visit_in_rounds(
            steps.size(),
            [&](std::size_t step, unsigned round, std::size_t done) -> std::optional<bool> {
                phrase_sink(fmt::format("{}: {} of {} rows known, round {}", what, done, steps.size(), round + 1));
                next_round = first_round + round + 1;
                auto batches = probe.visit(steps[step].pause, first_round + round);
                if (batches.empty())
                    return std::nullopt;
                visits[step].push_back(std::move(batches));
                return visits[step].size() >= sweep.timing.visits || tells_nothing(steps[step], visits[step]) ||
                       load_visits_agree(steps[step], visits[step], sweep.timing);
            },
            [&](std::size_t step) { give(join_load_visits(steps[step], visits[step], sweep.timing, sweep.pattern)); });
    };
    std::vector<LoadRow> held_back; // under load, until a row has a figure
    bool has_figure = false;
    const auto give_under_load = [&](const LoadRow& row) {
        held_back.push_back(row);
        has_figure = has_figure || row.latency_ns.has_value();
        if (has_figure)
            std::ranges::for_each(std::exchange(held_back, {}), row_sink);
    };
    const auto visit_at = [&](std::size_t pause) {
        phrase_sink("calibrating the load threads");
        return probe.visit(pause, next_round);
    };

    if (!measure({LoadStep{}, LoadStep{.pause = endless_pause}}, "idle", row_sink))
        return;
    const std::vector<LoadStep> steps = calibrate(even_shares(sweep.steps), visit_at, sweep.load_processors);
    if (steps.empty() || !measure(steps, "under load", give_under_load))
        return;
    if (!has_figure)
        throw MachineBusy("no step of load gave a figure: other processes run on the processors; wait, or name others "
                          "with --load-cpu");
    static_cast<void>(measure({LoadStep{}}, "idle again", row_sink));
}

LoadTeam::LoadTeam(const TeamPlan& plan, const LoadPattern& pattern, const SystemFiles& files,
                   const std::atomic<bool>& interrupted)
    : chain_bytes_(plan.largest_bytes), board_(plan.processors.size() - 1, pattern),
      team_(plan.processors.size(),
            beside_load_threads(plan, files, interrupted, board_,
                                [plan, files, &interrupted, this](const Placement& placement) {
                                    return std::make_unique<LoadedWalker>(plan, placement, files, interrupted, board_,
                                                                          batches_);
                                }),
            interrupted) {}

std::vector<LoadBatch> LoadTeam::visit(std::optional<std::size_t> pause, unsigned round) {
    board_.pause = pause;
    const auto measured = team_.visit({.bytes = chain_bytes_, .round = round});
    return measured.empty() ? std::vector<LoadBatch>{} : std::exchange(batches_, {});
}

} // namespace memtest

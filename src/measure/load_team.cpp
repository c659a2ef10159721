#include "memtest/measure/load_team.hpp"

#include "memtest/machine/clock.hpp"
#include "memtest/measure/walker.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace memtest {
namespace {

constexpr unsigned batches_in_visit = 16;
constexpr double batch_ns = 1e6; // long against a look at the loaders, short against disturbances

/// Walks its chain in batches, and looks at the loaders before and after each.
class LoadedWalker : public Walker {
public:
    LoadedWalker(const TeamPlan& plan, const Seat& seat, const SystemFiles& files, const std::atomic<bool>& interrupted,
                 const LoadBoard& board, std::vector<LoadBatch>& batches)
        : Walker(plan, seat, files, interrupted), interrupted_(interrupted), board_(board), batches_(batches) {}

    [[nodiscard]] std::uint64_t prepare(const VisitPlan& visit) override {
        shortest_batch_ = Walker::prepare(visit);
        return shortest_batch_;
    }

    void measure(const TimingPlan& /*timing*/, Measurement& measurement) override {
        std::vector<LoadBatch> batches; // published at the end: the loaders read what lies beside it meanwhile
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

} // namespace

LoadTeam::LoadTeam(const TeamPlan& plan, const LoadPattern& pattern, const SystemFiles& files,
                   const std::atomic<bool>& interrupted)
    : chain_bytes_(plan.largest_bytes), board_(plan.processors.size() - 1, pattern),
      team_(plan.processors.size(),
            beside_loaders(plan, files, interrupted, board_,
                           [plan, files, &interrupted, this](const Seat& seat) {
                               return std::make_unique<LoadedWalker>(plan, seat, files, interrupted, board_, batches_);
                           }),
            interrupted) {}

std::vector<LoadBatch> LoadTeam::visit(std::optional<std::size_t> pause, unsigned round) {
    board_.pause = pause;
    const auto measured = team_.visit({.bytes = chain_bytes_, .round = round});
    return measured.empty() ? std::vector<LoadBatch>{} : std::exchange(batches_, {});
}

} // namespace memtest

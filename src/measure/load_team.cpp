#include "memtest/measure/load_team.hpp"

#include "memtest/machine/arena.hpp"
#include "memtest/machine/clock.hpp"
#include "memtest/measure/walker.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>
#include <utility>

namespace memtest {
namespace {

constexpr unsigned batches_in_visit = 16;
constexpr double batch_ns = 1e6; // long against a look at the loaders, short against disturbances

/// How far all loaders had come at one moment.
struct Look {
    std::uint64_t at_ns = 0;
    std::vector<std::uint64_t> lines;
};

/// Walks its chain in batches, and looks at the loaders before and after each.
class LoadedWalker : public Walker {
public:
    LoadedWalker(const TeamPlan& plan, const Seat& seat, const SystemFiles& files, const std::atomic<bool>& interrupted,
                 LoadBoard& board)
        : Walker(plan, seat, files, interrupted), interrupted_(interrupted), board_(board) {}

    [[nodiscard]] std::uint64_t prepare(const VisitPlan& visit) override {
        shortest_batch_ = Walker::prepare(visit);
        return shortest_batch_;
    }

    void measure(const TimingPlan& /*timing*/, Measurement& measurement) override {
        std::vector<LoadBatch> batches; // published at the end: the loaders read the board meanwhile
        walk_batch(shortest_batch_, measurement);
        const std::uint64_t accesses = accesses_in_batch(measurement);
        for (unsigned batch = 0; batch < batches_in_visit && !interrupted_; ++batch) {
            const Look before = look();
            walk_batch(accesses, measurement);
            const Look after = look();
            if (!measurement.timing.batch_ns.empty()) // else interrupted
                batches.push_back(batch_between(before, after, measurement));
        }
        board_.batches = std::move(batches);
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

    [[nodiscard]] Look look() {
        Look seen{.at_ns = clock_.now_ns(), .lines = {}};
        for (const PublishedLines& loader : board_.published)
            seen.lines.push_back(loader.lines.load(std::memory_order_relaxed));
        return seen;
    }

    static LoadBatch batch_between(const Look& before, const Look& after, const Measurement& measurement) {
        LoadBatch batch{.ns_per_access = measurement.timing.batch_ns.front(),
                        .preempted = measurement.after.preemptions > measurement.before.preemptions};
        for (std::size_t loader = 0; loader < before.lines.size(); ++loader)
            batch.lines_per_ns.push_back(static_cast<double>(after.lines[loader] - before.lines[loader]) /
                                         static_cast<double>(after.at_ns - before.at_ns));
        return batch;
    }

    const std::atomic<bool>& interrupted_;
    LoadBoard& board_;
    MonotonicClock clock_;
    std::uint64_t shortest_batch_ = 1;
};

/// Loads for as long as the walker prepares and measures.
class LoadingMember : public TeamMember {
public:
    LoadingMember(const TeamPlan& plan, const Seat& seat, const LoadPattern& pattern, const SystemFiles& files,
                  const std::atomic<bool>& interrupted, LoadBoard& board)
        : seat_(taken(seat)), arena_(plan.area_bytes, plan.pages, files, seat.node, interrupted),
          facts_{.pages = arena_.granted(files),
                 .node_verified = !interrupted && is_verified_on_node(arena_, seat.node)},
          loader_(arena_.memory(), pattern), board_(board), published_(board.published.at(seat.number - 1)) {}

    [[nodiscard]] ThreadFacts facts() override { return facts_; }
    void stay_warm() override { load(); }
    void walk_on() override { load(); }

private:
    void load() {
        if (!board_.pause)
            return std::this_thread::sleep_for(std::chrono::milliseconds(1));
        constexpr int portions_between_looks = 16;
        for (int portion = 0; portion < portions_between_looks; ++portion) {
            loader_.load_portion(*board_.pause);
            published_.lines.store(loader_.lines(), std::memory_order_relaxed);
        }
    }

    Seat seat_; // first, so that the memory comes from that processor's node
    Arena arena_;
    ThreadFacts facts_;
    Loader loader_;
    LoadBoard& board_;
    PublishedLines& published_;
};

} // namespace

LoadTeam::LoadTeam(const TeamPlan& plan, const LoadPattern& pattern, const SystemFiles& files,
                   const std::atomic<bool>& interrupted)
    : chain_bytes_(plan.largest_bytes), board_(plan.processors.size() - 1),
      team_(
          plan.processors.size(),
          [plan, pattern, files, &interrupted, this](std::size_t number) -> std::unique_ptr<TeamMember> {
              const Seat seat = seat_of(plan, number);
              if (number == 0)
                  return std::make_unique<LoadedWalker>(plan, seat, files, interrupted, board_);
              return std::make_unique<LoadingMember>(plan, seat, pattern, files, interrupted, board_);
          },
          interrupted) {}

std::vector<LoadBatch> LoadTeam::visit(std::optional<std::size_t> pause, unsigned round) {
    board_.pause = pause;
    const auto measured = team_.visit({.bytes = chain_bytes_, .round = round});
    return measured.empty() ? std::vector<LoadBatch>{} : std::exchange(board_.batches, {});
}

} // namespace memtest

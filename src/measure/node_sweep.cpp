#include "memtest/measure/node_sweep.hpp"

#include "memtest/measure/load_generator.hpp"
#include "memtest/measure/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

namespace memtest {
namespace {

constexpr unsigned load_rounds = 4; // as many moments as a size is visited at without a precision
constexpr std::size_t batches_in_load = 16;
constexpr unsigned parts_of_load = 4;                  // of a batch: all load threads must make progress in each
constexpr std::chrono::microseconds part_of_load{500}; // several fit into a time slice of others

constexpr std::chrono::milliseconds written_lines_leave{20}; // the caches, since the memory was filled

/// Looks at the load threads from time to time. It sleeps in between, so that they have all processors.
class LoadWatcher : public TeamMember {
public:
    LoadWatcher(const LoadBoard& board, const std::atomic<bool>& interrupted, std::vector<LoadBatch>& batches)
        : board_(board), interrupted_(interrupted), batches_(batches) {}

    void measure(const TimingPlan& /*timing*/, Measurement& /*measurement*/) override {
        std::this_thread::sleep_for(written_lines_leave);
        while (batches_.size() < batches_in_load && !interrupted_)
            batches_.push_back(watch());
    }

private:
    LoadBatch watch() {
        LoadBatch batch;
        const LoadLook first = look_at(board_, clock_);
        LoadLook last = first;
        for (unsigned part = 0; part < parts_of_load; ++part) {
            std::this_thread::sleep_for(part_of_load);
            const LoadLook before = std::exchange(last, look_at(board_, clock_));
            for (std::size_t thread = 0; thread < last.lines.size(); ++thread) {
                if (last.lines[thread] == before.lines[thread])
                    batch.absent.push_back(thread);
            }
        }
        batch.lines_per_ns = lines_per_ns(first, last);
        return batch;
    }

    const LoadBoard& board_;
    const std::atomic<bool>& interrupted_;
    std::vector<LoadBatch>& batches_;
    MonotonicClock clock_;
};

} // namespace

void run_node_sweep(std::size_t pairs, const NodeProbe& probe, const std::function<void(const NodeFigures&)>& sink,
                    const PhraseSink& phrase_sink, const TimeIsUp& time_is_up) {
    std::vector<Row> walks(pairs);
    std::vector<std::vector<LoadBatch>> batches(pairs);
    visit_in_rounds(
        pairs,
        [&](std::size_t pair, unsigned round, std::size_t /*done*/) -> std::optional<bool> {
            if (round == 0) {
                phrase_sink(fmt::format("{} of {} rows", pair, pairs));
                auto walk = probe.walk(pair);
                if (!walk)
                    return std::nullopt;
                walks[pair] = std::move(*walk);
                return probe.load == nullptr;
            }
            phrase_sink(fmt::format("bandwidth: visit {} of {} to row {} of {}", round, load_rounds, pair + 1, pairs));
            const auto more = probe.load(pair);
            if (more.empty())
                return std::nullopt;
            batches[pair].insert(batches[pair].end(), more.begin(), more.end());
            return round == load_rounds;
        },
        [&](std::size_t pair) {
            sink({.pair = pair,
                  .walk = walks[pair],
                  .lines_per_ns = median_lines_per_ns(batches[pair]),
                  .load_disturbed = std::ranges::count_if(batches[pair], counts) * 2 < std::ssize(batches[pair])});
        },
        [&](std::size_t left) {
            const bool has_all = std::ranges::none_of(batches, &std::vector<LoadBatch>::empty);
            return has_all && time_is_up && time_is_up(left);
        });
}

std::vector<LoadBatch> load_batches(const TeamPlan& plan, const SystemFiles& files,
                                    const std::atomic<bool>& interrupted) {
    TeamPlan watched = plan; // first a member that has no load, and needs neither processor nor memory of its own
    watched.processors.insert(watched.processors.begin(), plan.processors.front());
    if (!plan.nodes.empty())
        watched.nodes.insert(watched.nodes.begin(), plan.nodes.front());
    std::vector<LoadBatch> batches;
    LoadingTeam team(watched, {.line_bytes = plan.shape.line_bytes}, files, interrupted,
                     [&](const Placement& /*placement*/, const LoadBoard& board) {
                         return std::make_unique<LoadWatcher>(board, interrupted, batches);
                     });
    return team.visit(0, {.bytes = plan.area_bytes}) ? batches : std::vector<LoadBatch>{};
}

} // namespace memtest

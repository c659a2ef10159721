#include "memtest/measure/core_to_core.hpp"

#include "memtest/chain/chains.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/measure/rounds.hpp"
#include "memtest/measure/statistics.hpp"
#include "memtest/measure/timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace memtest {
namespace {

constexpr std::size_t transferred_bytes = transferred_lines * transferred_line_pitch;

WalkPlan walk_plan_of(const TransferPlan& plan) {
    return {.shape = {.order = Order::random, .line_bytes = transferred_line_pitch, .seed = plan.seed},
            .warmup_laps = 1, // no more: the lines have to stay as their owner left them
            .laps_start = plan.clean ? Start::flushed : Start::linked,
            .largest_bytes = transferred_bytes,
            .area_bytes = transferred_bytes,
            .counters = {}};
}

/// Whether the lines stayed in the owner's caches. If others get its processor, they may drive the lines into a nearer
/// cache.
bool kept_its_lines(const Measurement& owner) {
    return !was_stopped(owner.before, owner.after);
}

} // namespace

std::uint64_t LineOwner::prepare(const VisitPlan& visit) {
    before_ = read_disturbances();
    return Walker::prepare(visit);
}

void LineOwner::finish(Measurement& measurement) {
    measurement.before = before_;
    measurement.after = read_disturbances();
}

LineReader::LineReader(std::optional<int> processor, const LineOwner* const& owner,
                       const std::atomic<bool>& interrupted)
    : processor_(processor), owner_(owner), interrupted_(interrupted) {
    if (processor)
        pin_to(*processor);
    quality_ = measure_clock(clock_);
}

void LineReader::measure(const TimingPlan& timing, Measurement& measurement) {
    if (interrupted_ || owner_->chains() == nullptr)
        return;
    Chains chains = *owner_->chains(); // a copy, since the walk changes its position
    measurement.timing = time_batches(
        timing, 1, [&chains](std::size_t accesses) { return chains.walk(accesses); }, clock_, quality_, interrupted_);
}

double transfer_ns(std::vector<double> lap_ns) {
    std::ranges::sort(lap_ns);
    return quantile(lap_ns, 0.25);
}

std::optional<Transfer> measure_laps(Probe& pair, unsigned visit) {
    Transfer result;
    for (unsigned lap = visit * laps_in_visit; lap < (visit + 1) * laps_in_visit; ++lap) {
        const auto measured = pair.visit(
            {.bytes = transferred_bytes, .round = lap, .left = {.accesses = transferred_lines, .batches = 1}});
        if (measured.empty())
            return std::nullopt;
        if (!kept_its_lines(measured.front())) {
            ++result.set_aside;
            continue;
        }
        for (const double ns : measured.back().timing.batch_ns)
            result.lap_ns.push_back(ns);
    }
    return result;
}

std::optional<Transfer> measure_transfer(const TransferPlan& plan, unsigned visit, const SystemFiles& files,
                                         const std::atomic<bool>& interrupted) {
    const WalkPlan walk = walk_plan_of(plan);
    const auto placement_on = [&plan](int processor) {
        return Placement{.processor = plan.pinned ? std::optional(processor) : std::nullopt, .node = plan.node};
    };
    const LineOwner* owner = nullptr;
    const auto make_member = [&](std::size_t number) -> std::unique_ptr<TeamMember> {
        if (number == 1)
            return std::make_unique<LineReader>(placement_on(plan.reader).processor, owner, interrupted);
        auto made = std::make_unique<LineOwner>(walk, placement_on(plan.owner), files, interrupted);
        owner = made.get();
        return made;
    };
    Team team(2, make_member, interrupted);
    auto result = measure_laps(team, visit);
    if (result)
        result->owner = team.facts().front();
    return result;
}

std::optional<double> transfer_ns_over(std::span<const std::vector<double>> visits) {
    std::vector<double> known;
    for (const std::vector<double>& lap_ns : visits) {
        if (!lap_ns.empty())
            known.push_back(transfer_ns(lap_ns));
    }
    return known.empty() ? std::nullopt : std::optional(median(std::move(known)));
}

void measure_transfers(std::size_t pairs, unsigned visits, const TransferProbe& probe, const TransferSink& sink,
                       const PhraseSink& phrase_sink, const TimeIsUp& time_is_up) {
    std::vector<std::vector<std::vector<double>>> laps_of(pairs);
    visit_in_rounds(
        pairs,
        [&](std::size_t pair, unsigned round, std::size_t done) -> std::optional<bool> {
            phrase_sink(fmt::format("{} of {} rows known, round {}", done, pairs, round + 1));
            auto found = probe(pair, round);
            if (!found)
                return std::nullopt;
            laps_of[pair].push_back(std::move(found->lap_ns));
            return round + 1 == visits;
        },
        [&](std::size_t pair) { sink(pair, laps_of[pair]); }, time_is_up);
}

} // namespace memtest

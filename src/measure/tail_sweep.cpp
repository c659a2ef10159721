#include "memtest/measure/tail_sweep.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"
#include "memtest/chain/random.hpp"
#include "memtest/measure/calibration.hpp"
#include "memtest/measure/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <utility>

namespace memtest {
namespace {

// No access takes so much longer than most. A memory controller may put off eight refreshes (JESD79-4, 4.26), of 550 ns
// each in the largest chips: 4.4 us in one go. Twice that leaves room for the queues of a full load.
constexpr double longest_ns = 10'000;

/// Adds what a visit found to what is known of its row.
void join(TailSamples& row, TailSamples&& visit) {
    row.group = visit.group;
    row.made += visit.made;
    row.set_aside += visit.set_aside;
    for (const auto& [ticks, count] : visit.counts)
        row.counts[ticks] += count;
    row.cost_ticks.insert(row.cost_ticks.end(), visit.cost_ticks.begin(), visit.cost_ticks.end());
    constexpr std::size_t most_stretches = 512; // enough for any period
    if (row.stretches.size() < most_stretches)
        std::ranges::move(visit.stretches, std::back_inserter(row.stretches));
}

/// Empty when interrupted.
std::vector<LoadStep> calibrated(const TailSweep& sweep, TailProbe& probe, const PhraseSink& phrase_sink) {
    constexpr std::size_t samples = std::size_t{64} << 10U; // for some 15 ms
    const auto visit = [&](std::size_t pause) {
        phrase_sink("calibrating the loaders");
        auto found = probe.visit(
            {.bytes = sweep.sizes.back(), .round = sweep.visits, .load = {.pause = pause}, .samples = samples});
        return found ? std::move(found->batches) : std::vector<LoadBatch>{};
    };
    std::vector<double> shares;
    for (const double percent : sweep.load_percents)
        shares.push_back(percent / 100);
    return calibrate(shares, visit, sweep.loaders);
}

} // namespace

void run_tail_sweep(const TailSweep& sweep, TailProbe& probe, const TailRowSink& row_sink,
                    const PhraseSink& phrase_sink) {
    require(!sweep.sizes.empty() && sweep.visits > 0, "a size is visited");
    std::vector<LoadStep> loads{LoadStep{}};
    if (!sweep.load_percents.empty())
        std::ranges::move(calibrated(sweep, probe, phrase_sink), std::back_inserter(loads));
    struct Tail {
        LoadStep load;
        TailRow row;
    };
    std::vector<Tail> tails;
    for (const std::size_t bytes : sweep.sizes) {
        for (const LoadStep& load : loads)
            tails.push_back({.load = load, .row = {.size_bytes = bytes, .load_percent = load.load_percent}});
    }
    visit_in_rounds(
        tails.size(),
        [&](std::size_t place, unsigned round, std::size_t /*done*/) -> std::optional<bool> {
            phrase_sink(
                fmt::format("visit {} of {} to row {} of {}", round + 1, sweep.visits, place + 1, tails.size()));
            auto& [load, row] = tails[place];
            auto found = probe.visit({.bytes = row.size_bytes,
                                      .round = round,
                                      .load = load,
                                      .samples = units_for<std::size_t>(sweep.samples, sweep.visits),
                                      .group = round == 0 ? sweep.group : std::optional(row.samples.group)});
            if (!found)
                return std::nullopt;
            join(row.samples, std::move(*found));
            return round + 1 == sweep.visits;
        },
        [&](std::size_t place) { row_sink(std::exchange(tails[place].row, {})); });
}

double reading_cost(double single_ticks, double group_ticks, std::size_t group) {
    const auto hops = static_cast<double>(group);
    return (hops * single_ticks - group_ticks) / (hops - 1);
}

std::size_t group_for(double hop_ticks, double resolution_ticks) {
    constexpr double steps = 10; // so that percentiles are right to a tenth of a hop
    if (hop_ticks >= resolution_ticks)
        return 1;
    const double hops = steps * resolution_ticks / std::max(hop_ticks, steps * resolution_ticks / largest_group);
    return std::bit_ceil(static_cast<std::size_t>(std::ceil(hops)));
}

void add_stretch(TailSamples& samples, std::span<const std::uint64_t> readings, bool counts, const TickScale& scale) {
    std::vector<std::uint64_t> took;
    for (std::size_t i = 1; i < readings.size(); ++i)
        took.push_back(readings[i] - readings[i - 1]);
    samples.made += took.size();
    if (!counts) {
        samples.set_aside += took.size();
        return;
    }
    std::vector<std::uint64_t> sorted = took;
    std::ranges::sort(sorted);
    const std::uint64_t longest =
        sorted[sorted.size() / 2] + static_cast<std::uint64_t>(longest_ns / scale.ns_per_tick);
    const std::uint64_t slow = sorted[sorted.size() * 95 / 100];
    const auto cost = static_cast<std::uint64_t>(std::max(0.0, std::round(samples.cost_ticks.back())));
    SplitMix64 random(samples.made);
    Stretch& stretch = samples.stretches.emplace_back();
    stretch.ticks = static_cast<std::uint32_t>(readings.back() - readings.front());
    for (std::size_t i = 0; i < took.size(); ++i) {
        const auto at = static_cast<std::uint32_t>(readings[i] - readings.front());
        if (random.below(8) == 0) // every eighth would have a period of its own
            stretch.some_at_ticks.push_back(at);
        if (took[i] > longest)
            ++samples.set_aside;
        else
            ++samples.counts[took[i] - std::min(took[i], cost)];
        if (took[i] > slow && took[i] <= longest)
            stretch.slow.push_back({.at_ticks = at, .took_ticks = static_cast<std::uint32_t>(took[i])});
    }
}

} // namespace memtest

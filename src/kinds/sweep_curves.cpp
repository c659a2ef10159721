#include "memtest/kinds/sweep_curves.hpp"

#include "memtest/result/row_notes.hpp"
#include "memtest/result/stored_file.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace memtest {

std::vector<ThreadCurve> curves_of(const Result& sweep) {
    std::map<int, ThreadCurve> threads;
    for (const Row& row : sweep.rows_of<Row>()) {
        ThreadCurve& curve = threads[row.thread];
        const auto size_bytes = static_cast<double>(row.size_bytes);
        if (row.latency_ns)
            curve.points.push_back({.size_bytes = size_bytes,
                                    .latency_ns = *row.latency_ns,
                                    .disturbed = any_disturbing(row.notes),
                                    .contested = contested_band_of(row)});
        if (row.latency_ns && row.latency_cycles)
            curve.clocks.push_back({.size_bytes = size_bytes, .ghz = *row.latency_cycles / *row.latency_ns});
    }
    std::vector<ThreadCurve> curves;
    for (auto& [thread, curve] : threads) {
        if (curve.clocks.empty() && sweep.run.core_clock_ghz)
            curve.clocks.push_back({.ghz = *sweep.run.core_clock_ghz});
        curves.push_back({thread, make_curve(std::move(curve.points)), std::move(curve.clocks)});
    }
    return curves;
}

std::optional<ClockRange> clock_range_of(std::span<const Row> rows) {
    std::optional<ClockRange> range;
    for (const Row& row : rows) {
        if (!row.latency_ns || !row.latency_cycles)
            continue;
        const double ghz = *row.latency_cycles / *row.latency_ns;
        range = range ? ClockRange{std::min(range->lowest_ghz, ghz), std::max(range->highest_ghz, ghz)}
                      : ClockRange{ghz, ghz};
    }
    return range;
}

LatencyCurve latency_curve_of(const Result& sweep) {
    const ClockRange clock = sweep.run.core_clock_range.value_or(ClockRange{});
    constexpr double most = 10; // no clock moves by more
    const bool is_known =
        clock.lowest_ghz > 0 && clock.highest_ghz > clock.lowest_ghz && clock.highest_ghz < most * clock.lowest_ghz;
    return curve_of(sweep.rows_of<Row>(), is_known ? std::log(clock.highest_ghz / clock.lowest_ghz) : 0);
}

std::vector<ParallelChains> parallel_chains_in(std::span<const Result> parts) {
    std::vector<ParallelChains> all;
    std::optional<double> alone_ns;
    for (const Result& part : parts) {
        if (section_of_part(part.part) != "parallel" || !part.rows_of<Row>().back().latency_ns)
            continue;
        ParallelChains& some = all.emplace_back(
            ParallelChains{.chains = part.run.parallel.value_or(1), .ns = *part.rows_of<Row>().back().latency_ns});
        if (some.chains == 1)
            alone_ns = some.ns;
        if (alone_ns)
            some.times = *alone_ns / some.ns;
    }
    return all;
}

std::optional<Notice> slowed_single_chain(std::span<const ParallelChains> all) {
    constexpr double noise = 1.05;
    const auto is_too_fast = [](const ParallelChains& some) {
        return some.times && *some.times > noise * static_cast<double>(some.chains);
    };
    const auto found = std::ranges::find_if(all, is_too_fast);
    if (found == all.end())
        return std::nullopt;
    return Notice(Code::single_chain_slowed, {{"chains", found->chains}, {"times", figure(*found->times)}});
}

} // namespace memtest

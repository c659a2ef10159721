#include "memtest/kinds/sweep_curves.hpp"

#include "memtest/measure/statistics.hpp"
#include "memtest/result/row_notes.hpp"
#include "memtest/result/stored_file.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace memtest {
namespace {

/// The clocks of each thread's rows.
std::map<int, std::vector<double>> core_clocks_of(std::span<const Row> rows) {
    std::map<int, std::vector<double>> threads;
    for (const Row& row : rows) {
        if (row.latency_ns && row.latency_cycles)
            threads[row.thread].push_back(*row.latency_cycles / *row.latency_ns);
    }
    return threads;
}

} // namespace

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
    }
    const auto clocks = core_clocks_of(sweep.rows_of<Row>());
    std::vector<ThreadCurve> curves;
    for (auto& [thread, curve] : threads) {
        const auto& at_end = sweep.run.core_clocks_ghz;
        const auto place = static_cast<std::size_t>(thread);
        std::optional<double> core_ghz = sweep.run.core_clock_ghz;
        if (at_end && place < at_end->size())
            core_ghz = at_end->at(place);
        else if (const auto known = clocks.find(thread); known != clocks.end())
            core_ghz = median(known->second);
        curves.push_back({thread, make_curve(std::move(curve.points)), core_ghz});
    }
    return curves;
}

void describe_core_clock(RunDescription& run, std::span<const Row> rows) {
    const auto threads = core_clocks_of(rows);
    if (threads.empty())
        return;
    ClockRange range{threads.begin()->second.front(), threads.begin()->second.front()};
    std::vector<double> medians;
    for (const auto& [thread, clocks] : threads) {
        const auto [lowest, highest] = std::ranges::minmax(clocks);
        range = {std::min(range.lowest_ghz, lowest), std::max(range.highest_ghz, highest)};
        medians.push_back(median(clocks));
    }
    run.core_clock_range = range;
    if (medians.size() == run.threads.value_or(1)) // else some thread has none
        run.core_clocks_ghz = medians;
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
    const auto share_of_chains = [](const ParallelChains& some) {
        return some.times.value_or(0) / static_cast<double>(some.chains);
    };
    const auto found = std::ranges::max_element(all, {}, share_of_chains);
    if (found == all.end() || share_of_chains(*found) <= noise)
        return std::nullopt;
    return Notice(Code::single_chain_slowed,
                  {{"chains", found->chains}, {"times", figure(*found->times, decimals(1))}});
}

} // namespace memtest

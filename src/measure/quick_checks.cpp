#include "memtest/measure/quick_checks.hpp"

#include "memtest/chain/chains.hpp"
#include "memtest/machine/arena.hpp"
#include "memtest/measure/walker.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <future>
#include <iterator>
#include <limits>
#include <thread>

namespace memtest {
namespace {

/// The rows of the first thread that have a latency.
std::vector<Row> first_thread(std::span<const Row> rows) {
    std::vector<Row> known;
    std::ranges::copy_if(rows, std::back_inserter(known),
                         [](const Row& row) { return row.thread == 0 && row.latency_ns; });
    return known;
}

/// Interpolated between the rows in log latency over log size; std::nullopt outside. @param rows with a latency
std::optional<double> latency_at(std::span<const Row> rows, std::size_t size_bytes) {
    const auto above = std::ranges::lower_bound(rows, size_bytes, {}, &Row::size_bytes);
    if (above == rows.end())
        return std::nullopt;
    if (above->size_bytes == size_bytes)
        return above->latency_ns;
    if (above == rows.begin())
        return std::nullopt;
    const Row& below = *std::prev(above);
    const auto octaves = [&](std::size_t bytes) {
        return std::log2(static_cast<double>(bytes) / static_cast<double>(below.size_bytes));
    };
    return *below.latency_ns *
           std::pow(*above->latency_ns / *below.latency_ns, octaves(size_bytes) / octaves(above->size_bytes));
}

constexpr std::uint64_t cycles = 3;
constexpr int first_later_lap = 3;
constexpr int later_laps = 5;
constexpr double unknown = std::numeric_limits<double>::infinity();
constexpr std::size_t most_lines = std::size_t{1} << 14U; // some milliseconds a lap

double lap_ns(const FreshCycle& cycle, Clock& clock) {
    const std::uint64_t start_ns = clock.now_ns();
    const std::size_t made = cycle.walk(static_cast<std::size_t>(cycle.lap));
    return static_cast<double>(clock.now_ns() - start_ns) / static_cast<double>(made);
}

} // namespace

std::optional<FollowedStride> followed_stride(std::span<const Row> strided, std::span<const Row> random) {
    constexpr double far_below = 0.5; // cheaper page walks alone cannot explain more
    const std::vector<Row> strided_rows = first_thread(strided);
    std::vector<FollowedStride> compared; // each size as if it were the first and the last
    for (const Row& row : first_thread(random)) {
        const auto strided_ns = latency_at(strided_rows, row.size_bytes);
        if (strided_ns && row.visits_made != 1U)
            compared.push_back({.from_bytes = row.size_bytes,
                                .last_bytes = row.size_bytes,
                                .strided_ns = *strided_ns,
                                .random_ns = *row.latency_ns});
    }
    const auto is_followed = [&](std::size_t place) {
        return compared[place].strided_ns < far_below * compared[place].random_ns;
    };
    for (std::size_t place = 0; place + 1 < compared.size(); ++place) {
        if (is_followed(place) && is_followed(place + 1)) {
            FollowedStride followed = compared.back();
            followed.from_bytes = compared[place].from_bytes;
            return followed;
        }
    }
    return std::nullopt;
}

std::optional<ChainTimes> time_laps(const FreshCycle& cycle, Clock& clock, const std::atomic<bool>& interrupted) {
    ChainTimes times{.foreseen_ns = 0, .unforeseen_ns = unknown};
    for (std::uint64_t seed = 1; seed <= cycles; ++seed) {
        cycle.link(seed, Link::pointer);
        double later_ns = unknown;
        for (int lap = 0; lap <= later_laps; ++lap) {
            if (!cycle.flush() || interrupted.load(std::memory_order_relaxed))
                return std::nullopt;
            const double ns = lap_ns(cycle, clock);
            if (lap == 0)
                times.unforeseen_ns = std::min(times.unforeseen_ns, ns);
            if (lap >= first_later_lap)
                later_ns = std::min(later_ns, ns);
        }
        times.foreseen_ns = std::max(times.foreseen_ns, later_ns);
    }
    return times;
}

std::optional<ChainTimes> time_links(const FreshCycle& cycle, Clock& clock, const std::atomic<bool>& interrupted) {
    ChainTimes times{.foreseen_ns = unknown, .unforeseen_ns = unknown};
    for (std::uint64_t seed = 1; seed <= cycles; ++seed) {
        for (const Link link : {Link::pointer, Link::index}) {
            cycle.link(seed, link);
            if (!cycle.flush() || interrupted.load(std::memory_order_relaxed))
                return std::nullopt;
            double& ns = link == Link::pointer ? times.foreseen_ns : times.unforeseen_ns;
            ns = std::min(ns, lap_ns(cycle, clock));
        }
    }
    return times;
}

bool are_foreseen(const ChainTimes& times) {
    constexpr double clearly_below = 0.8;
    return times.foreseen_ns < clearly_below * times.unforeseen_ns;
}

std::optional<ChainTimes> foreseen_at_three_moments(const std::function<std::optional<ChainTimes>()>& measure,
                                                    const std::function<void()>& wait) {
    constexpr int moments = 3;
    for (int moment = 1;; ++moment) {
        const std::optional<ChainTimes> times = measure();
        if (!times || !are_foreseen(*times))
            return std::nullopt;
        if (moment == moments)
            return times;
        wait();
    }
}

ForeseenChains quick_foreseen_chains(const TeamPlan& plan, const SystemFiles& files,
                                     const std::atomic<bool>& interrupted) {
    const std::size_t lines = std::min(most_lines, plan.largest_bytes / plan.shape.line_bytes);
    const std::size_t bytes = lines * plan.shape.line_bytes;
    const auto measure = [&] { // to run where the team's first thread ran
        const Placement placement = bound_to(placement_of(plan, 0));
        const Arena arena = area_of(placement, bytes, plan.pages, files);
        std::optional<Chains> chains;
        MonotonicClock clock;
        const FreshCycle cycle{.lap = lines,
                               .link =
                                   [&](std::uint64_t seed, Link link) {
                                       chains.emplace(arena.memory(), ChainShape{.order = Order::random,
                                                                                 .link = link,
                                                                                 .line_bytes = plan.shape.line_bytes,
                                                                                 .seed = seed});
                                       chains->grow_to(bytes);
                                   },
                               .walk = [&](std::size_t accesses) { return chains->walk(accesses); },
                               .flush = [&] { return chains->flush(); }};
        const auto wait = [] { std::this_thread::sleep_for(std::chrono::milliseconds(500)); };
        const auto foreseen = [&](const auto& time) {
            return foreseen_at_three_moments([&] { return time(cycle, clock, interrupted); }, wait);
        };
        return ForeseenChains{.learned = foreseen(time_laps), .followed = foreseen(time_links)};
    };
    try {
        return std::async(std::launch::async, measure).get();
    } catch (const std::exception&) { // no memory for a check that nobody requested
        return {};
    }
}

ChainShape unforeseen(ChainShape shape, const ForeseenChains& foreseen) {
    constexpr unsigned enough_orders = 7; // which leaves a word of most lines for a chain that is linked once
    if (foreseen.learned)
        shape.orders = std::max(shape.orders, std::min(enough_orders, most_orders(shape.line_bytes)));
    if (foreseen.followed)
        shape.link = Link::index;
    return shape;
}

} // namespace memtest

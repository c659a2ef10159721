#include "memtest/insight/load_curve.hpp"

#include "memtest/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace memtest {
namespace {

/// How far the visits to a point disagree, in ns.
std::optional<double> noise_ns(const LoadRow& point) {
    return point.visits_percent ? std::optional(*point.latency_ns * *point.visits_percent / 100) : std::nullopt;
}

/// The standard deviation of the logarithm of a latency, as its batches show it, but that of memory at least.
double log_noise(const LoadRow& point) {
    constexpr double per_quartiles = 0.25; // batches of a moment are alike, and moments differ
    constexpr double least = 0.02;
    const double ns = *point.latency_ns;
    return std::max(least,
                    per_quartiles * (point.latency_high_ns.value_or(ns) - point.latency_low_ns.value_or(ns)) / ns);
}

/// @param unloaded all points without load, one or more, whose differences show how far the machine drifted
/// @param loads with the points next to the peak, which show whether that was an odd moment
void compare_peak(LoadCurve& curve, std::span<const LoadRow> unloaded, std::span<const LoadRow> loads) {
    constexpr double next_to_peak = 0.95;
    curve.near_peak_low_ns = curve.near_peak_high_ns = *curve.peak->latency_ns;
    double lowest = std::numeric_limits<double>::infinity(); // change, less its noise
    double highest = -lowest;
    for (const LoadRow& load : loads) {
        if (*load.bytes_per_ns < next_to_peak * *curve.peak->bytes_per_ns)
            continue;
        curve.near_peak_low_ns = std::min(curve.near_peak_low_ns, *load.latency_ns);
        curve.near_peak_high_ns = std::max(curve.near_peak_high_ns, *load.latency_ns);
        for (const LoadRow& idle : unloaded) {
            const double change = std::log(*load.latency_ns / *idle.latency_ns);
            const double noise = deviations * std::hypot(log_noise(load), log_noise(idle));
            lowest = std::min(lowest, change - noise);
            highest = std::max(highest, change + noise);
        }
    }
    curve.peak_differs = (lowest > 0 || highest < 0) && !is_of_one_moment(*curve.peak);
}

/// @param asleep idle, before the load and after it
bool differs(const LoadRow& awake, std::span<const LoadRow> asleep) {
    constexpr double least_share = 0.05; // by default two rows are each known to 2 %, and may be 4 % apart
    const auto is_apart = [&](bool awake_is_faster) {
        return std::ranges::all_of(asleep, [&](const LoadRow& idle) {
            const double apart_ns = (awake_is_faster ? 1 : -1) * (*idle.latency_ns - *awake.latency_ns);
            const auto noise = noise_ns(awake);
            const auto idle_noise = noise_ns(idle);
            return noise && idle_noise && apart_ns > *noise + *idle_noise && apart_ns >= least_share * *idle.latency_ns;
        });
    };
    return !asleep.empty() && (is_apart(true) || is_apart(false));
}

/// @param most_ns the highest latency up to the knee
void find_knee(LoadCurve& curve, std::vector<LoadRow> loads, double most_ns) {
    std::ranges::sort(loads, {},
                      [](const LoadRow& point) { return std::pair(*point.bytes_per_ns, *point.latency_ns); });
    const auto exceeds = [&](const LoadRow& point, const std::optional<double>& quartile_ns) {
        return quartile_ns.value_or(*point.latency_ns) > most_ns;
    };
    for (const LoadRow& point : loads) {
        if (*point.latency_ns <= most_ns)
            curve.knee = point;
        else
            curve.exceeds_knee_times = true;
    }
    for (auto point = loads.begin(); point != loads.end() && !exceeds(*point, point->latency_high_ns); ++point)
        curve.knee_low_bytes_per_ns = point->bytes_per_ns;
    for (auto point = loads.rbegin(); point != loads.rend() && exceeds(*point, point->latency_low_ns); ++point)
        curve.knee_high_bytes_per_ns = point->bytes_per_ns;
}

} // namespace

bool is_of_one_moment(const LoadRow& row) {
    return has_note(row, LoadNote::few) || row.visits == 1;
}

std::vector<double> wanted_loads(std::size_t points, std::span<const LoadPair> known, std::optional<double> idle_ns) {
    double peak = 0;
    double knee = 0;
    for (const LoadPair& pair : known) {
        peak = std::max(peak, pair.lines_per_ns);
        if (idle_ns && pair.latency_ns <= knee_times * *idle_ns)
            knee = std::max(knee, pair.lines_per_ns);
    }
    // From one point to the next this share of the points grows evenly: most of it with the bandwidth, the rest from
    // low to high.
    constexpr double even = 2.0 / 3;
    const double low = 0.8 * knee;
    const double high = std::min(1.2 * knee, peak);
    const double share_at_low = even * low / peak;
    const double share_at_high = share_at_low + even * (high - low) / peak + 1 - even;
    std::vector<double> wanted;
    for (std::size_t point = 1; point <= points; ++point) {
        const double share = static_cast<double>(point) / static_cast<double>(points);
        wanted.push_back(knee <= 0              ? share * peak
                         : share < share_at_low ? share / even * peak
                         : share > share_at_high
                             ? (1 - (1 - share) / even) * peak
                             : std::lerp(low, high, (share - share_at_low) / (share_at_high - share_at_low)));
    }
    return wanted;
}

LoadCurve read_load_curve(std::span<const LoadRow> rows) {
    LoadCurve curve;
    std::vector<LoadRow> asleep;
    std::optional<LoadRow> awake;
    std::vector<LoadRow> loads;
    for (const LoadRow& row : rows) {
        if (!row.latency_ns || !row.bytes_per_ns)
            continue;
        if (row.load_percent > 0) {
            loads.push_back(row);
            curve.several += has_note(row, LoadNote::several) ? 1U : 0U;
        } else if (is_awake(row)) {
            awake = row;
            curve.awake_ns = row.latency_ns;
        } else {
            (loads.empty() ? curve.idle_ns : curve.idle_last_ns) = row.latency_ns;
            asleep.push_back(row);
        }
    }
    curve.under_load = loads.size();
    curve.reaches_full_load = std::ranges::any_of(loads, [](const LoadRow& row) { return row.load_percent >= 100; });
    if (!loads.empty())
        curve.peak = *std::ranges::max_element(loads, {}, &LoadRow::bytes_per_ns);
    curve.awake_differs = awake && differs(*awake, asleep);
    if (awake)
        asleep.push_back(*awake);
    if (curve.peak && !asleep.empty())
        compare_peak(curve, asleep, loads);
    if (const auto unloaded_ns = curve.unloaded_ns())
        find_knee(curve, std::move(loads), knee_times * *unloaded_ns);
    return curve;
}

} // namespace memtest

#include "memtest/insight/translation.hpp"

#include "memtest/insight/cache_edge.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace memtest {
namespace {

// The constants below were chosen on 159 simulated TLBs of each of four kinds of walks, and on 13 runs on a Zen 5.

/// A walk just beyond the last entry finds its tables in L1 or L2: 30 cycles on Zen 5, 44 on Zen 4. Without these
/// limits, slow walks after sets that fill by chance fit as well as quick walks that grow, with 1.5 times the entries.
constexpr double least_walk_cycles = 10;
constexpr double most_walk_cycles = 70;

/// Of the walks, per doubling of the pages, as an exponent of 2. Nested tables grow by 1.3 and up to 5 within the
/// first doubling, a single one by 0.4.
constexpr double step_of_growth = 0.5;
constexpr int growths = 10; // steps of it, above 0

/// How much less likely, in units of half a squared standard error, a doubling more of growth and random replacement
/// are: most walks grow slowly, and most TLBs keep what was used recently.
constexpr double cost_of_growth = 1;
constexpr double cost_of_random = 3;

/// A point that costs this much more than a hit, as a share of it and at least a cycle, has misses.
constexpr double least_miss = 0.5;

// The fit looks from so many times below the point at which misses begin to so many times above it: walks grow less
// regularly farther on.
constexpr double times_below = 2.5;
constexpr double times_above = 1.8;

/// How accurate a cost is: as a share of it, and in cycles.
constexpr double relative_error = 0.08;
constexpr double error_cycles = 0.3;

constexpr double plain_errors = 3; ///< errors above this weigh linearly (Huber 1964)
constexpr double range_cost = 6;   ///< 2.4 standard errors, squared

struct Point {
    double pages = 0;
    double miss_ns = 0; ///< above a hit
    double error_ns = 0;
};

/// The points around the one at which misses begin, and that one.
struct Surroundings {
    std::vector<Point> points;
    double onset = 0;
};

Surroundings surroundings(TranslationCurve curve, std::size_t top, double hit_ns, double cycle_ns) {
    const auto misses = [&](const TranslationPoint& point) {
        return smallest_of(point).translation_ns() >= hit_ns + std::max(least_miss * hit_ns, cycle_ns);
    };
    const auto to_top = curve.first(top + 1);
    const auto last_hit = std::find_if_not(to_top.rbegin(), to_top.rend() - 1, misses);
    const auto onset = last_hit == to_top.rbegin() ? to_top.end() - 1 : last_hit.base();
    Surroundings result{.points = {}, .onset = static_cast<double>(onset->pages)};
    for (const TranslationPoint& point : curve) {
        const auto pages = static_cast<double>(point.pages);
        const double cost_ns = smallest_of(point).translation_ns();
        if (pages >= result.onset / times_below && pages <= result.onset * times_above)
            result.points.push_back(
                {pages, cost_ns - hit_ns, relative_error * std::max(cost_ns, 0.0) + error_cycles * cycle_ns});
    }
    return result;
}

/// What is left of the points after the best walk between the limits, in squared errors.
double cost_of(std::span<const Point> points, std::span<const double> misses, double cycle_ns) {
    double upper = 0;
    double lower = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double weight = 1 / (points[i].error_ns * points[i].error_ns);
        upper += weight * misses[i] * points[i].miss_ns;
        lower += weight * misses[i] * misses[i];
    }
    const double walk_ns =
        std::clamp(lower > 0 ? upper / lower : 0, least_walk_cycles * cycle_ns, most_walk_cycles * cycle_ns);
    double cost = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double errors = std::abs(points[i].miss_ns - walk_ns * misses[i]) / points[i].error_ns;
        cost += errors <= plain_errors ? errors * errors : plain_errors * (2 * errors - plain_errors);
    }
    return cost;
}

} // namespace

TlbEdge fit_second_tlb(TranslationCurve curve, std::size_t top, double hit_ns, double cycle_ns) {
    constexpr double steps = 32; // of a doubling
    struct Candidate {
        double entries;
        double cost;
    };
    const auto around = surroundings(curve, top, hit_ns, cycle_ns);
    const auto& points = around.points;
    const double onset = around.onset;
    std::vector<Candidate> fits;
    std::vector<double> shares(points.size());
    std::vector<double> misses(points.size());
    double least = std::numeric_limits<double>::infinity();
    const auto add = [&](const CacheEdge& edge) {
        for (std::size_t i = 0; i < points.size(); ++i)
            shares[i] = miss_share(edge, points[i].pages);
        for (int number = 0; number <= growths; ++number) {
            const double growth = number * step_of_growth;
            for (std::size_t i = 0; i < points.size(); ++i)
                misses[i] = shares[i] * std::pow(std::max(points[i].pages / edge.capacity_bytes, 1.0), growth);
            const double cost = cost_of(points, misses, cycle_ns) + cost_of_growth * growth +
                                (edge.random_share > 0 ? cost_of_random : 0);
            fits.push_back({edge.capacity_bytes, cost});
            least = std::min(least, cost);
        }
    };
    for (int step = 0; step <= 55; ++step) { // from 0.75 to 2.5 times the onset
        const double entries = 0.75 * onset * std::exp2(step / steps);
        for (const int ways : {0, 48, 16, 8, 4}) {
            add({.capacity_bytes = entries, .ways = ways});
            add({.capacity_bytes = entries, .random_share = 1, .ways = ways, .once_per_lap = true});
        }
    }
    // Where nothing fits, the points are less accurate than was assumed.
    const double scale = std::max(1.0, least / std::max(static_cast<double>(points.size()) - 4, 1.0));
    TlbEdge result{.least_entries = std::numeric_limits<double>::infinity()};
    double weights = 0;
    double doublings = 0;
    for (const Candidate& fit : fits) {
        const double worse = (fit.cost - least) / scale;
        const double weight = std::exp(-worse / 2);
        weights += weight;
        doublings += weight * std::log2(fit.entries);
        if (worse <= range_cost) {
            result.least_entries = std::min(result.least_entries, fit.entries);
            result.most_entries = std::max(result.most_entries, fit.entries);
        }
    }
    // Many that fit a little worse than the range may outweigh those inside it.
    result.entries = std::clamp(std::exp2(doublings / weights), result.least_entries, result.most_entries);
    return result;
}

} // namespace memtest

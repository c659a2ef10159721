#include "memtest/insight/cache_edge.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace memtest {
namespace {

/// The share h = exp(-(1 - h) / held) of the lines, by Newton's method. @param held capacity over size, below 1
double solve_hits_once_per_lap(double held) {
    double hits = 0;
    double step = 1;
    while (step > 1e-9) { // from below, so every step goes up
        const double still_there = std::exp(-(1 - hits) / held);
        step = (still_there - hits) / (1 - still_there / held);
        hits += step;
    }
    return hits;
}

/// The same, interpolated: a fit asks for it some ten thousand times.
double hits_once_per_lap(double held) {
    constexpr std::size_t parts = 1024;
    static const std::array<double, parts + 1> table = [] {
        std::array<double, parts + 1> hits{};
        for (std::size_t i = 1; i < parts; ++i)
            hits[i] = solve_hits_once_per_lap(static_cast<double>(i) / parts);
        hits[parts] = 1;
        return hits;
    }();
    const double place = held * parts;
    const auto below = std::min(static_cast<std::size_t>(place), parts - 1);
    return std::lerp(table[below], table[below + 1], place - static_cast<double>(below));
}

/// @param load the working set over the capacity
double even_miss_share(const CacheEdge& edge, double load) {
    if (load <= 1)
        return 0;
    return 1 - edge.random_share * (edge.once_per_lap ? hits_once_per_lap(1 / load) : 1 / load);
}

/// The same if a line shares its set with a Poisson-distributed number of others.
double uneven_miss_share(const CacheEdge& edge, double load) {
    const double expected = load * edge.ways;
    constexpr double most_expected = 700; // the chance of no other would be 0; so many fill the sets all but evenly
    if (expected > most_expected)
        return even_miss_share(edge, load);
    double misses = 0;
    double likely = 0; // that at most this many others share the set
    double chance = std::exp(-expected);
    for (int others = 0; likely < 0.9999 && others < 2 * expected + 20; ++others) {
        misses += chance * even_miss_share(edge, (others + 1.0) / edge.ways);
        likely += chance;
        chance *= expected / (others + 1);
    }
    return misses + (1 - likely);
}

constexpr double lightest = 1.0 / 16; // load at which hardly any set overflows
constexpr double heaviest = 16;       // load at which each set holds what an even one does

constexpr int table_parts = 32; // of a doubling

/// The shares of misses by load, tabulated: a fit asks for them some ten thousand times.
using MissTable = std::array<double, std::size_t{8} * table_parts + 2>;

MissTable tabulated(const CacheEdge& edge) {
    MissTable table{};
    for (std::size_t i = 0; i < table.size(); ++i)
        table.at(i) = uneven_miss_share(edge, lightest * std::exp2(static_cast<double>(i) / table_parts));
    return table;
}

double share_at(const MissTable& table, double load) {
    const double place = table_parts * std::log2(load / lightest);
    const auto below = static_cast<std::size_t>(place);
    return std::lerp(table.at(below), table.at(below + 1), place - static_cast<double>(below));
}

/// A table for each way to fill the sets: abrupt, in proportion, and once per lap.
const std::vector<MissTable>& uneven_misses(int ways) {
    static std::map<int, std::vector<MissTable>> tables;
    static std::mutex mutex;
    const std::scoped_lock lock(mutex);
    std::vector<MissTable>& made = tables[ways];
    if (made.empty())
        made = {tabulated({.ways = ways}), tabulated({.random_share = 1, .ways = ways}),
                tabulated({.random_share = 1, .ways = ways, .once_per_lap = true})};
    return made;
}

/// The best factors, and the cost of the remaining errors.
struct LatencyFit {
    double scale = 0;
    double step = 0;
    double cost = 0;
};

/// The components of the latency of a point, as shares of it, so that errors are relative.
struct Shares {
    double below = 0;
    double missed = 0;
    double weight = 1;
};

/// Solves 1 = scale * below + step * missed for all points, by iteratively reweighted least squares. Gives up and
/// returns an empty fit if the errors cost more than `hopeless` in any round.
LatencyFit fit_latencies(std::span<Shares> points, double plain_error, double hopeless) {
    LatencyFit fit;
    for (Shares& point : points)
        point.weight = 1;
    bool settled = false;
    for (int round = 0; round < 3 && !settled; ++round) {
        double bb = 0;
        double bm = 0;
        double mm = 0;
        double b = 0;
        double m = 0;
        for (const auto& [below, missed, weight] : points) {
            bb += weight * below * below;
            bm += weight * below * missed;
            mm += weight * missed * missed;
            b += weight * below;
            m += weight * missed;
        }
        const double determinant = bb * mm - bm * bm;
        if (determinant <= 1e-12 * bb * mm)
            return {}; // no point lies beyond the edge
        fit = {(b * mm - m * bm) / determinant, (m * bb - b * bm) / determinant, 0};
        settled = round == 0;
        for (auto& [below, missed, weight] : points) {
            const double error = std::abs(fit.scale * below + fit.step * missed - 1);
            const bool is_plain = error <= plain_error;
            fit.cost += is_plain ? error * error : plain_error * (2 * error - plain_error);
            if (fit.cost > hopeless)
                return {};
            weight = is_plain ? 1 : plain_error / error;
            settled = settled && is_plain; // all weigh the same, so another round would change nothing
        }
    }
    return fit;
}

std::vector<double> candidates(Curve points, double from, double to) {
    std::vector<double> result;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        const double size = points[i].size_bytes;
        const double step = points[i + 1].size_bytes / size;
        if (size < from || size >= to)
            continue;
        const int parts = std::clamp(static_cast<int>(std::ceil(std::log2(step) * 16)), 1, 16);
        for (int part = 0; part < parts; ++part)
            result.push_back(size * std::pow(step, static_cast<double>(part) / parts));
    }
    return result;
}

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Fits edges to the same points, one after the other.
class EdgeFits {
public:
    EdgeFits(Curve points, std::span<const double> below, const LevelRules& rules) : points_(points), rules_(rules) {
        for (std::size_t i = 0; i < points.size(); ++i)
            shares_.push_back({.below = below[i] / points[i].latency_ns});
    }

    /// Fits the edges of this capacity, whatever the replacement.
    void add(double capacity, int ways) {
        const std::vector<double> abrupt = misses({capacity, 0, ways});
        for (const bool once_per_lap : {false, true}) {
            const std::vector<double> random = misses({capacity, 1, ways, once_per_lap});
            for (int eighths = once_per_lap ? 1 : 0; eighths <= 8; ++eighths) {
                const CacheEdge edge{capacity, eighths / 8.0, ways, once_per_lap};
                const auto cost =
                    cost_of([&](std::size_t i) { return abrupt[i] - edge.random_share * (abrupt[i] - random[i]); });
                if (!cost)
                    continue;
                fits_.push_back({edge, ways > 0 ? *cost / (1 - rules_.uneven_gain) : *cost, scale_});
                least_ = std::min(least_, fits_.back().cost);
            }
        }
    }

    [[nodiscard]] bool is_empty() const { return fits_.empty(); }

    /// @param is_dense whether few ways were tried
    [[nodiscard]] EdgeFit best(bool is_dense) const {
        const std::vector<Fit> as_good = fits_within(1);
        const auto is_even = [](const Fit& fit) { return fit.edge.ways == 0; };
        const auto abrupt =
            std::ranges::find_if(as_good, [&](const Fit& fit) { return fit.edge.random_share == 0 && is_even(fit); });
        // An even edge explains as much with one parameter less.
        const bool some_even = std::ranges::any_of(as_good, is_even);
        const auto largest = std::ranges::max_element(
            as_good, {}, [&](const Fit& fit) { return some_even && !is_even(fit) ? 0 : fit.edge.capacity_bytes; });
        const Fit one = abrupt != as_good.end() ? *abrupt : *largest;
        const bool is_unsure = is_dense && !is_even(one);
        const Fit best = is_unsure ? middle() : one;
        const double errors = rules_.range_errors * (is_unsure ? rules_.uneven_errors : 1);
        const auto [least, most] = std::ranges::minmax(fits_within(errors), {}, capacity_of);
        const auto [open_least, open_most] = std::ranges::minmax(fits_within(rules_.open_errors), {}, capacity_of);
        return {.edge = best.edge,
                .least_capacity_bytes = capacity_of(least),
                .most_capacity_bytes = capacity_of(most),
                .scale = best.scale,
                .is_open = capacity_of(open_most) > rules_.most_open * capacity_of(open_least)};
    }

    /// Whether page colours that fill by chance fit as well as the best edge.
    [[nodiscard]] bool is_like_colours_of(double capacity) {
        const auto cost = cost_of([&](std::size_t i) {
            return miss_share({capacity, 0, 2}, points_[i].size_bytes) / points_[i].latency_ns;
        });
        return cost && *cost <= most_within(rules_.range_errors);
    }

private:
    struct Fit {
        CacheEdge edge;
        double cost;
        double scale;
    };

    static double capacity_of(const Fit& fit) { return fit.edge.capacity_bytes; }

    /// Those within this many standard errors of the best.
    [[nodiscard]] std::vector<Fit> fits_within(double errors) const {
        std::vector<Fit> fits;
        std::ranges::copy_if(fits_, std::back_inserter(fits),
                             [&](const Fit& fit) { return fit.cost <= most_within(errors); });
        return fits;
    }

    /// The best fit of the mean capacity, weighed by how well each explains the curve. Few ways whose lines stay look
    /// like more ways of half the size with random replacement, and which of the two fits better hangs on how the pages
    /// happened to fall, which is the same for all points.
    [[nodiscard]] Fit middle() const {
        std::vector<Fit> uneven;
        std::ranges::copy_if(fits_, std::back_inserter(uneven), [](const Fit& fit) { return fit.edge.ways > 0; });
        double weights = 0;
        double sum = 0;
        for (const Fit& fit : uneven) {
            const double errors = std::sqrt((fit.cost / least_ - 1) * count()) / rules_.uneven_errors;
            const double weight = std::exp(-errors * errors / 2);
            weights += weight;
            sum += weight * std::log2(capacity_of(fit));
        }
        const double mean = std::exp2(sum / weights);
        const auto distance = [mean](const Fit& fit) { return std::abs(doublings(capacity_of(fit), mean)); };
        const double nearest = distance(*std::ranges::min_element(uneven, {}, distance));
        return *std::ranges::min_element(uneven, {}, [&](const Fit& fit) {
            double cost = fit.cost;
            if (distance(fit) > nearest)
                cost = infinity;
            return cost;
        });
    }

    /// The share of misses at each point, as Shares count it.
    [[nodiscard]] std::vector<double> misses(const CacheEdge& edge) const {
        std::vector<double> result;
        for (const CurvePoint& point : points_)
            result.push_back(miss_share(edge, point.size_bytes) / point.latency_ns);
        return result;
    }

    /// The cost of these misses at each point; std::nullopt if they do not explain the curve.
    template<typename MissShare>
    std::optional<double> cost_of(const MissShare& missed) {
        for (std::size_t i = 0; i < points_.size(); ++i)
            shares_[i].missed = missed(i);
        const LatencyFit fit = fit_latencies(shares_, rules_.plain_error, 2 * most_within(rules_.range_errors));
        if (fit.scale <= 0 || fit.step <= 0)
            return std::nullopt;
        scale_ = fit.scale;
        return fit.cost + count() * rules_.least_error * rules_.least_error;
    }

    /// The max cost of a fit within this many standard errors of the best.
    [[nodiscard]] double most_within(double errors) const { return least_ * (1 + errors * errors / count()); }

    [[nodiscard]] double count() const { return static_cast<double>(points_.size()); }

    Curve points_;
    LevelRules rules_;
    std::vector<Shares> shares_;
    std::vector<Fit> fits_;
    double scale_ = 1; ///< of the last cost
    double least_ = infinity;
};

} // namespace

double miss_share(const CacheEdge& edge, double size_bytes) {
    const double load = size_bytes / edge.capacity_bytes;
    if (edge.ways == 0 || load >= heaviest)
        return even_miss_share(edge, load);
    if (load <= lightest)
        return 0;
    const std::vector<MissTable>& tables = uneven_misses(edge.ways);
    const MissTable& abrupt = tables[0];
    const MissTable& random = tables[edge.once_per_lap ? 2 : 1];
    if (edge.random_share == 0 || edge.random_share == 1) // what a fit asks for
        return share_at(edge.random_share == 0 ? abrupt : random, load);
    return std::lerp(share_at(abrupt, load), share_at(random, load), edge.random_share);
}

EdgeFit fit_edge(Curve points, std::span<const double> below, double from_bytes, double to_bytes,
                 const LevelRules& rules) {
    constexpr std::array every_ways{0, 48, 16, 8, 4};
    const double span = doublings(points.front().size_bytes, points.back().size_bytes);
    const bool is_dense = static_cast<double>(points.size() - 1) > rules.dense_points_per_doubling * span;
    EdgeFits fits(points, below, rules);
    for (const double capacity : candidates(points, from_bytes, to_bytes)) {
        for (const int ways : is_dense ? std::span<const int>(every_ways) : std::span(every_ways).first(3))
            fits.add(capacity, ways);
    }
    if (fits.is_empty())
        return {.edge = {from_bytes, 0, 0},
                .least_capacity_bytes = from_bytes,
                .most_capacity_bytes = to_bytes,
                .is_open = true};
    EdgeFit best = fits.best(is_dense);
    constexpr double most_times_larger = 4; // beyond that, colours miss 9 % at the capacity found
    const std::vector<double> larger =
        candidates(points, best.edge.capacity_bytes, most_times_larger * best.edge.capacity_bytes);
    best.like_page_colours =
        std::ranges::any_of(larger, [&fits](double capacity) { return fits.is_like_colours_of(capacity); });
    return best;
}

} // namespace memtest

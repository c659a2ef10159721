#include "memtest/insight/cache_edge.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace memtest {
namespace {

/// Seven equally likely values of a normal distribution: the medians of its sevenths.
constexpr std::array<double, 7> sevenths = {-1.4652, -0.7916, -0.3661, 0, 0.3661, 0.7916, 1.4652};

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

double even_miss_share(const CacheEdge& edge, double capacity, double size) {
    if (size <= capacity)
        return 0;
    const double held = capacity / size;
    return 1 - edge.random_share * (edge.once_per_lap ? hits_once_per_lap(held) : held);
}

/// The best factors, and the cost of the remaining errors.
struct LatencyFit {
    double scale = 0;
    double step = 0;
    double cost = 0;
};

/// What goes into the latency of a point, as shares of it, so that errors are relative.
struct Shares {
    double below = 0;
    double missed = 0;
};

/// 1 = scale * below + step * missed for every point, by iteratively reweighted least squares. Gives up, with nothing,
/// when the errors cost more than `hopeless` in any round.
LatencyFit fit_latencies(std::span<const Shares> points, double plain_error, double hopeless) {
    LatencyFit fit;
    std::vector<double> weights(points.size(), 1);
    bool settled = false;
    for (int round = 0; round < 3 && !settled; ++round) {
        double bb = 0;
        double bm = 0;
        double mm = 0;
        double b = 0;
        double m = 0;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const auto [below, missed] = points[i];
            bb += weights[i] * below * below;
            bm += weights[i] * below * missed;
            mm += weights[i] * missed * missed;
            b += weights[i] * below;
            m += weights[i] * missed;
        }
        const double determinant = bb * mm - bm * bm;
        if (determinant <= 1e-12 * bb * mm)
            return {}; // no point lies beyond the edge
        fit = {(b * mm - m * bm) / determinant, (m * bb - b * bm) / determinant, 0};
        settled = round == 0;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double error = std::abs(fit.scale * points[i].below + fit.step * points[i].missed - 1);
            const bool is_plain = error <= plain_error;
            fit.cost += is_plain ? error * error : plain_error * (2 * error - plain_error);
            weights[i] = is_plain ? 1 : plain_error / error;
            settled = settled && is_plain; // all weigh the same, so another round would find the same
        }
        if (fit.cost > hopeless)
            return {};
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

/// The share of misses of a cache with two ways whose page colours fill by chance: more than one other page has the
/// colour of a page.
double miss_share_of_colours(double capacity, double size) {
    const double pages_per_colour = 2 * size / capacity;
    return 1 - (1 + pages_per_colour) * std::exp(-pages_per_colour);
}

/// Fits edges to the same points, one after the other.
class EdgeFits {
public:
    EdgeFits(Curve points, std::span<const double> below, const LevelRules& rules) : points_(points), rules_(rules) {
        for (std::size_t i = 0; i < points.size(); ++i)
            shares_.push_back({.below = below[i] / points[i].latency_ns});
    }

    /// Fits the edges of this capacity, whatever the replacement.
    void add(double capacity, double spread) {
        for (const bool once_per_lap : {false, true}) {
            const std::vector<double> abrupt = misses({capacity, 0, spread});
            const std::vector<double> random = misses({capacity, 1, spread, once_per_lap});
            for (int eighths = once_per_lap ? 1 : 0; eighths <= 8; ++eighths) {
                const CacheEdge edge{capacity, eighths / 8.0, spread, once_per_lap};
                const auto cost =
                    cost_of([&](std::size_t i) { return abrupt[i] - edge.random_share * (abrupt[i] - random[i]); });
                if (!cost)
                    continue;
                fits_.push_back({edge, spread > 0 ? *cost / (1 - rules_.spread_gain) : *cost});
                least_ = std::min(least_, fits_.back().cost);
            }
        }
    }

    [[nodiscard]] bool is_empty() const { return fits_.empty(); }

    [[nodiscard]] EdgeFit best() const {
        const std::vector<CacheEdge> as_good = edges_within(1);
        const auto abrupt = std::ranges::find_if(
            as_good, [](const CacheEdge& edge) { return edge.random_share == 0 && edge.spread == 0; });
        constexpr auto capacity = &CacheEdge::capacity_bytes;
        const auto largest = std::ranges::max_element(as_good, {}, capacity);
        const auto [least, most] = std::ranges::minmax(edges_within(rules_.range_errors), {}, capacity);
        const auto [open_least, open_most] = std::ranges::minmax(edges_within(rules_.open_errors), {}, capacity);
        return {.edge = abrupt != as_good.end() ? *abrupt : *largest,
                .least_capacity_bytes = least.capacity_bytes,
                .most_capacity_bytes = most.capacity_bytes,
                .is_open = open_most.capacity_bytes > rules_.most_open * open_least.capacity_bytes};
    }

    /// Whether colours that fill by chance fit as well as the best edge.
    [[nodiscard]] bool is_like_colours_of(double capacity) {
        const auto cost = cost_of([&](std::size_t i) {
            return miss_share_of_colours(capacity, points_[i].size_bytes) / points_[i].latency_ns;
        });
        return cost && *cost <= most_within(rules_.range_errors);
    }

private:
    struct Fit {
        CacheEdge edge;
        double cost;
    };

    /// The edges that fit within so many standard errors of the best.
    [[nodiscard]] std::vector<CacheEdge> edges_within(double errors) const {
        std::vector<CacheEdge> edges;
        for (const auto& [edge, cost] : fits_) {
            if (cost <= most_within(errors))
                edges.push_back(edge);
        }
        return edges;
    }

    /// The share of misses at each point, as Shares count it.
    [[nodiscard]] std::vector<double> misses(const CacheEdge& edge) const {
        std::vector<double> result;
        for (const CurvePoint& point : points_)
            result.push_back(miss_share(edge, point.size_bytes) / point.latency_ns);
        return result;
    }

    /// The cost of these misses at each point; nothing where they do not explain the curve.
    template<typename MissShare>
    std::optional<double> cost_of(const MissShare& missed) {
        for (std::size_t i = 0; i < points_.size(); ++i)
            shares_[i].missed = missed(i);
        const LatencyFit fit = fit_latencies(shares_, rules_.plain_error, 2 * most_within(rules_.range_errors));
        if (fit.scale <= 0 || fit.step <= 0)
            return std::nullopt;
        return fit.cost + count() * rules_.least_error * rules_.least_error;
    }

    /// The most that a fit within so many standard errors of the best costs.
    [[nodiscard]] double most_within(double errors) const { return least_ * (1 + errors * errors / count()); }

    [[nodiscard]] double count() const { return static_cast<double>(points_.size()); }

    Curve points_;
    LevelRules rules_;
    std::vector<Shares> shares_;
    std::vector<Fit> fits_;
    double least_ = std::numeric_limits<double>::infinity();
};

} // namespace

double miss_share(const CacheEdge& edge, double size_bytes) {
    if (edge.spread == 0)
        return even_miss_share(edge, edge.capacity_bytes, size_bytes);
    const double widest = std::exp2(edge.spread * sevenths.back());
    if (size_bytes <= edge.capacity_bytes / widest)
        return 0;
    double sum = 0;
    for (const double deviation : sevenths)
        sum += even_miss_share(edge, edge.capacity_bytes * std::exp2(edge.spread * deviation), size_bytes);
    return sum / static_cast<double>(sevenths.size());
}

EdgeFit fit_edge(Curve points, std::span<const double> below, double from_bytes, double to_bytes,
                 const LevelRules& rules) {
    EdgeFits fits(points, below, rules);
    for (const double capacity : candidates(points, from_bytes, to_bytes)) {
        for (const double spread : {0.0, 0.2, 0.4})
            fits.add(capacity, spread);
    }
    if (fits.is_empty())
        return {{from_bytes, 0, 0}, from_bytes, to_bytes, true};
    EdgeFit best = fits.best();
    constexpr double most_times_larger = 4; // beyond, colours miss 9 % at the capacity found
    const std::vector<double> larger =
        candidates(points, best.edge.capacity_bytes, most_times_larger * best.edge.capacity_bytes);
    best.like_page_colours =
        std::ranges::any_of(larger, [&fits](double capacity) { return fits.is_like_colours_of(capacity); });
    return best;
}

} // namespace memtest

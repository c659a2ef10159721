#include "memtest/insight/levels.hpp"

#include "memtest/insight/capacity.hpp"
#include "memtest/insight/edges.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace memtest {
namespace {

constexpr double endless = std::numeric_limits<double>::max();

/// A range of sizes, both ends in it.
struct Sizes {
    double from = 0;
    double to = 0;
};

Curve between(Curve curve, const Sizes& sizes) {
    const auto begin = std::find_if(curve.begin(), curve.end(), [&](auto& p) { return p.size_bytes >= sizes.from; });
    const auto end = std::find_if(begin, curve.end(), [&](auto& p) { return p.size_bytes > sizes.to; });
    return {begin, end};
}

std::vector<ModelCache> model_of(std::span<const Level> caches) {
    std::vector<ModelCache> model;
    for (const Level& cache : caches)
        model.push_back({cache.edge, cache.latency_ns});
    return model;
}

/// The latency of the level behind `caches` when `point` lies on it: without the share that `caches` still serve.
double without_lower_levels(std::span<const Level> caches, const CurvePoint& point) {
    if (caches.empty())
        return point.latency_ns;
    const Level& last = caches.back();
    const double misses = miss_share(last.edge, point.size_bytes);
    const double served =
        modelled_latency_ns(model_of(caches.first(caches.size() - 1)), last.latency_ns, point.size_bytes);
    return misses > 0 ? served + (point.latency_ns - served) / misses : point.latency_ns;
}

/// Goes up the curve edge by edge, each level resting on those below it.
class Reading {
public:
    Reading(Curve curve, Curve clean, const LevelRules& rules)
        : curve_(curve), clean_(clean), rules_(rules), edges_(find_edges(curve, rules)),
          // A rise that nothing but the last size shows may be a disturbance, and what it leads to is not known.
          ends_in_rise_(!edges_.empty() && edges_.back().from_bytes >= curve[curve.size() - 2].size_bytes) {
        if (ends_in_rise_)
            edges_.pop_back();
    }

    /// Whether the sweep ends in a rise, of which it does not show enough.
    [[nodiscard]] bool ends_in_rise() const { return ends_in_rise_; }

    [[nodiscard]] Hierarchy hierarchy() {
        do {
            read();
        } while (drop_shoulder() || join_split_edge());
        return {caches_, memory_, {}};
    }

private:
    void read() {
        caches_.clear();
        memory_.reset();
        for (std::size_t k = 0; k < edges_.size(); ++k)
            add_level(k);
        if (!edges_.empty())
            memory_ = memory();
    }

    /// Drops the edge with the smallest ratio of latencies if, now that the shares of the levels below are taken off,
    /// it is too small for a level.
    bool drop_shoulder() {
        std::size_t smallest = 0;
        double least = rules_.least_ratio;
        for (std::size_t k = 0; k < edges_.size(); ++k) {
            const double next = k + 1 < caches_.size() ? caches_[k + 1].latency_ns : memory_->latency_ns;
            if (next / caches_[k].latency_ns < least) {
                least = next / caches_[k].latency_ns;
                smallest = k;
            }
        }
        if (least == rules_.least_ratio)
            return false;
        edges_.erase(edges_.begin() + static_cast<std::ptrdiff_t>(smallest));
        return true;
    }

    /// Joins two edges that are too near each other for two caches.
    bool join_split_edge() {
        for (std::size_t k = 0; k + 1 < caches_.size(); ++k) {
            if (caches_[k + 1].capacity_bytes >= rules_.least_capacity_ratio * caches_[k].capacity_bytes)
                continue;
            edges_[k].to_bytes = edges_[k + 1].to_bytes;
            edges_[k].ends_in_foot = edges_[k + 1].ends_in_foot;
            edges_.erase(edges_.begin() + static_cast<std::ptrdiff_t>(k) + 1);
            return true;
        }
        return false;
    }

    void add_level(std::size_t k) {
        const Edge& edge = edges_[k];
        const double below = caches_.empty() ? 0 : caches_.back().capacity_bytes;
        Level level;
        level.edge = fit(k, below);
        set_capacity(level);
        set_latency(level, {rules_.inside_from * below, level.capacity_bytes / rules_.inside_to},
                    {below, level.capacity_low_bytes});
        const bool is_foot = k > 0 && edges_[k - 1].ends_in_foot;
        const bool has_plateau = between(curve_, {level.from_bytes, edge.from_bytes}).size() >= 3;
        level.confidence = is_foot ? Confidence::low : has_plateau ? Confidence::high : Confidence::fair;
        caches_.push_back(level);
    }

    /// Fits edge k, with up to three doublings of the levels on both sides of it.
    [[nodiscard]] CacheEdge fit(std::size_t k, double below) const {
        const Edge& edge = edges_[k];
        const double next = k + 1 < edges_.size() ? edges_[k + 1].from_bytes : endless;
        const Curve points = between(curve_, {std::min(std::max(1.2 * below, edge.from_bytes / 8), edge.from_bytes),
                                              std::max(std::min(next, 8 * edge.from_bytes), edge.to_bytes)});
        Level provisional;
        set_latency(provisional, {rules_.inside_from * below, edge.from_bytes}, {below, edge.from_bytes});
        std::vector<double> without_edge;
        for (const CurvePoint& point : points)
            without_edge.push_back(modelled_latency_ns(model_of(caches_), provisional.latency_ns, point.size_bytes));
        return fit_edge(points, without_edge, std::max(below, edge.from_bytes / 1.2), edge.to_bytes, rules_);
    }

    void set_capacity(Level& level) const {
        const double capacity = level.edge.capacity_bytes;
        const auto high = std::find_if(curve_.begin() + 1, curve_.end() - 1,
                                       [&](const CurvePoint& point) { return point.size_bytes > capacity; });
        level.capacity_low_bytes = std::prev(high)->size_bytes;
        level.capacity_high_bytes = high->size_bytes;
        // The sizes of a sweep are round numbers, as capacities are: an estimate next to one is that one.
        const double step = doublings(level.capacity_low_bytes, level.capacity_high_bytes);
        const bool next_to = doublings(capacity, level.capacity_high_bytes) < step / 15;
        level.capacity_bytes = next_to ? level.capacity_high_bytes : capacity;
    }

    /// Sets the latency of a level from the points well inside it, or else from those anywhere on it.
    template<typename Place>
    void set_latency(Place& place, const Sizes& well_inside, const Sizes& anywhere) const {
        Curve points = between(clean_, well_inside);
        if (points.empty())
            points = between(clean_, {1.2 * anywhere.from, anywhere.to});
        if (points.empty())
            points = between(clean_, {0, std::max(anywhere.to, clean_.front().size_bytes)}).last(1);
        std::vector<double> latencies;
        double highest = 0;
        for (const CurvePoint& point : points) {
            latencies.push_back(without_lower_levels(caches_, point));
            highest = std::max(highest, point.latency_ns);
        }
        place.latency_ns = std::min(robust_mean(latencies), (1 + rules_.most_lift) * highest);
        place.from_bytes = points.front().size_bytes;
        place.to_bytes = points.back().size_bytes;
    }

    [[nodiscard]] Memory memory() const {
        Memory result;
        const double last = caches_.back().capacity_bytes;
        set_latency(result, {rules_.memory_from * last, endless}, {last, endless});
        return result;
    }

    Curve curve_;
    Curve clean_;
    LevelRules rules_;
    std::vector<Edge> edges_;
    bool ends_in_rise_ = false;
    std::vector<Level> caches_;
    std::optional<Memory> memory_;
};

} // namespace

Hierarchy infer_levels(Curve curve, SweepOrder order, const LevelRules& rules) {
    if (curve.size() < 3)
        return {{}, std::nullopt, {Remark::too_few_points}};
    const double span = doublings(curve.front().size_bytes, curve.back().size_bytes);
    if (static_cast<double>(curve.size()) > rules.most_points_per_doubling * std::max(span, 1.0))
        return infer_levels(condensed(curve, rules.most_points_per_doubling / 2), order, rules);
    const std::vector<CurvePoint> clean = without_outliers(curve, rules.outlier);
    Reading reading(curve, clean, rules);
    Hierarchy result = reading.hierarchy();
    const double largest = curve.back().size_bytes;
    const bool stride = order == SweepOrder::stride;
    if (result.caches.empty() && reading.ends_in_rise()) {
        result.remarks.push_back(Remark::memory_not_reached);
        return result;
    }
    if (result.caches.empty()) {
        result.remarks.push_back(stride && largest >= rules.flat_bytes ? Remark::prefetched : Remark::no_edge);
        return result;
    }
    const bool too_fast = result.memory->latency_ns < rules.least_memory_ns;
    const bool too_short = largest < rules.memory_reach * result.caches.back().capacity_low_bytes;
    if (too_fast || too_short || reading.ends_in_rise()) {
        result.remarks.push_back(too_fast && stride ? Remark::prefetched : Remark::memory_not_reached);
        result.memory.reset();
    }
    if (too_fast && stride) {
        for (Level& cache : result.caches)
            cache.confidence = Confidence::low;
    }
    return result;
}

std::optional<double> modelled_latency_ns(const Hierarchy& hierarchy, double size_bytes) {
    const std::span<const Level> caches = hierarchy.caches;
    if (hierarchy.memory)
        return modelled_latency_ns(model_of(caches), hierarchy.memory->latency_ns, size_bytes);
    if (caches.empty() || size_bytes > caches.back().capacity_bytes)
        return std::nullopt;
    return modelled_latency_ns(model_of(caches.first(caches.size() - 1)), caches.back().latency_ns, size_bytes);
}

} // namespace memtest

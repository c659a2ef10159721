#include "memtest/insight/levels.hpp"

#include "memtest/base/error.hpp"
#include "memtest/insight/edges.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

namespace memtest {
namespace {

constexpr double endless = std::numeric_limits<double>::max();

/// A range of sizes, both ends in it.
struct Sizes {
    double from = 0;
    double to = 0;
};

Curve between(Curve curve, const Sizes& sizes) {
    const auto begin = std::ranges::lower_bound(curve, sizes.from, {}, &CurvePoint::size_bytes);
    const auto end = std::ranges::upper_bound(begin, curve.end(), sizes.to, {}, &CurvePoint::size_bytes);
    return {begin, end};
}

/// The latency of the level after `caches`, from a point on it, without the share that `caches` still serve.
double without_lower_levels(std::span<const Level> caches, const CurvePoint& point) {
    if (caches.empty())
        return point.latency_ns;
    const Level& last = caches.back();
    const double misses = miss_share(last.edge, point.size_bytes);
    const double served = modelled_latency_ns(caches.first(caches.size() - 1), last.latency_ns, point.size_bytes);
    return misses > 0 ? served + (point.latency_ns - served) / misses : point.latency_ns;
}

std::size_t count_disturbed(Curve points) {
    return static_cast<std::size_t>(std::ranges::count_if(points, &CurvePoint::is_doubtful));
}

/// The size at which a latency is first reached, interpolated in doublings.
double size_reaching(Curve curve, double latency_ns) {
    const auto above = std::find_if(curve.begin() + 1, curve.end() - 1,
                                    [&](const CurvePoint& point) { return point.latency_ns >= latency_ns; });
    const CurvePoint& before = *std::prev(above);
    if (above->latency_ns <= before.latency_ns)
        return above->size_bytes;
    const double share = (latency_ns - before.latency_ns) / (above->latency_ns - before.latency_ns);
    return before.size_bytes * std::pow(above->size_bytes / before.size_bytes, std::clamp(share, 0.0, 1.0));
}

/// Goes up the curve edge by edge; each level depends on those below it.
class HierarchySearch {
public:
    HierarchySearch(Curve curve, Curve clean, const LevelRules& rules, bool small_pages)
        : curve_(curve), clean_(clean), condensed_(condensed(clean, rules.points_per_doubling)), rules_(rules),
          small_pages_(small_pages), edges_(find_edges(condensed_, rules)) {
        // A rise at the last size alone may be a disturbance, and the level after it is unknown.
        if (!edges_.empty() && edges_.back().from_bytes >= curve[curve.size() - 2].size_bytes) {
            last_rise_ = edges_.back();
            edges_.pop_back();
        }
    }

    /// The rise in which the sweep ends, if it does.
    [[nodiscard]] const std::optional<Edge>& last_rise() const { return last_rise_; }

    [[nodiscard]] Hierarchy hierarchy() {
        do {
            go_up();
        } while (drop_shoulder() || join_split_edge());
        for (std::size_t k = 0; k < caches_.size(); ++k)
            caches_[k].confidence = confidence(k);
        Hierarchy result{caches_, memory_, {}};
        if (std::ranges::any_of(edges_, &Edge::may_hide_level))
            result.remarks.push_back(Remark::hidden_level);
        if (std::ranges::any_of(edges_, &Edge::ends_in_foot))
            result.remarks.push_back(Remark::only_a_foot);
        if (coloured_)
            result.remarks.push_back(Remark::page_colours);
        return result;
    }

private:
    void go_up() {
        caches_.clear();
        memory_.reset();
        coloured_ = false;
        for (std::size_t k = 0; k < edges_.size(); ++k)
            caches_.push_back(is_foot(k) ? level_without_plateau(k) : level_on_plateau(k));
        if (!edges_.empty())
            set_latency(memory_.emplace(), {rules_.memory_from * below(), endless}, {below(), endless});
    }

    [[nodiscard]] bool is_foot(std::size_t k) const { return k > 0 && edges_[k - 1].ends_in_foot; }

    [[nodiscard]] double below() const { return caches_.empty() ? 0 : caches_.back().edge.capacity_bytes; }

    /// Drops the edge with the smallest ratio of latencies if, without the shares of the levels below, that is too
    /// small for a level.
    bool drop_shoulder() {
        std::size_t smallest = 0;
        double least = rules_.least_ratio;
        for (std::size_t k = 0; k < edges_.size(); ++k) {
            if (ratio_behind(k) < least) {
                least = ratio_behind(k);
                smallest = k;
            }
        }
        if (least == rules_.least_ratio)
            return false;
        edges_.erase(edges_.begin() + static_cast<std::ptrdiff_t>(smallest));
        return true;
    }

    /// How many times slower the level after cache k is.
    [[nodiscard]] double ratio_behind(std::size_t k) const {
        const double next = k + 1 < caches_.size() ? caches_[k + 1].latency_ns : memory_->latency_ns;
        return next / caches_[k].latency_ns;
    }

    /// Joins two edges that are too near each other for two caches.
    bool join_split_edge() {
        for (std::size_t k = 0; k + 1 < caches_.size(); ++k) {
            if (edges_[k].ends_in_foot ||
                caches_[k + 1].edge.capacity_bytes >= rules_.least_capacity_ratio * caches_[k].edge.capacity_bytes)
                continue;
            edges_[k].to_bytes = edges_[k + 1].to_bytes;
            edges_[k].ends_in_foot = edges_[k + 1].ends_in_foot;
            edges_[k].may_hide_level = true;
            edges_.erase(edges_.begin() + static_cast<std::ptrdiff_t>(k) + 1);
            return true;
        }
        return false;
    }

    [[nodiscard]] Level level_on_plateau(std::size_t k) {
        Level level;
        const auto [fitted, fitted_ns] = fit(k);
        coloured_ = coloured_ || (k == 0 && small_pages_ && fitted.like_page_colours);
        level.edge = fitted.edge;
        set_latency(level, {rules_.inside_from * below(), level.edge.capacity_bytes / rules_.inside_to},
                    {below(), level.edge.capacity_bytes});
        if (k > 0 && level.edge.ways > 0 && level.edge.ways <= rules_.few_ways)
            level.latency_ns = std::min(level.latency_ns, std::max(fitted_ns, caches_.back().latency_ns));
        set_range(level, fitted.least_capacity_bytes, fitted.most_capacity_bytes, half_of_step(k, level));
        if (fitted.is_open)
            level.capacity_bytes.reset();
        return level;
    }

    /// A level whose edge begins with it, so that there are no points to fit the edge to.
    [[nodiscard]] Level level_without_plateau(std::size_t k) const {
        // With least recently used replacement, half is missed at the capacity. With random replacement or uneven page
        // colours, which large caches have, half is missed at 1.39 times it.
        constexpr double most_at_half = 1.39;
        Level level;
        const double first = edges_[k].from_bytes;
        set_latency(level, {first, first * std::exp2(1 / rules_.points_per_doubling)}, {below(), first});
        const double half = half_of_step(k, level);
        level.edge = {std::max(half / most_at_half, first), most_at_half / 2};
        set_range(level, level.edge.capacity_bytes, half, half);
        return level;
    }

    /// The size at half of the rise of edge k. The capacity is no larger: at its capacity a cache misses at most half,
    /// and only with uneven page colours.
    [[nodiscard]] double half_of_step(std::size_t k, const Level& level) const {
        const double next_ns = between(clean_, {edges_[k].to_bytes, endless}).front().latency_ns;
        return size_reaching(between(clean_, {edges_[k].from_bytes, endless}), (level.latency_ns + next_ns) / 2);
    }

    /// Fits edge k, using up to three doublings of the levels on both sides of it. @return the latency before it, too
    [[nodiscard]] std::pair<EdgeFit, double> fit(std::size_t k) const {
        const Edge& edge = edges_[k];
        const double next = k + 1 < edges_.size() ? edges_[k + 1].from_bytes : endless;
        const Curve points = between(curve_, {std::min(std::max(1.2 * below(), edge.from_bytes / 8), edge.from_bytes),
                                              std::max(std::min(next, 8 * edge.from_bytes), edge.to_bytes)});
        Level provisional;
        set_latency(provisional, {rules_.inside_from * below(), edge.from_bytes}, {below(), edge.from_bytes});
        std::vector<double> without_edge;
        for (const CurvePoint& point : points)
            without_edge.push_back(modelled_latency_ns(caches_, provisional.latency_ns, point.size_bytes));
        const EdgeFit fitted =
            fit_edge(points, without_edge, std::max(below(), edge.from_bytes / 1.2), edge.to_bytes, rules_);
        return {fitted, fitted.scale * provisional.latency_ns};
    }

    /// Sets the range of a capacity: fits are as good from `least` to `most`, and it is at most `half`.
    void set_range(Level& level, double least, double most, double half) const {
        const double capacity = level.edge.capacity_bytes;
        level.capacity_low_bytes = last_held(level, std::prev(first_above(std::min(least, capacity)))->size_bytes);
        const auto high = first_above(std::max({most, half, capacity}));
        const bool at_end = is_next_to(std::max(half, capacity), *high) && high + 1 < curve_.end();
        level.capacity_high_bytes = (at_end ? high + 1 : high)->size_bytes;
        // The sizes of a sweep are round numbers, as capacities are: an estimate next to one becomes that size.
        const CurvePoint& above = *first_above(capacity);
        level.capacity_bytes = is_next_to(capacity, above) ? above.size_bytes : capacity;
    }

    /// The largest size up to `low_bytes` that has not left this level for the next.
    [[nodiscard]] double last_held(const Level& level, double low_bytes) const {
        const Curve sizes = between(clean_, {level.to_bytes, low_bytes});
        if (sizes.empty())
            return low_bytes;
        const auto held = std::find_if(sizes.rbegin(), sizes.rend(), [&](const CurvePoint& point) {
            const double on_level_ns = modelled_latency_ns(caches_, level.latency_ns, point.size_bytes);
            return point.latency_ns <= (1 + rules_.plain_error) * on_level_ns;
        });
        return held != sizes.rend() ? held->size_bytes : sizes.front().size_bytes;
    }

    [[nodiscard]] Curve::iterator first_above(double size) const {
        return std::ranges::upper_bound(curve_.begin() + 1, curve_.end() - 1, size, {}, &CurvePoint::size_bytes);
    }

    /// The step of the sweep around a size, in doublings.
    [[nodiscard]] double step_at(double size) const {
        return doublings(std::prev(first_above(size))->size_bytes, first_above(size)->size_bytes);
    }

    /// Whether a size is in the last tenth of the step of the sweep that ends with `above`.
    [[nodiscard]] bool is_next_to(double size, const CurvePoint& above) const {
        const double step = doublings(std::prev(first_above(size))->size_bytes, above.size_bytes);
        return doublings(size, above.size_bytes) < step / 10;
    }

    /// Sets the latency of a level from the points well inside it, or else from those anywhere on it.
    template<typename LevelOrMemory>
    void set_latency(LevelOrMemory& level, const Sizes& well_inside, const Sizes& anywhere) const {
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
        level.latency_ns = std::min(robust_mean(latencies), (1 + rules_.most_lift) * highest);
        level.from_bytes = points.front().size_bytes;
        level.to_bytes = points.back().size_bytes;
    }

    [[nodiscard]] Confidence confidence(std::size_t k) const {
        const double room = k > 0 ? caches_[k].edge.capacity_bytes / caches_[k - 1].edge.capacity_bytes : endless;
        if (is_foot(k) || room < rules_.least_room || edges_[k].may_hide_level)
            return Confidence::low;
        const bool crowded = room < rules_.ample_room || edges_[k].ends_in_foot;
        const bool barely_apart =
            ratio_behind(k) < rules_.ample_ratio || (k > 0 && ratio_behind(k - 1) < rules_.ample_ratio);
        const bool may_be_two = may_hide_behind(k) || hides_below(k);
        const bool on_one_size = caches_[k].from_bytes == caches_[k].to_bytes;
        const bool blurred = k == 0 && coloured_;
        const bool clear = !crowded && !barely_apart && !may_be_two && !on_one_size && !blurred &&
                           is_range_sure(caches_[k]) && !is_disturbed(k);
        return clear ? Confidence::high : Confidence::fair;
    }

    /// Whether a level below this one may be missing, which would put this one in the wrong place.
    [[nodiscard]] bool hides_below(std::size_t k) const {
        for (std::size_t below = 0; below < k; ++below) {
            if (edges_[below].may_hide_level || may_hide_behind(below))
                return true;
        }
        return false;
    }

    /// Whether the rise after cache k is long enough to hide a level that nothing else shows.
    [[nodiscard]] bool may_hide_behind(std::size_t k) const {
        if (k + 1 < caches_.size() && ratio_behind(k) <= rules_.clear_ratio)
            return false;
        const Level& level = caches_[k];
        const Curve rise = between(clean_, {level.from_bytes, endless});
        const double step_ns = (ratio_behind(k) - 1) * level.latency_ns;
        const double half = size_reaching(rise, level.latency_ns + 0.5 * step_ns);
        const double step = step_at(half);
        const double early_ns =
            std::max(0.05 * step_ns, 0.2 * level.latency_ns); // more than noise and a level of translation
        return doublings(size_reaching(rise, level.latency_ns + early_ns), half) > rules_.long_foot + step / 4;
    }

    [[nodiscard]] bool is_range_sure(const Level& level) const {
        if (!level.capacity_bytes)
            return true; // the whole range is equally likely, and is all that is reported
        const double step = step_at(*level.capacity_bytes);
        return doublings(*level.capacity_bytes, *level.capacity_high_bytes) <= std::max(rules_.sure_range, step) + step;
    }

    /// Whether a size next to the edges of a level was disturbed, or many of those that its latency comes from.
    [[nodiscard]] bool is_disturbed(std::size_t k) const {
        const Level& level = caches_[k];
        const Curve inside = between(clean_, {level.from_bytes, level.to_bytes});
        if (4 * count_disturbed(inside) > inside.size())
            return true;
        return is_disturbed_around(level) || (k > 0 && is_disturbed_around(caches_[k - 1]));
    }

    /// Whether a size in or next to the range of a level's capacity was disturbed.
    [[nodiscard]] bool is_disturbed_around(const Level& level) const {
        const double step = std::exp2(1 / rules_.points_per_doubling);
        const auto first = std::find_if(condensed_.begin(), condensed_.end(), [&](const CurvePoint& point) {
            return point.size_bytes * step > *level.capacity_low_bytes;
        });
        const auto last = std::find_if(first, condensed_.end(), [&](const CurvePoint& point) {
            return point.size_bytes > step * *level.capacity_high_bytes;
        });
        const auto begin = first == condensed_.begin() ? first : std::prev(first);
        return count_disturbed({begin, last == condensed_.end() ? last : std::next(last)}) > 0;
    }

    Curve curve_;
    Curve clean_;
    std::vector<CurvePoint> condensed_;
    LevelRules rules_;
    bool small_pages_;
    bool coloured_ = false; ///< page colours may have made the first cache look smaller
    std::vector<Edge> edges_;
    std::optional<Edge> last_rise_;
    std::vector<Level> caches_;
    std::optional<Memory> memory_;
};

/// The last cache of a sweep that ends before the cache does: at most its min capacity is known.
Level open_ended(Curve clean, const Memory& fastest, double capacity_bytes, double least_ratio) {
    Level level;
    const Curve sizes = between(clean, {fastest.from_bytes, capacity_bytes});
    const auto slowest = std::ranges::max_element(sizes, {}, &CurvePoint::latency_ns);
    const auto fastest_size = std::ranges::min_element(sizes, {}, &CurvePoint::latency_ns);
    // More than this ratio is a rise, which may be that of another level.
    if (!sizes.empty() && slowest->latency_ns < least_ratio * fastest_size->latency_ns)
        level.capacity_low_bytes = capacity_bytes;
    level.latency_ns = fastest.latency_ns;
    level.from_bytes = fastest.from_bytes;
    level.to_bytes = fastest.to_bytes;
    level.edge.capacity_bytes = capacity_bytes;
    return level;
}

Hierarchy read_hierarchy(Curve curve, std::optional<Order> order, const LevelRules& rules, bool small_pages) {
    if (curve.size() < 3)
        return {{}, std::nullopt, {Remark::too_few_points}};
    const double span = doublings(curve.front().size_bytes, curve.back().size_bytes);
    if (static_cast<double>(curve.size()) > rules.most_points_per_doubling * std::max(span, 1.0))
        return read_hierarchy(condensed(curve, rules.most_points_per_doubling / 2), order, rules, small_pages);
    const std::vector<CurvePoint> clean = without_disturbances(curve, rules.outlier, rules.most_fall);
    HierarchySearch search(curve, clean, rules, small_pages);
    Hierarchy result = search.hierarchy();
    const double largest = curve.back().size_bytes;
    const bool stride = order && order != Order::random;
    if (result.caches.empty()) {
        const Remark flat = stride && largest >= rules.flat_bytes ? Remark::prefetched : Remark::no_edge;
        result.remarks.push_back(search.last_rise() ? Remark::memory_not_reached : flat);
        return result;
    }
    const bool too_fast = result.memory->latency_ns < rules.least_memory_ns;
    const bool too_short = largest < rules.memory_reach * *result.caches.back().capacity_low_bytes;
    if (too_fast && !stride)
        result.caches.push_back(open_ended(
            clean, *result.memory, search.last_rise() ? search.last_rise()->from_bytes : largest, rules.least_ratio));
    if (too_fast || too_short || search.last_rise()) {
        result.remarks.push_back(too_fast && stride ? Remark::prefetched : Remark::memory_not_reached);
        result.memory.reset();
    }
    if (too_fast && stride) {
        for (Level& cache : result.caches)
            cache.confidence = Confidence::low;
    }
    return result;
}

/// Notes how far others contest the capacity of each level: from what it surely holds up to the level behind it.
void note_contested(Hierarchy& hierarchy, Curve curve) {
    for (std::size_t k = 0; k < hierarchy.caches.size(); ++k) {
        Level& level = hierarchy.caches[k];
        const double behind = hierarchy.memory ? hierarchy.memory->from_bytes : endless;
        const double next = k + 1 < hierarchy.caches.size() ? hierarchy.caches[k + 1].from_bytes : behind;
        const Curve end = between(curve, {level.capacity_low_bytes.value_or(level.to_bytes), next});
        for (const CurvePoint& point : end) {
            if (point.contested && point.size_bytes < next)
                level.contested_to_bytes = point.size_bytes;
        }
    }
}

} // namespace

Hierarchy infer_levels(Curve curve, std::optional<Order> order, const LevelRules& rules, bool small_pages) {
    Hierarchy result = read_hierarchy(curve, order, rules, small_pages);
    note_contested(result, curve);
    const auto disturbed = static_cast<double>(count_disturbed(curve));
    if (disturbed == 0 || disturbed < rules.many_disturbed * static_cast<double>(curve.size()))
        return result;
    result.remarks.push_back(Remark::disturbed);
    for (Level& cache : result.caches) {
        if (cache.confidence == Confidence::fair) // a high one has nothing disturbed next to it
            cache.confidence = Confidence::low;
    }
    return result;
}

void drop_prefetched(Hierarchy& hierarchy, double from_bytes) {
    const auto reaches_it = [from_bytes](const Level& level) {
        return !level.capacity_high_bytes || *level.capacity_high_bytes >= from_bytes;
    };
    std::erase_if(hierarchy.caches, reaches_it);
    hierarchy.memory.reset();
    hierarchy.prefetched_from_bytes = from_bytes;
    if (std::ranges::count(hierarchy.remarks, Remark::prefetched) == 0)
        hierarchy.remarks.push_back(Remark::prefetched);
}

double modelled_latency_ns(std::span<const Level> caches, double behind_ns, double size_bytes) {
    if (caches.empty())
        return behind_ns;
    double latency = caches.front().latency_ns;
    for (std::size_t k = 0; k < caches.size(); ++k) {
        const double next = k + 1 < caches.size() ? caches[k + 1].latency_ns : behind_ns;
        latency += (next - caches[k].latency_ns) * miss_share(caches[k].edge, size_bytes);
    }
    return latency;
}

std::optional<double> modelled_latency_ns(const Hierarchy& hierarchy, double size_bytes) {
    const std::span<const Level> caches = hierarchy.caches;
    if (hierarchy.memory)
        return modelled_latency_ns(caches, hierarchy.memory->latency_ns, size_bytes);
    if (caches.empty() || size_bytes > caches.back().edge.capacity_bytes)
        return std::nullopt;
    return modelled_latency_ns(caches.first(caches.size() - 1), caches.back().latency_ns, size_bytes);
}

} // namespace memtest

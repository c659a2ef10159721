#include "memtest/insight/level_search.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace memtest {
namespace {

/// The most points that repeat within this share of the lowest of them, in ascending order of latency.
std::vector<CurvePoint> repeated(std::vector<CurvePoint> points, double share) {
    std::ranges::sort(points, {}, &CurvePoint::latency_ns);
    std::vector<CurvePoint> most;
    for (auto low = points.begin(); low != points.end(); ++low) {
        const auto end =
            std::ranges::upper_bound(low, points.end(), (1 + share) * low->latency_ns, {}, &CurvePoint::latency_ns);
        if (static_cast<std::size_t>(end - low) > most.size())
            most.assign(low, end);
    }
    return most;
}

} // namespace

Curve between(Curve curve, const Sizes& sizes) {
    const auto begin = std::ranges::lower_bound(curve, sizes.from, {}, &CurvePoint::size_bytes);
    const auto end = std::ranges::upper_bound(begin, curve.end(), sizes.to, {}, &CurvePoint::size_bytes);
    return {begin, end};
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

double latency_behind_ns(std::span<const Level> caches, double latency_ns, double size_bytes) {
    if (caches.empty())
        return latency_ns;
    const Level& last = caches.back();
    const double misses = miss_share(last.edge, size_bytes);
    const double served = modelled_latency_ns(caches.first(caches.size() - 1), last.latency_ns, size_bytes);
    return misses > 0 ? served + (latency_ns - served) / misses : latency_ns;
}

double size_reaching(Curve curve, double latency_ns) {
    const auto above = std::find_if(curve.begin() + 1, curve.end() - 1,
                                    [&](const CurvePoint& point) { return point.latency_ns >= latency_ns; });
    const CurvePoint& before = *std::prev(above);
    if (above->latency_ns <= before.latency_ns)
        return above->size_bytes;
    const double share = (latency_ns - before.latency_ns) / (above->latency_ns - before.latency_ns);
    return before.size_bytes * std::pow(above->size_bytes / before.size_bytes, std::clamp(share, 0.0, 1.0));
}

void join_edges(std::vector<Edge>& edges, std::size_t k) {
    edges[k].to_bytes = edges[k + 1].to_bytes;
    edges[k].ends_in_foot = edges[k + 1].ends_in_foot;
    edges[k].may_hide_level = true;
    edges[k].is_reported = edges[k].is_reported || edges[k + 1].is_reported;
    edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(k) + 1);
}

SearchedCurve::SearchedCurve(Curve curve, const LevelRules& of_search, std::optional<bool> pages_are_small)
    : rules(of_search), small_pages(pages_are_small), all(curve),
      clean(without_disturbances(curve, rules.outlier, rules.most_fall)),
      condensed(memtest::condensed(clean, rules.points_per_doubling)), edges(find_edges(condensed, rules)) {
    // A rise at the last size alone may be a disturbance, and the level after it is unknown.
    if (!edges.empty() && edges.back().from_bytes >= all[all.size() - 2].size_bytes) {
        last_rise = edges.back();
        edges.pop_back();
    }
}

Curve::iterator SearchedCurve::first_above(double size) const {
    return std::ranges::upper_bound(all.begin() + 1, all.end() - 1, size, {}, &CurvePoint::size_bytes);
}

double SearchedCurve::step_at(double size) const {
    return doublings(std::prev(first_above(size))->size_bytes, first_above(size)->size_bytes);
}

namespace {

class LevelSearch {
public:
    LevelSearch(std::vector<Edge> edges, const SearchedCurve& curve) : curve_(curve) {
        found_.edges = std::move(edges);
    }

    [[nodiscard]] FoundLevels levels() {
        do {
            go_up();
        } while (drop_shoulder() || join_split_edge() || drop_translation());
        return std::move(found_);
    }

private:
    void go_up() {
        found_.caches.clear();
        found_.memory.reset();
        found_.is_coloured = false;
        for (std::size_t k = 0; k < found_.edges.size(); ++k)
            found_.caches.push_back(found_.is_foot(k) ? level_without_plateau(k) : level_on_plateau(k));
        if (!found_.edges.empty())
            set_latency(found_.memory.emplace(), {rules_.memory_from * below(), endless}, {below(), endless});
    }

    double below() const { return found_.caches.empty() ? 0 : found_.caches.back().edge.capacity_bytes; }

    /// Drops the edge with the smallest ratio of latencies if, without the shares of the levels below, that is too
    /// small for a level.
    bool drop_shoulder() {
        std::size_t smallest = 0;
        double least = rules_.least_ratio;
        for (std::size_t k = 0; k < found_.edges.size(); ++k) {
            const double needed = found_.edges[k].is_reported ? rules_.least_reported_ratio : rules_.least_ratio;
            const double ratio = found_.ratio_behind(k) * rules_.least_ratio / needed;
            if (ratio < least) {
                least = ratio;
                smallest = k;
            }
        }
        if (least == rules_.least_ratio)
            return false;
        drop_step(smallest);
        return true;
    }

    /// Drops edge k: it is a step inside a level.
    void drop_step(std::size_t k) {
        if (k + 1 < found_.edges.size() && found_.ratio_behind(k) >= rules_.doubtful_ratio)
            found_.edges[k + 1].follows_step = true;
        found_.edges.erase(found_.edges.begin() + static_cast<std::ptrdiff_t>(k));
    }

    /// Drops an edge that is a TLB's, unless the pages are known to be large.
    bool drop_translation() {
        if (!curve_.small_pages.value_or(true))
            return false;
        for (std::size_t k = 1; k + 1 < found_.caches.size(); ++k) {
            const Level& level = found_.caches[k];
            const Level& next = found_.caches[k + 1];
            const double bytes = level.edge.capacity_bytes;
            const bool is_reported = found_.edges[k].is_reported || found_.edges[k + 1].is_reported;
            const auto lies = [bytes](double from, double to) { return from <= bytes && bytes <= to; };
            if (!is_reported && lies(rules_.first_tlb_from_bytes, rules_.first_tlb_to_bytes) &&
                next.latency_ns - level.latency_ns <= rules_.most_first_tlb_step * found_.caches[0].latency_ns &&
                next.edge.capacity_bytes <= rules_.most_l2_bytes) {
                drop_step(k);
                return true;
            }
            if (k > 1 && !is_reported && lies(rules_.second_tlb_from_bytes, rules_.second_tlb_to_bytes) &&
                next.edge.capacity_bytes < rules_.least_room * bytes) {
                join_edges(found_.edges, k);
                return true;
            }
        }
        return false;
    }

    /// Joins two edges that are too near each other for two caches.
    bool join_split_edge() {
        for (std::size_t k = 0; k + 1 < found_.caches.size(); ++k) {
            if (found_.edges[k].ends_in_foot || found_.edges[k].is_reported ||
                found_.caches[k + 1].edge.capacity_bytes >=
                    rules_.least_capacity_ratio * found_.caches[k].edge.capacity_bytes)
                continue;
            join_edges(found_.edges, k);
            return true;
        }
        return false;
    }

    Level level_on_plateau(std::size_t k) {
        Level level;
        const auto [fitted, fitted_ns] = fit(k);
        found_.is_coloured =
            found_.is_coloured || (k == 0 && curve_.small_pages.value_or(false) && fitted.like_page_colours);
        level.edge = fitted.edge;
        const Edge& edge = found_.edges[k];
        const double inside_to = level.edge.capacity_bytes / rules_.inside_to;
        // What lies on a rise of two edges is on neither level.
        set_latency(
            level,
            {rules_.inside_from * below(), edge.may_hide_level ? std::min(inside_to, edge.from_bytes) : inside_to},
            {below(), level.edge.capacity_bytes});
        if (k > 0 && level.edge.ways > 0 && level.edge.ways <= rules_.few_ways)
            level.latency_ns = std::min(level.latency_ns, std::max(fitted_ns, found_.caches.back().latency_ns));
        set_range(level, fitted.least_capacity_bytes, fitted.most_capacity_bytes, half_of_step(k, level));
        if (fitted.is_open)
            level.capacity_bytes.reset();
        return level;
    }

    /// A level whose edge begins with it, so that there are no points to fit the edge to.
    Level level_without_plateau(std::size_t k) const {
        // With least recently used replacement, half is missed at the capacity. With random replacement or uneven page
        // colours, which large caches have, half is missed at 1.39 times it.
        constexpr double most_at_half = 1.39;
        Level level;
        const double first = found_.edges[k].from_bytes;
        set_latency(level, {first, first * std::exp2(1 / rules_.points_per_doubling)}, {below(), first});
        const double half = half_of_step(k, level);
        level.edge = {std::max(half / most_at_half, first), most_at_half / 2};
        set_range(level, level.edge.capacity_bytes, half, half);
        return level;
    }

    /// The size at half of the rise of edge k. The capacity is no larger: at its capacity a cache misses at most half,
    /// and only with uneven page colours.
    double half_of_step(std::size_t k, const Level& level) const {
        const double next_ns = between(curve_.clean, {found_.edges[k].to_bytes, endless}).front().latency_ns;
        return size_reaching(between(curve_.clean, {found_.edges[k].from_bytes, endless}),
                             (level.latency_ns + next_ns) / 2);
    }

    /// Fits edge k, using up to three doublings of the levels on both sides of it. @return the latency before it, too
    std::pair<EdgeFit, double> fit(std::size_t k) const {
        const Edge& edge = found_.edges[k];
        const double next = k + 1 < found_.edges.size() ? found_.edges[k + 1].from_bytes : endless;
        const Curve points =
            between(curve_.all, {std::min(std::max(1.2 * below(), edge.from_bytes / 8), edge.from_bytes),
                                 std::max(std::min(next, 8 * edge.from_bytes), edge.to_bytes)});
        Level provisional;
        set_latency(provisional, {rules_.inside_from * below(), edge.from_bytes}, {below(), edge.from_bytes});
        std::vector<double> without_edge;
        for (const CurvePoint& point : points)
            without_edge.push_back(modelled_latency_ns(found_.caches, provisional.latency_ns, point.size_bytes));
        const EdgeFit fitted =
            fit_edge(points, without_edge, std::max(below(), edge.from_bytes / 1.2), edge.to_bytes, rules_);
        return {fitted, fitted.scale * provisional.latency_ns};
    }

    /// Sets the range of a capacity: fits are as good from `least` to `most`, and it is at most `half`.
    void set_range(Level& level, double least, double most, double half) const {
        const double capacity = level.edge.capacity_bytes;
        level.capacity_low_bytes =
            last_held(level, std::prev(curve_.first_above(std::min(least, capacity)))->size_bytes);
        const auto high = curve_.first_above(std::max({most, half, capacity}));
        const bool at_end = is_next_to(std::max(half, capacity), *high) && high + 1 < curve_.all.end();
        level.capacity_high_bytes = (at_end ? high + 1 : high)->size_bytes;
        // The sizes of a sweep are round numbers, as capacities are: an estimate next to one becomes that size.
        const CurvePoint& above = *curve_.first_above(capacity);
        level.capacity_bytes = is_next_to(capacity, above) ? above.size_bytes : capacity;
    }

    /// The largest size up to `low_bytes` that has not left this level for the next.
    double last_held(const Level& level, double low_bytes) const {
        const Curve sizes = between(curve_.clean, {level.to_bytes, low_bytes});
        if (sizes.empty())
            return low_bytes;
        const auto held = std::find_if(sizes.rbegin(), sizes.rend(), [&](const CurvePoint& point) {
            const double on_level_ns = modelled_latency_ns(found_.caches, level.latency_ns, point.size_bytes);
            return point.latency_ns <= (1 + rules_.plain_error) * on_level_ns;
        });
        return held != sizes.rend() ? held->size_bytes : sizes.front().size_bytes;
    }

    /// Whether a size is in the last tenth of the step of the sweep that ends with `above`.
    bool is_next_to(double size, const CurvePoint& above) const {
        const double step = doublings(std::prev(curve_.first_above(size))->size_bytes, above.size_bytes);
        return doublings(size, above.size_bytes) < step / 10;
    }

    /// The latencies of these points without what the levels below serve: of those alone that repeat, if they are this
    /// share of all, as what differs from them has another reason, such as a TLB.
    std::vector<double> latencies_behind(Curve points, double least_repeated) const {
        std::vector<CurvePoint> behind(points.begin(), points.end());
        for (CurvePoint& point : behind)
            point.latency_ns = latency_behind_ns(found_.caches, point.latency_ns, point.size_bytes);
        std::vector<CurvePoint> alike = repeated(behind, rules_.least_error);
        std::vector<CurvePoint> flat = repeated({points.begin(), points.end()}, rules_.least_error);
        const auto [first, last] = std::ranges::minmax_element(flat, {}, &CurvePoint::size_bytes);
        if (flat.size() > alike.size() && last->size_bytes >= rules_.least_flat * first->size_bytes)
            alike = std::move(flat);
        constexpr std::size_t enough = 3;
        const bool do_repeat = alike.size() >= enough &&
                               static_cast<double>(alike.size()) >= least_repeated * static_cast<double>(points.size());
        std::vector<double> latencies;
        for (const CurvePoint& point : do_repeat ? alike : behind)
            latencies.push_back(point.latency_ns);
        return latencies;
    }

    /// Sets the latency of a level from the points well inside it, or else from those anywhere on it.
    void set_latency(LevelLatency& level, const Sizes& well_inside, const Sizes& anywhere) const {
        Curve points = between(curve_.clean, well_inside);
        if (points.empty())
            points = between(curve_.clean, {1.2 * anywhere.from, anywhere.to});
        if (points.empty())
            points = between(curve_.clean, {0, std::max(anywhere.to, curve_.clean.front().size_bytes)}).last(1);
        const bool is_between = anywhere.from > 0 && anywhere.to < endless; // the first cache and memory are not
        const double mean =
            robust_mean(latencies_behind(points, is_between ? rules_.least_repeated_between : rules_.least_repeated));
        const double highest = std::ranges::max_element(points, {}, &CurvePoint::latency_ns)->latency_ns;
        level.latency_ns = std::min(mean, (1 + rules_.most_lift) * highest);
        level.from_bytes = points.front().size_bytes;
        level.to_bytes = points.back().size_bytes;
        const auto measured_ns = [&](double size_bytes) { // not without what disturbed it: the rows show it
            return std::ranges::find(curve_.all, size_bytes, &CurvePoint::size_bytes)->latency_ns;
        };
        level.from_ns = measured_ns(level.from_bytes);
        level.to_ns = measured_ns(level.to_bytes);
    }

    const SearchedCurve& curve_;
    const LevelRules& rules_ = curve_.rules;
    FoundLevels found_;
};

} // namespace

FoundLevels levels_between(std::vector<Edge> edges, const SearchedCurve& curve) {
    return LevelSearch(std::move(edges), curve).levels();
}

} // namespace memtest

#include "memtest/insight/reported_levels.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

namespace memtest {
namespace {

/// The cost of an unpaired cache, in doublings: two of them cost as much as a pair that differs sixteen-fold.
constexpr double unpaired = 2;

double best_capacity(const Level& found) {
    const double low = found.capacity_low_bytes.value_or(found.edge.capacity_bytes);
    return found.capacity_bytes.value_or(std::sqrt(low * found.capacity_high_bytes.value_or(low)));
}

double cost_of_pair(const Level& found, const ReportedCache& reported, bool is_last, const LevelRules& rules) {
    constexpr double never = std::numeric_limits<double>::infinity();
    constexpr double most_larger = 1.5; // doublings: systems that report half of a cache exist, others are wrong
    const double larger = doublings(static_cast<double>(reported.size_bytes), best_capacity(found));
    if (larger > most_larger || found.latency_ns >= rules.most_cache_ns)
        return never;
    constexpr double of_slice = 3.5;     // of a last cache, which may be a large host's...
    constexpr double least_slice = -6.5; // ...but not a hundred times as large
    return is_last && larger < 0 && larger > least_slice ? std::min(-larger, of_slice) : std::abs(larger);
}

/// The min cost of pairing all caches from found[i] and reported[j] on.
using CostTable = std::vector<std::vector<double>>;

CostTable costs_of_pairing(std::span<const Level> found, std::span<const ReportedCache> reported,
                           const LevelRules& rules) {
    CostTable cost(found.size() + 1, std::vector<double>(reported.size() + 1));
    for (std::size_t i = found.size() + 1; i-- > 0;) {
        for (std::size_t j = reported.size() + 1; j-- > 0;) {
            if (i == found.size() || j == reported.size()) {
                cost[i][j] = unpaired * static_cast<double>(found.size() - i + reported.size() - j);
                continue;
            }
            cost[i][j] =
                std::min({cost[i + 1][j + 1] + cost_of_pair(found[i], reported[j], j + 1 == reported.size(), rules),
                          cost[i + 1][j] + unpaired, cost[i][j + 1] + unpaired});
        }
    }
    return cost;
}

/// Whether the range of the level's capacity holds the reported size.
bool holds_reported(const Level& level) {
    if (!level.reported_bytes || !level.capacity_low_bytes)
        return false;
    const auto bytes = static_cast<double>(*level.reported_bytes);
    return *level.capacity_low_bytes <= bytes && bytes <= level.capacity_high_bytes.value_or(bytes);
}

/// Where only sizes that may be off its latency put a level beyond its reported capacity, disturbances have hidden its
/// end: it holds the sizes well inside that capacity that have its latency. @return whether that is so
bool end_at_reported(Level& level, std::uint64_t reported_bytes, Curve curve, const LevelRules& rules) {
    const auto bytes = static_cast<double>(reported_bytes);
    const double furthest = std::max(level.to_bytes, level.capacity_low_bytes.value_or(0));
    const Curve inside = between(curve, {level.from_bytes, bytes / rules.inside_to});
    if (furthest <= bytes || inside.empty())
        return false;
    std::vector<double> latencies;
    std::ranges::transform(inside, std::back_inserter(latencies), &CurvePoint::latency_ns);
    const double latency_ns = robust_mean(latencies);
    const auto is_on_level = [&](const CurvePoint& point) {
        const double most = point.is_doubtful() ? 1 + rules.plain_error : rules.least_ratio;
        return point.latency_ns <= most * latency_ns;
    };
    const auto is_beyond = [&](const CurvePoint& point) { return point.size_bytes > bytes && is_on_level(point); };
    const auto held = std::find_if(inside.rbegin(), inside.rend(), is_on_level);
    if (held == inside.rend() || std::ranges::any_of(between(curve, {bytes, furthest}), is_beyond))
        return false;
    level.capacity_low_bytes = std::min(held->size_bytes, level.capacity_low_bytes.value_or(endless));
    level.latency_ns = latency_ns;
    level.to_bytes = inside.back().size_bytes;
    level.to_ns = inside.back().latency_ns;
    level.capacity_confidence = level.latency_confidence = Confidence::low;
    return true;
}

Confidence surer(Confidence confidence) {
    return confidence == Confidence::low ? Confidence::fair : Confidence::high;
}

/// Drops a level that is not reported and not sure, if there is one. @return whether there was one
bool drop_unreported(FoundLevels& found, const SearchedCurve& curve, std::span<const ReportedCache> reported) {
    const LevelRules& rules = curve.rules;
    const auto pairs = pair_with_reported(found.caches, reported, rules);
    const std::vector<LevelConfidence> sure = confidences(found, curve);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        if (pairs[k])
            continue;
        std::vector<Edge> edges = found.edges;
        const auto is_far_behind = [&](std::size_t place) {
            return found.ratio_behind(place) >= rules.least_foot_ratio;
        };
        const bool is_sure = sure[k].existence == Confidence::high && sure[k].latency == Confidence::high;
        const bool is_before_paired = k + 1 < pairs.size() && pairs[k + 1] && is_far_behind(k);
        if (found.caches[k].latency_ns >= rules.most_cache_ns)
            edges.resize(k); // it is memory, and what rises behind it are page walks and neighbours
        else if (is_sure && !(is_before_paired && sure[k + 1].latency == Confidence::low))
            continue;
        else if (is_before_paired)
            join_edges(edges, k); // of two levels for one cache the faster is right: the other lies on its rise
        else if (k > 0 && is_far_behind(k - 1))
            join_edges(edges, k - 1);
        else
            edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(k));
        found = levels_between(std::move(edges), curve);
        return true;
    }
    return false;
}

/// The size at which the curve is flattest, among those that are faster than memory; std::nullopt if there are too few.
std::optional<double> flattest(Curve curve, const Sizes& sizes, const LevelRules& rules) {
    std::optional<double> flattest_bytes;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i + 1 < curve.size(); ++i) {
        const CurvePoint& before = curve[i - 1];
        const CurvePoint& after = curve[i + 1];
        const double slope =
            std::log2(after.latency_ns / before.latency_ns) / doublings(before.size_bytes, after.size_bytes);
        if (curve[i].size_bytes < sizes.from || curve[i].size_bytes > sizes.to ||
            curve[i].latency_ns >= rules.most_cache_ns || slope >= least)
            continue;
        least = slope;
        flattest_bytes = curve[i].size_bytes;
    }
    return flattest_bytes;
}

/// The edges with one more, so that a level of its own ends where this cache does: a split rise, or a gentle one.
/// @param below_bytes the capacity of the level below it
std::vector<Edge> with_edge_of(const ReportedCache& cache, double below_bytes, std::vector<Edge> edges,
                               const SearchedCurve& searched) {
    const Curve curve = searched.condensed;
    const LevelRules& rules = searched.rules;
    const auto bytes = static_cast<double>(cache.size_bytes);
    const auto on_level = flattest(curve, {rules.least_capacity_ratio * below_bytes / rules.inside_to, bytes}, rules);
    if (!on_level)
        return edges;
    const auto above = std::ranges::upper_bound(edges, *on_level, {}, &Edge::to_bytes);
    if (above != edges.end() && above->from_bytes < *on_level) {
        const Edge upper{.from_bytes = *on_level,
                         .to_bytes = above->to_bytes,
                         .ends_in_foot = above->ends_in_foot,
                         .is_reported = true};
        above->to_bytes = *on_level;
        above->ends_in_foot = above->is_reported = true;
        edges.insert(std::next(above), upper);
        return edges;
    }
    const Curve held = between(curve, {*on_level, bytes});
    const Curve beyond =
        between(curve, {rules.inside_to * bytes, above != edges.end() ? above->from_bytes : curve.back().size_bytes});
    if (!beyond.empty())
        edges.insert(
            above, {.from_bytes = held.back().size_bytes, .to_bytes = beyond.front().size_bytes, .is_reported = true});
    return edges;
}

std::ptrdiff_t count_paired(const std::vector<std::optional<ReportedCache>>& pairs) {
    return std::ssize(pairs) - std::count(pairs.begin(), pairs.end(), std::nullopt);
}

/// Takes a gentler rise for an edge if it makes a level for this cache and takes none away.
void add_reported(FoundLevels& found, const SearchedCurve& curve, const ReportedCache& cache,
                  std::span<const ReportedCache> reported) {
    const auto bytes = static_cast<double>(cache.size_bytes);
    const auto pairs = pair_with_reported(found.caches, reported, curve.rules);
    if (std::ranges::count(pairs, std::optional(cache)) > 0 || bytes <= curve.all.front().size_bytes ||
        bytes >= curve.all.back().size_bytes)
        return;
    double below_bytes = 0;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        if (pairs[k] && pairs[k]->level < cache.level)
            below_bytes = found.caches[k].edge.capacity_bytes;
    }
    FoundLevels more = levels_between(with_edge_of(cache, below_bytes, found.edges, curve), curve);
    const auto now = pair_with_reported(more.caches, reported, curve.rules);
    if (std::ranges::count(now, std::optional(cache)) > 0 && count_paired(now) == count_paired(pairs) + 1)
        found = std::move(more);
}

} // namespace

std::vector<ReportedCache> plausible_caches(std::span<const ReportedCache> reported) {
    std::vector<ReportedCache> caches(reported.begin(), reported.end());
    std::ranges::sort(caches, {}, &ReportedCache::level);
    const auto is_not_above = [](const ReportedCache& cache, const ReportedCache& next) {
        return next.level == cache.level || next.size_bytes <= cache.size_bytes;
    };
    const bool is_none = caches.empty() || caches.front().size_bytes == 0;
    return is_none || std::ranges::adjacent_find(caches, is_not_above) != caches.end() ? std::vector<ReportedCache>()
                                                                                       : caches;
}

Unseen why_unseen(const ReportedCache& cache, std::span<const ReportedCache> reported, double largest_bytes,
                  double sizes_per_doubling) {
    constexpr std::uint64_t plateau_from = 3; // times the cache before
    constexpr double dense = 7.5;             // sizes per doubling: 8, where ends are rounded
    const auto crowds = [&cache](const ReportedCache& other) {
        const auto [smaller, larger] = std::minmax(cache.size_bytes, other.size_bytes);
        return smaller < larger && larger < plateau_from * smaller;
    };
    if (!exceeds_cache(static_cast<std::uint64_t>(largest_bytes), cache.size_bytes))
        return Unseen::sweep_too_short;
    return sizes_per_doubling < dense && std::ranges::any_of(reported, crowds) ? Unseen::too_near : Unseen::no_trace;
}

std::vector<std::optional<ReportedCache>>
pair_with_reported(std::span<const Level> found, std::span<const ReportedCache> reported, const LevelRules& rules) {
    const CostTable cost = costs_of_pairing(found, reported, rules);
    std::vector<std::optional<ReportedCache>> pairs(found.size());
    std::size_t j = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        while (j < reported.size() && cost[i][j] == cost[i][j + 1] + unpaired)
            ++j; // reported, but not found
        if (j < reported.size() &&
            cost[i][j] == cost[i + 1][j + 1] + cost_of_pair(found[i], reported[j], j + 1 == reported.size(), rules))
            pairs[i] = reported[j++];
    }
    return pairs;
}

bool is_much_smaller(const Level& level) {
    if (!level.reported_bytes || !level.capacity_high_bytes)
        return false;
    const auto bytes = static_cast<double>(*level.reported_bytes);
    return *level.capacity_high_bytes < bytes && best_capacity(level) < own_share * bytes;
}

void weigh_reported(FoundLevels& found, const SearchedCurve& curve, std::span<const ReportedCache> reported,
                    bool is_strided) {
    if (reported.empty())
        return;
    while (drop_unreported(found, curve, reported)) {
    }
    if (is_strided) // gentle rises are the prefetcher's
        return;
    for (const ReportedCache& cache : reported)
        add_reported(found, curve, cache, reported);
}

void note_reported(Hierarchy& hierarchy, Curve curve, std::span<const ReportedCache> reported,
                   const LevelRules& rules) {
    const auto pairs = pair_with_reported(hierarchy.caches, reported, rules);
    int number = 0;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        Level& level = hierarchy.caches[k];
        level.number = number = std::max(number + 1, pairs[k] ? pairs[k]->level : 0);
        if (!pairs[k])
            continue;
        level.reported_bytes = pairs[k]->size_bytes;
        const bool is_cut = end_at_reported(level, pairs[k]->size_bytes, curve, rules);
        if (!holds_reported(level))
            continue;
        level.capacity_bytes = static_cast<double>(pairs[k]->size_bytes);
        if (!is_cut) // else the range holds it because it is reported
            level.capacity_confidence = surer(level.capacity_confidence);
    }
    if (hierarchy.caches.empty() || reported.empty())
        return;
    if (count_paired(pairs) < std::ssize(pairs))
        hierarchy.remarks.push_back(Code::level_not_reported);
    for (const ReportedCache& cache : reported) {
        const auto bytes = static_cast<double>(cache.size_bytes);
        if (std::ranges::count(pairs, std::optional(cache)) == 0 && curve.front().size_bytes < bytes &&
            bytes < curve.back().size_bytes)
            hierarchy.unseen.push_back(cache);
    }
}

} // namespace memtest

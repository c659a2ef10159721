#include "memtest/insight/levels.hpp"

#include "memtest/insight/level_search.hpp"
#include "memtest/insight/reported_levels.hpp"

#include <algorithm>
#include <cstddef>

namespace memtest {
namespace {

/// The last cache of a sweep that ends before the cache does: at most its min capacity is known.
Level open_ended(Curve clean, const LevelLatency& fastest, double capacity_bytes, double least_ratio) {
    Level level;
    level.latency_ns = fastest.latency_ns;
    level.from_bytes = fastest.from_bytes;
    level.to_bytes = fastest.to_bytes;
    const Curve sizes = between(clean, {fastest.from_bytes, capacity_bytes});
    const auto slowest = std::ranges::max_element(sizes, {}, &CurvePoint::latency_ns);
    const auto fastest_size = std::ranges::min_element(sizes, {}, &CurvePoint::latency_ns);
    // More than this ratio is a rise, which may be that of another level.
    if (!sizes.empty() && slowest->latency_ns < least_ratio * fastest_size->latency_ns)
        level.capacity_low_bytes = capacity_bytes;
    level.edge.capacity_bytes = capacity_bytes;
    return level;
}

/// Whether the sweep goes far enough beyond the last cache to show memory.
bool reaches_memory(const FoundLevels& found, const SearchedCurve& curve, std::span<const ReportedCache> reported) {
    const LevelRules& rules = curve.rules;
    const double largest = curve.all.back().size_bytes;
    // The system's last cache does not serve what lies so far beyond it, and no cache is so slow.
    if (!reported.empty() && largest >= rules.memory_from * static_cast<double>(reported.back().size_bytes) &&
        found.memory->latency_ns >= rules.most_cache_ns)
        return true;
    return !curve.last_rise && largest >= rules.memory_reach * *found.caches.back().capacity_low_bytes;
}

Hierarchy hierarchy_of(const FoundLevels& found, const SearchedCurve& curve) {
    Hierarchy result{.caches = found.caches, .memory = found.memory, .remarks = {}};
    const std::vector<LevelConfidence> sure = confidences(found, curve);
    for (std::size_t k = 0; k < sure.size(); ++k) {
        result.caches[k].capacity_confidence = sure[k].capacity;
        result.caches[k].latency_confidence = sure[k].latency;
    }
    if (result.memory)
        result.memory->latency_confidence = memory_confidence(found, curve);
    if (std::ranges::any_of(found.edges, &Edge::may_hide_level))
        result.remarks.push_back(Code::hidden_level);
    if (std::ranges::any_of(found.edges, &Edge::ends_in_foot))
        result.remarks.push_back(Code::only_a_foot);
    if (found.is_coloured)
        result.remarks.push_back(Code::page_colours);
    return result;
}

Hierarchy read_hierarchy(Curve curve, const SweepFacts& sweep, const LevelRules& rules) {
    if (curve.size() < 3)
        return {{}, std::nullopt, {Code::too_few_points}};
    const double span = doublings(curve.front().size_bytes, curve.back().size_bytes);
    if (static_cast<double>(curve.size()) > rules.most_points_per_doubling * std::max(span, 1.0))
        return read_hierarchy(condensed(curve, rules.most_points_per_doubling / 2), sweep, rules);
    const SearchedCurve searched(curve, rules, sweep.small_pages);
    const bool is_known_stride = sweep.order && sweep.order != Order::random;
    FoundLevels found = levels_between(searched.edges, searched);
    weigh_reported(found, searched, sweep.caches, is_known_stride);
    Hierarchy result = hierarchy_of(found, searched);
    const double largest = curve.back().size_bytes;
    const bool too_fast = result.memory && result.memory->latency_ns < rules.least_memory_ns;
    // In an unknown order, what is still faster than memory where hardly any cache reaches was a stride.
    const bool stride =
        is_known_stride || (!sweep.order && too_fast && !searched.last_rise && largest >= 2 * rules.most_strided_bytes);
    if (result.caches.empty()) {
        const Code flat = stride && largest >= rules.flat_bytes ? Code::prefetched : Code::no_edge;
        result.remarks.push_back(searched.last_rise ? Code::memory_not_reached : flat);
        return result;
    }
    if (too_fast && !stride)
        result.caches.push_back(open_ended(searched.clean, *result.memory,
                                           searched.last_rise ? searched.last_rise->from_bytes : largest,
                                           rules.least_ratio));
    if (too_fast || !reaches_memory(found, searched, sweep.caches)) {
        result.remarks.push_back(too_fast && stride ? Code::prefetched : Code::memory_not_reached);
        result.memory.reset();
    }
    const bool is_too_large = stride && result.caches.back().capacity_low_bytes.value_or(0) >= rules.most_strided_bytes;
    if (is_too_large)
        result.caches.back().capacity_confidence = result.caches.back().latency_confidence = Confidence::low;
    if (too_fast && stride) {
        for (Level& cache : result.caches)
            cache.capacity_confidence = cache.latency_confidence = Confidence::low;
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

Hierarchy infer_levels(Curve curve, const SweepFacts& sweep, const LevelRules& rules) {
    SweepFacts facts = sweep;
    facts.caches = plausible_caches(sweep.caches);
    LevelRules of_pages = rules;
    if (sweep.small_pages.value_or(true))
        of_pages.least_ratio_beyond = rules.least_ratio_beyond_walks;
    Hierarchy result = read_hierarchy(curve, facts, of_pages);
    note_contested(result, curve);
    const auto disturbed = static_cast<double>(count_disturbed(curve));
    if (curve.size() > 1 && disturbed >= rules.many_disturbed * static_cast<double>(curve.size())) {
        std::erase(result.remarks, Code::hidden_level); // disturbances make a rise longer as well
        result.remarks.push_back(Code::many_disturbed);
        for (Level& cache : result.caches) {
            if (cache.capacity_confidence == Confidence::fair) // a high one has nothing disturbed next to it
                cache.capacity_confidence = Confidence::low;
        }
    }
    note_reported(result, curve, facts.caches, rules);
    return result;
}

void drop_prefetched(Hierarchy& hierarchy, double from_bytes) {
    const auto reaches_it = [from_bytes](const Level& level) {
        return !level.capacity_high_bytes || *level.capacity_high_bytes >= from_bytes;
    };
    std::erase_if(hierarchy.caches, reaches_it);
    hierarchy.memory.reset();
    hierarchy.unseen.clear();
    hierarchy.prefetched_from_bytes = from_bytes;
    if (std::ranges::count(hierarchy.remarks, Code::prefetched) == 0)
        hierarchy.remarks.push_back(Code::prefetched);
}

} // namespace memtest

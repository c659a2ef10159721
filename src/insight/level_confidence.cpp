#include "memtest/insight/level_search.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace memtest {
namespace {

class LevelJudge {
public:
    LevelJudge(const FoundLevels& found, const SearchedCurve& curve) : found_(found), curve_(curve) {}

    [[nodiscard]] LevelConfidence judge(std::size_t k) const {
        const Level& level = found_.caches[k];
        const Confidence there = existence(k);
        const bool is_crowded = room(k) < rules_.ample_room || found_.edges[k].ends_in_foot;
        const bool is_blurred = k == 0 && found_.is_coloured;
        const bool is_capacity_sure = !is_crowded && !is_blurred && is_range_sure(level) &&
                                      !is_disturbed_around(level) &&
                                      (k == 0 || !is_disturbed_around(found_.caches[k - 1]));
        return {.existence = there,
                .capacity = is_capacity_sure ? there : std::max(there, Confidence::fair),
                .latency = of_latency(level, there, is_crowded)};
    }

    [[nodiscard]] Confidence judge_memory() const {
        const std::size_t last = found_.caches.size() - 1;
        const LevelLatency& memory = *found_.memory;
        const bool is_clear = found_.ratio_behind(last) >= rules_.ample_ratio && !hides_below(last + 1);
        return of_latency(memory, is_clear && !memory.rises() ? Confidence::high : Confidence::fair,
                          memory.to_bytes < rules_.ample_room * found_.caches[last].edge.capacity_bytes);
    }

private:
    /// @param is_crowded the levels below still serve much of it
    [[nodiscard]] Confidence of_latency(const LevelLatency& level, Confidence there, bool is_crowded) const {
        const Curve inside = between(curve_.clean, {level.from_bytes, level.to_bytes});
        const bool is_sure =
            !is_crowded && level.from_bytes != level.to_bytes && 4 * count_disturbed(inside) <= inside.size();
        const Confidence latency = is_sure ? there : std::max(there, Confidence::fair);
        return repeats(inside) ? std::min(latency, Confidence::fair) : latency;
    }

    /// Of the level below: how many times larger this one is.
    [[nodiscard]] double room(std::size_t k) const {
        return k > 0 ? found_.caches[k].edge.capacity_bytes / found_.caches[k - 1].edge.capacity_bytes : endless;
    }

    [[nodiscard]] Confidence existence(std::size_t k) const {
        if (found_.is_foot(k) || room(k) < rules_.least_room || found_.edges[k].may_hide_level)
            return Confidence::low;
        const bool is_barely_apart =
            found_.ratio_behind(k) < rules_.ample_ratio || (k > 0 && found_.ratio_behind(k - 1) < rules_.ample_ratio);
        return is_barely_apart || found_.edges[k].follows_step || may_hide_behind(k) || hides_below(k)
                   ? Confidence::fair
                   : Confidence::high;
    }

    /// Whether a latency is the same at three sizes or more, none of them disturbed.
    [[nodiscard]] bool repeats(Curve inside) const {
        constexpr std::size_t enough = 3;
        if (inside.size() < enough || count_disturbed(inside) > 0)
            return false;
        const auto [low, high] = std::ranges::minmax_element(inside, {}, &CurvePoint::latency_ns);
        return high->latency_ns <= (1 + rules_.least_error) * low->latency_ns;
    }

    /// Whether a level below this one may be missing, which would put this one in the wrong place.
    [[nodiscard]] bool hides_below(std::size_t k) const {
        for (std::size_t below = 0; below < k; ++below) {
            if (found_.edges[below].may_hide_level || may_hide_behind(below))
                return true;
        }
        return false;
    }

    /// Whether the rise after cache k is long enough to hide a level that nothing else shows.
    [[nodiscard]] bool may_hide_behind(std::size_t k) const {
        if (k + 1 < found_.caches.size() && found_.ratio_behind(k) <= rules_.clear_ratio)
            return false;
        const Level& level = found_.caches[k];
        const Curve rise = between(curve_.clean, {level.from_bytes, endless});
        const double step_ns = (found_.ratio_behind(k) - 1) * level.latency_ns;
        const double half = size_reaching(rise, level.latency_ns + 0.5 * step_ns);
        const double step = curve_.step_at(half);
        // With one size per doubling a level may show as a single size.
        const Curve on_rise =
            between(curve_.clean, {1.01 * found_.edges[k].from_bytes, found_.edges[k].to_bytes / 1.01});
        const bool is_one_size = std::ranges::any_of(on_rise, [&](const CurvePoint& point) {
            return point.latency_ns >= rules_.least_foot_ratio * level.latency_ns &&
                   point.latency_ns <= (level.latency_ns + step_ns) / rules_.least_foot_ratio;
        });
        if (step >= 1 && is_one_size)
            return true;
        const double early_ns =
            std::max(0.05 * step_ns, 0.2 * level.latency_ns); // more than noise and a level of translation
        return doublings(size_reaching(rise, level.latency_ns + early_ns), half) > rules_.long_foot + step / 4;
    }

    [[nodiscard]] bool is_range_sure(const Level& level) const {
        constexpr double widest = 1.99; // doublings: four times as much or more, despite rounding, is hardly known
        if (!level.capacity_bytes)
            return true; // the whole range is equally likely, and is all that is reported
        const double step = curve_.step_at(*level.capacity_bytes);
        return doublings(*level.capacity_low_bytes, *level.capacity_high_bytes) <= widest &&
               doublings(*level.capacity_bytes, *level.capacity_high_bytes) <= std::max(rules_.sure_range, step) + step;
    }

    /// Whether a size in or next to the range of a level's capacity was disturbed.
    [[nodiscard]] bool is_disturbed_around(const Level& level) const {
        const double step = std::exp2(1 / rules_.points_per_doubling);
        const auto first = std::find_if(curve_.condensed.begin(), curve_.condensed.end(), [&](const CurvePoint& point) {
            return point.size_bytes * step > *level.capacity_low_bytes;
        });
        const auto last = std::find_if(first, curve_.condensed.end(), [&](const CurvePoint& point) {
            return point.size_bytes > step * *level.capacity_high_bytes;
        });
        const auto begin = first == curve_.condensed.begin() ? first : std::prev(first);
        return count_disturbed({begin, last == curve_.condensed.end() ? last : std::next(last)}) > 0;
    }

    const FoundLevels& found_;
    const SearchedCurve& curve_;
    const LevelRules& rules_ = curve_.rules;
};

} // namespace

std::size_t count_disturbed(Curve points) {
    return static_cast<std::size_t>(std::ranges::count_if(points, &CurvePoint::is_doubtful));
}

std::vector<LevelConfidence> confidences(const FoundLevels& found, const SearchedCurve& curve) {
    const LevelJudge judge(found, curve);
    std::vector<LevelConfidence> all;
    for (std::size_t k = 0; k < found.caches.size(); ++k)
        all.push_back(judge.judge(k));
    return all;
}

Confidence memory_confidence(const FoundLevels& found, const SearchedCurve& curve) {
    return LevelJudge(found, curve).judge_memory();
}

} // namespace memtest

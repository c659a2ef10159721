#include "memtest/insight/compare.hpp"

#include "memtest/base/error.hpp"
#include "memtest/measure/statistics.hpp"

#include <cmath>
#include <iterator>
#include <map>
#include <numbers>
#include <utility>

namespace memtest {
namespace {

// A size with more LogPoint::scatter, as of visits that disagree by more than 10 %, is taken for the edge of a cache.
constexpr double most_scatter_of_plateau = 0.05;

// A change of this many times the noise is not noise.
constexpr double times_noise = 3;

constexpr double least_share_in_common = 0.5;
constexpr double least_share_left_out = 0.1; // too much if more

/// The values of these rows, all of them on the curve.
std::vector<double> values_of(const LatencyCurve& curve, std::span<const RowKey> keys, double LogPoint::*value) {
    std::vector<double> values;
    for (const RowKey& key : keys)
        values.push_back(curve.at(key).*value);
    return values;
}

/// The changes of the log latencies of these rows, all of them on both curves.
std::vector<double> log_changes(const LatencyCurve& from, const LatencyCurve& to, std::span<const RowKey> keys) {
    std::vector<double> changes;
    for (const RowKey& key : keys)
        changes.push_back(to.at(key).log_latency - from.at(key).log_latency);
    return changes;
}

/// The variance of the median of values that may have outliers; 0 for a single value.
double variance_of_median(const std::vector<double>& values) {
    const double middle = median(values);
    std::vector<double> distances;
    for (const double value : values)
        distances.push_back(std::abs(value - middle));
    constexpr double deviation_per_distance = 1.4826; // for normal values, from the median of their distances
    const double deviation = deviation_per_distance * median(std::move(distances));
    return std::numbers::pi / 2 * deviation * deviation / static_cast<double>(values.size());
}

/// Judges changes, corrected for the number of changes tested together.
class Judge {
public:
    Judge(std::vector<LatencyCurve> baselines, LatencyCurve latest, double tolerance_percent)
        : baselines_(std::move(baselines)), base_(median_curve(baselines_)), latest_(std::move(latest)),
          tolerance_percent_(tolerance_percent), judge_(tolerance_percent, 1, baselines_.size()) {}

    [[nodiscard]] const LatencyCurve& base() const { return base_; }
    [[nodiscard]] const LatencyCurve& latest() const { return latest_; }
    [[nodiscard]] bool all_baselines_have(const RowKey& key) const {
        return std::ranges::all_of(baselines_, [&key](const LatencyCurve& curve) { return curve.contains(key); });
    }

    /// Sets the number of changes that are judged together.
    void share_chance_among(std::size_t tests) { judge_ = ChangeJudge(tolerance_percent_, tests, baselines_.size()); }

    /// The change of rows that every sweep has.
    [[nodiscard]] Change judge(std::span<const RowKey> keys) const {
        const std::vector<double> changes = log_changes(base_, latest_, keys);
        const double change = cautious_median(changes);
        const double noise = judge_.bound(
            {.latest = cautious_median(values_of(latest_, keys, &LogPoint::noise)),
             .base = cautious_median(values_of(base_, keys, &LogPoint::noise)),
             .between = variance_between(baselines_.size(),
                                         [&](std::size_t i, std::size_t j) {
                                             return cautious_median(log_changes(baselines_[i], baselines_[j], keys));
                                         }),
             .disagreement = variance_of_median(changes)});
        const double base_latency = median(values_of(base_, keys, &LogPoint::log_latency));
        return {std::exp(base_latency), std::exp(base_latency + change), percent_of(change), percent_of(noise),
                judge_.verdict(change, noise)};
    }

private:
    std::vector<LatencyCurve> baselines_;
    LatencyCurve base_; ///< the median of the baselines
    LatencyCurve latest_;
    double tolerance_percent_;
    ChangeJudge judge_;
};

/// The rows that every sweep has.
std::vector<RowKey> keys_in_common(const Judge& judge) {
    std::vector<RowKey> common;
    for (const auto& [key, point] : judge.latest())
        if (judge.all_baselines_have(key))
            common.push_back(key);
    return common;
}

bool is_contested(const Judge& judge, const RowKey& key) {
    return judge.base().at(key).contested || judge.latest().at(key).contested;
}

std::vector<SizeChange> judge_sizes(Judge& judge, std::span<const RowKey> common) {
    std::vector<SizeChange> sizes;
    judge.share_chance_among(common.size());
    for (const RowKey& key : common) {
        sizes.push_back(
            {key.thread, judge.base().at(key).size_bytes, judge.judge({&key, 1}), is_contested(judge, key)});
        if (sizes.back().contested)
            sizes.back().change.verdict = Verdict::cannot_tell;
    }
    return sizes;
}

bool covers(const SizeRange& level, double size_bytes) {
    return size_bytes >= level.from_bytes - size_resolution_bytes / 2 &&
           size_bytes <= level.to_bytes + size_resolution_bytes / 2;
}

constexpr double clearly_apart = 2; // small rises bring closer levels near each other

/// Whether a level has moved more than half the way, as logarithms go, to the latency of the level after it.
bool came_close(const Change& level, const Change& behind) {
    const double apart = behind.base / level.base;
    const double left = std::max(behind.base, behind.latest) / level.latest;
    return apart >= clearly_apart && std::log(left) < std::log(apart) / 2;
}

/// The rows of a level without its edge, if two or more are left, and half of all.
std::vector<RowKey> plateau_of(const Judge& judge, const std::vector<RowKey>& level) {
    std::vector<RowKey> plateau;
    std::ranges::copy_if(level, std::back_inserter(plateau), [&judge](const RowKey& key) {
        return std::max(judge.base().at(key).scatter, judge.latest().at(key).scatter) <= most_scatter_of_plateau;
    });
    return plateau.size() >= 2 && 2 * plateau.size() >= level.size() ? plateau : level;
}

std::vector<LevelChange> judge_levels(Judge& judge, std::span<const RowKey> common, std::span<const SizeRange> levels) {
    std::map<std::pair<int, std::size_t>, std::vector<RowKey>> rows; // by thread and level
    for (const RowKey& key : common)
        for (std::size_t level = 0; level < levels.size(); ++level)
            if (covers(levels[level], judge.base().at(key).size_bytes))
                rows[{key.thread, level}].push_back(key);

    std::vector<LevelChange> changes;
    judge.share_chance_among(rows.size());
    for (const auto& [where, level] : rows) {
        std::vector<RowKey> own = level; // but not those that others contest
        std::erase_if(own, [&judge](const RowKey& key) { return is_contested(judge, key); });
        const std::vector<RowKey> here = plateau_of(judge, own.empty() ? level : own);
        changes.push_back({.thread = where.first,
                           .name = levels[where.second].name,
                           .sizes = here.size(),
                           .largest_bytes = judge.base().at(level.back()).size_bytes,
                           .change = judge.judge(here),
                           .open_ended = levels[where.second].open_ended,
                           .smallest_bytes = judge.base().at(level.front()).size_bytes});
        LevelChange& change = changes.back();
        change.contested = own.size() < level.size() && (own.size() < 2 || 2 * own.size() < level.size());
        Verdict& verdict = change.change.verdict;
        change.far_slower = verdict == Verdict::slower && !change.contested && here.size() > 1 &&
                            change.change.change_percent > times_noise * change.change.noise_percent;
        if (change.contested)
            verdict = Verdict::cannot_tell;
        if (here.size() == 1 && verdict == Verdict::slower)
            verdict = Verdict::cannot_tell; // one disturbance can cover one size
    }
    return changes;
}

/// Marks the lost ones among the slower levels. After a level comes the next one, or else the largest size; after an
/// open-ended one, something clearly slower.
void find_lost_levels(std::vector<LevelChange>& levels, std::span<const SizeChange> sizes) {
    for (std::size_t i = 0; i < levels.size(); ++i) {
        LevelChange& level = levels[i];
        const auto largest = std::prev(std::ranges::upper_bound(sizes, level.thread, {}, &SizeChange::thread));
        const bool has_next = i + 1 < levels.size() && levels[i + 1].thread == level.thread;
        const bool is_last = !has_next && largest->size_bytes <= level.largest_bytes;
        Change behind = has_next ? levels[i + 1].change : largest->change;
        if (level.open_ended)
            behind.base = behind.latest = clearly_apart * level.change.base;
        if ((is_last && !level.open_ended) || level.change.verdict != Verdict::slower ||
            !came_close(level.change, behind))
            continue;
        level.lost = true;
        level.change.verdict = Verdict::cannot_tell;
    }
}

/// The longest run of neighbouring sizes of one thread with this verdict.
std::size_t most_neighbours(std::span<const SizeChange> sizes, Verdict verdict) {
    std::size_t most = 0;
    std::size_t run = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (i > 0 && sizes[i].thread != sizes[i - 1].thread)
            run = 0;
        run = sizes[i].change.verdict == verdict ? run + 1 : 0;
        most = std::max(most, run);
    }
    return most;
}

template<typename Changes>
std::size_t count(const Changes& changes, Verdict verdict) {
    return static_cast<std::size_t>(
        std::ranges::count_if(changes, [verdict](const auto& entry) { return entry.change.verdict == verdict; }));
}

/// The sizes that one sweep has and another lacks, by thread: those that the latest sweep lacks, then those that it
/// has and a baseline lacks.
/// @param all the rows of all sweeps
/// @param judged the levels that have a size left to compare, by thread
std::vector<MissingSizes> missing_sizes(const Judge& judge, const LatencyCurve& all, std::span<const SizeRange> levels,
                                        std::span<const LevelChange> judged) {
    std::map<std::pair<int, bool>, MissingSizes> missing;
    for (const auto& [key, point] : all) {
        const bool of_baseline = judge.latest().contains(key);
        if (of_baseline && judge.all_baselines_have(key))
            continue;
        MissingSizes& range = missing[{key.thread, of_baseline}];
        if (range.sizes == 0)
            range = {.thread = key.thread, .from_bytes = point.size_bytes, .of_baseline = of_baseline};
        range.to_bytes = point.size_bytes;
        ++range.sizes;
        for (const SizeRange& level : levels) {
            const auto is_level = [&, thread = key.thread](const LevelChange& change) {
                return change.thread == thread && change.name == level.name;
            };
            if (covers(level, point.size_bytes) && std::ranges::count(range.levels, level.name) == 0 &&
                std::ranges::none_of(judged, is_level))
                range.levels.push_back(level.name);
        }
    }
    std::vector<MissingSizes> result;
    for (auto& [where, range] : missing)
        result.push_back(std::move(range));
    return result;
}

/// Whether too much is missing: a level, a tenth of the sizes, or any size of the baselines.
bool leaves_much_out(const Comparison& comparison) {
    std::size_t sizes = 0;
    for (const MissingSizes& missing : comparison.missing) {
        if (!missing.of_baseline || !missing.levels.empty())
            return true;
        sizes += missing.sizes;
    }
    return static_cast<double>(sizes) >= least_share_left_out * static_cast<double>(comparison.sizes_in_all);
}

/// Whether neighbouring sizes are slower without a slower or lost level as the reason.
bool has_shrunk(const Comparison& comparison) {
    const bool explained = std::ranges::any_of(comparison.levels, [](const LevelChange& level) {
        return level.lost || level.change.verdict == Verdict::slower;
    });
    return !comparison.levels.empty() && !explained &&
           most_neighbours(comparison.sizes, Verdict::slower) >= neighbours_that_hint;
}

Verdict verdict_of(const Comparison& comparison) {
    if (!comparison.enough_in_common || !comparison.incomplete.empty())
        return Verdict::cannot_tell;
    const bool has_levels = !comparison.levels.empty();
    const auto found = [&](Verdict verdict) {
        return has_levels ? count(comparison.levels, verdict) > 0
                          : most_neighbours(comparison.sizes, verdict) >= neighbours_that_count;
    };
    if (found(Verdict::slower))
        return Verdict::slower;
    const bool too_noisy = has_levels ? found(Verdict::cannot_tell)
                                      : 2 * count(comparison.sizes, Verdict::cannot_tell) > comparison.sizes.size();
    if (too_noisy || comparison.capacity_shrunk || comparison.lacks_rows)
        return Verdict::cannot_tell;
    const bool some_faster = most_neighbours(comparison.sizes, Verdict::faster) >= neighbours_that_count;
    return found(Verdict::faster) || some_faster ? Verdict::faster : Verdict::no_difference;
}

} // namespace

Comparison compare_sweeps(std::span<const std::vector<SizeFigure>> baselines, std::span<const SizeFigure> latest,
                          std::span<const SizeRange> levels, double tolerance_percent,
                          std::vector<std::string> incomplete) {
    require(!baselines.empty(), "there is a baseline to compare with");
    std::vector<LatencyCurve> curves;
    for (const auto& baseline : baselines)
        curves.push_back(curve_of(baseline));
    Judge judge(std::move(curves), curve_of(latest), tolerance_percent);
    const std::vector<RowKey> common = keys_in_common(judge);
    LatencyCurve all = judge.base();
    all.insert(judge.latest().begin(), judge.latest().end());

    Comparison comparison;
    comparison.sizes = judge_sizes(judge, common);
    comparison.levels = judge_levels(judge, common, levels);
    find_lost_levels(comparison.levels, comparison.sizes);
    comparison.tolerance_percent = tolerance_percent;
    comparison.sizes_in_all = all.size();
    comparison.enough_in_common =
        common.size() >= neighbours_that_count &&
        static_cast<double>(common.size()) >= least_share_in_common * static_cast<double>(comparison.sizes_in_all);
    comparison.missing = missing_sizes(judge, all, levels, comparison.levels);
    comparison.incomplete = std::move(incomplete);
    comparison.capacity_shrunk = has_shrunk(comparison);
    comparison.lacks_rows =
        !comparison.enough_in_common || !comparison.incomplete.empty() || leaves_much_out(comparison);
    comparison.verdict = verdict_of(comparison);
    return comparison;
}

void take_back_disturbed(Comparison& comparison, std::string latest, std::vector<std::string> disturbed,
                         std::size_t baselines) {
    comparison.disturbance = std::move(latest);
    if (2 * disturbed.size() >= baselines)
        comparison.disturbed = std::move(disturbed);
    const bool is_slower = comparison.verdict == Verdict::slower;
    if (is_slower ? !comparison.disturbance.empty() : !comparison.disturbed.empty())
        comparison.verdict = Verdict::cannot_tell;
}

void keep_far_slower(Comparison& comparison, const Comparison& before) {
    for (LevelChange& level : comparison.levels) {
        const auto is_same = [&level](const LevelChange& other) {
            return other.thread == level.thread && other.name == level.name && other.far_slower;
        };
        level.far_slower = level.far_slower && std::ranges::any_of(before.levels, is_same);
    }
}

std::set<double> sizes_in_doubt(const Comparison& comparison) {
    std::set<double> sizes;
    const auto is_noisy = [](const Change& change) { return change.verdict == Verdict::cannot_tell; };
    for (const SizeChange& size : comparison.sizes) {
        const bool is_of_level = std::ranges::any_of(comparison.levels, [&](const LevelChange& level) {
            return (level.change.verdict == Verdict::slower || is_noisy(level.change)) &&
                   level.smallest_bytes <= size.size_bytes && size.size_bytes <= level.largest_bytes;
        });
        if (!comparison.lacks_rows && (is_of_level || size.change.verdict == Verdict::slower ||
                                       (comparison.levels.empty() && is_noisy(size.change))))
            sizes.insert(size.size_bytes);
    }
    return sizes;
}

} // namespace memtest

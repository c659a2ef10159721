#include "memtest/insight/compare.hpp"

#include "memtest/error.hpp"
#include "memtest/insight/student_t.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace memtest {
namespace {

// How often what is called noise may be exceeded by chance, at any level and at any size. Sizes have the smaller share:
// there are more of them, and where a cache ends the batches of a run know least about the next run.
constexpr double chance_for_levels = 0.02;
constexpr double chance_for_sizes = 0.002;

// What one run's batches say about the next run: in 200 runs on a shared virtual machine with 4 KiB pages, the standard
// deviation of the smallest batch from run to run was 0.1 (L1), 0.4 (L3) and 0.8 (memory) of median/min - 1, which in
// turn was a sixth to a third of largest/smallest - 1. With 0.2 to 0.35 here, and the next constant between 3 and 6,
// the same runs gave 0.5 to 4 % false alarms and found a rise of L3 by 10 % in 74 to 91 %: fewer of the one, fewer of
// the other.
constexpr double noise_per_batch_dispersion = 0.3;
constexpr double dispersion_per_spread = 0.25;

// How many baselines' worth of evidence that is (Smyth's d0).
constexpr int batch_evidence = 4;

// For files without --stats: within the range seen on that machine, from 0.1 % (L1) to 5 % (memory).
constexpr double noise_where_not_known = 0.02;

// Noise that hides more than this many tolerances makes a verdict of `no difference` worthless.
constexpr double hidden_tolerances = 4;

constexpr double least_share_in_common = 0.5;

// Sizes are stored in MiB with five decimals.
constexpr double size_resolution_bytes = 1024.0 * 1024.0 / 1e5;

/// One size on one thread, comparable between files.
struct Place {
    int thread;
    std::int64_t size_steps;

    auto operator<=>(const Place&) const = default;
};

Place place_of(const SizeFigure& figure) {
    return {figure.thread, std::llround(figure.size_bytes / size_resolution_bytes)};
}

struct Point {
    double size_bytes;
    double log_latency;
    double noise; ///< the standard deviation of the logarithm that its own run suggests
};

using Curve = std::map<Place, Point>;

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// The median; of two middle values the one nearer to zero, so that of two sizes both must have changed.
double cautious_median(std::vector<double> changes) {
    std::sort(changes.begin(), changes.end());
    const double lower = changes[(changes.size() - 1) / 2];
    const double upper = changes[changes.size() / 2];
    return std::clamp(0.0, lower, upper);
}

double noise_of(const SizeFigure& figure) {
    double dispersion = 0;
    if (figure.min_ns && figure.median_ns)
        dispersion = std::max(*figure.median_ns / *figure.min_ns - 1, 0.0);
    else if (figure.spread_percent)
        dispersion = *figure.spread_percent / 100 * dispersion_per_spread;
    else
        dispersion = noise_where_not_known / noise_per_batch_dispersion;
    return noise_per_batch_dispersion * std::max(dispersion, figure.placement_percent.value_or(0) / 100);
}

/// The middle of several points at one place.
Point middle(const std::vector<Point>& points) {
    std::vector<double> latencies;
    std::vector<double> noises;
    for (const Point& point : points) {
        latencies.push_back(point.log_latency);
        noises.push_back(point.noise);
    }
    return {points.front().size_bytes, median(std::move(latencies)), median(std::move(noises))};
}

Curve middle(const std::map<Place, std::vector<Point>>& points) {
    Curve curve;
    for (const auto& [place, here] : points)
        curve.emplace(place, middle(here));
    return curve;
}

/// A size measured more than once counts with its median.
Curve curve_of(std::span<const SizeFigure> figures) {
    std::map<Place, std::vector<Point>> points;
    for (const SizeFigure& figure : figures)
        points[place_of(figure)].push_back({figure.size_bytes, std::log(figure.latency_ns), noise_of(figure)});
    return middle(points);
}

Curve middle(const std::vector<Curve>& curves) {
    std::map<Place, std::vector<Point>> points;
    for (const Curve& curve : curves)
        for (const auto& [place, point] : curve)
            points[place].push_back(point);
    return middle(points);
}

/// How the latency changed from one curve to another at each of the places that both have.
std::vector<double> log_changes(const Curve& from, const Curve& to, std::span<const Place> places) {
    std::vector<double> changes;
    for (const Place& place : places) {
        const auto before = from.find(place);
        const auto after = to.find(place);
        if (before != from.end() && after != to.end())
            changes.push_back(after->second.log_latency - before->second.log_latency);
    }
    return changes;
}

/// The median over some places of the curve, all of which it must have.
double median_of(const Curve& curve, std::span<const Place> places, double Point::*value) {
    std::vector<double> values;
    for (const Place& place : places)
        values.push_back(curve.at(place).*value);
    return median(std::move(values));
}

double percent(double log_ratio) {
    return 100 * std::expm1(log_ratio);
}

/// Judges changes, of which a known number is tested together.
class Judge {
public:
    Judge(std::vector<Curve> baselines, Curve latest, double tolerance_percent)
        : baselines_(std::move(baselines)), base_(middle(baselines_)), latest_(std::move(latest)),
          tolerance_(std::log1p(tolerance_percent / 100)) {}

    [[nodiscard]] const Curve& base() const { return base_; }
    [[nodiscard]] const Curve& latest() const { return latest_; }

    /// From now on so many changes are judged together, with this chance that noise lifts any of them over its bar.
    void share_chance(double chance_of_any, std::size_t tests) {
        critical_t_.clear();
        const double chance = chance_of_any / static_cast<double>(std::max<std::size_t>(tests, 1));
        for (std::size_t runs = 0; runs <= baselines_.size(); ++runs)
            critical_t_.push_back(student_t_quantile(chance, batch_evidence + degrees_of_freedom(runs)));
    }

    /// The change at places that both sides have.
    [[nodiscard]] Change judge(std::span<const Place> places) const {
        const double change = cautious_median(log_changes(base_, latest_, places));
        const double noise = noise_at(places);
        const double base_latency = median_of(base_, places, &Point::log_latency);
        return {std::exp(base_latency), std::exp(base_latency + change), percent(change), percent(noise),
                verdict(change, noise)};
    }

private:
    static int degrees_of_freedom(std::size_t runs) { return runs == 0 ? 0 : static_cast<int>(runs) - 1; }

    [[nodiscard]] double noise_at(std::span<const Place> places) const {
        const std::size_t runs = baselines_with(places);
        const double between = variance_between_baselines(places);
        const double latest_noise = median_of(latest_, places, &Point::noise);
        const double base_noise = median_of(base_, places, &Point::noise);
        // The latest sweep is one run, the base is the middle of several.
        const auto count = static_cast<double>(runs);
        const double suggested = latest_noise * latest_noise + base_noise * base_noise / count;
        const double seen = between * (1 + 1 / count);
        const int d = degrees_of_freedom(runs);
        const double variance = (batch_evidence * suggested + d * seen) / (batch_evidence + d);
        return critical_t_.at(runs) * std::sqrt(variance);
    }

    [[nodiscard]] std::size_t baselines_with(std::span<const Place> places) const {
        return static_cast<std::size_t>(
            std::count_if(baselines_.begin(), baselines_.end(), [places](const Curve& curve) {
                return std::any_of(places.begin(), places.end(),
                                   [&curve](const Place& place) { return curve.contains(place); });
            }));
    }

    /// Half the mean square of the changes between any two baselines.
    [[nodiscard]] double variance_between_baselines(std::span<const Place> places) const {
        double sum = 0;
        int pairs = 0;
        for (std::size_t i = 0; i < baselines_.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                auto changes = log_changes(baselines_[i], baselines_[j], places);
                if (changes.empty())
                    continue;
                const double change = median(std::move(changes));
                sum += change * change;
                ++pairs;
            }
        return pairs == 0 ? 0 : sum / pairs / 2;
    }

    [[nodiscard]] Verdict verdict(double change, double noise) const {
        if (std::abs(change) > tolerance_) {
            if (std::abs(change) <= noise)
                return Verdict::cannot_tell;
            return change > 0 ? Verdict::slower : Verdict::faster;
        }
        return noise > hidden_tolerances * tolerance_ ? Verdict::cannot_tell : Verdict::no_difference;
    }

    std::vector<Curve> baselines_;
    Curve base_; ///< the middle of the baselines
    Curve latest_;
    double tolerance_;               ///< as a logarithm
    std::vector<double> critical_t_; ///< by the number of baselines that have the places
};

std::vector<Place> places_in_common(const Curve& base, const Curve& latest) {
    std::vector<Place> common;
    for (const auto& [place, point] : base)
        if (latest.contains(place))
            common.push_back(place);
    return common;
}

std::vector<SizeChange> judge_sizes(Judge& judge, std::span<const Place> common) {
    std::vector<SizeChange> sizes;
    judge.share_chance(chance_for_sizes, common.size());
    for (const Place& place : common)
        sizes.push_back({place.thread, judge.base().at(place).size_bytes, judge.judge({&place, 1})});
    return sizes;
}

struct LevelPlaces {
    int thread;
    const SizeRange* level;
    std::vector<Place> places;
};

std::vector<LevelPlaces> places_of_levels(const Curve& base, std::span<const Place> common,
                                          std::span<const SizeRange> levels) {
    std::set<int> threads;
    for (const Place& place : common)
        threads.insert(place.thread);
    std::vector<LevelPlaces> result;
    for (const int thread : threads)
        for (const SizeRange& level : levels) {
            LevelPlaces here{thread, &level, {}};
            for (const Place& place : common) {
                const double size_bytes = base.at(place).size_bytes;
                if (place.thread == thread && size_bytes >= level.from_bytes - size_resolution_bytes / 2 &&
                    size_bytes <= level.to_bytes + size_resolution_bytes / 2)
                    here.places.push_back(place);
            }
            if (!here.places.empty())
                result.push_back(std::move(here));
        }
    return result;
}

std::vector<LevelChange> judge_levels(Judge& judge, std::span<const Place> common, std::span<const SizeRange> ranges) {
    std::vector<LevelChange> levels;
    const auto places = places_of_levels(judge.base(), common, ranges);
    judge.share_chance(chance_for_levels, places.size());
    for (const LevelPlaces& level : places)
        levels.push_back({level.thread, level.level->name, level.places.size(), judge.judge(level.places)});
    return levels;
}

bool neighbours_agree(std::span<const SizeChange> sizes, Verdict verdict) {
    std::size_t run = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (i > 0 && sizes[i].thread != sizes[i - 1].thread)
            run = 0;
        run = sizes[i].change.verdict == verdict ? run + 1 : 0;
        if (run == neighbours_that_count)
            return true;
    }
    return false;
}

template<typename Changes>
std::size_t count(const Changes& changes, Verdict verdict) {
    return static_cast<std::size_t>(std::count_if(
        changes.begin(), changes.end(), [verdict](const auto& entry) { return entry.change.verdict == verdict; }));
}

Verdict verdict_of(const Comparison& comparison) {
    if (!comparison.enough_in_common)
        return Verdict::cannot_tell;
    const auto found = [&](Verdict verdict) {
        return count(comparison.levels, verdict) > 0 || neighbours_agree(comparison.sizes, verdict);
    };
    if (found(Verdict::slower))
        return Verdict::slower;
    const bool too_noisy = comparison.levels.empty()
                               ? 2 * count(comparison.sizes, Verdict::cannot_tell) > comparison.sizes.size()
                               : count(comparison.levels, Verdict::cannot_tell) > 0;
    if (too_noisy)
        return Verdict::cannot_tell;
    return found(Verdict::faster) ? Verdict::faster : Verdict::no_difference;
}

} // namespace

Comparison compare_sweeps(std::span<const std::vector<SizeFigure>> baselines, std::span<const SizeFigure> latest,
                          std::span<const SizeRange> levels, double tolerance_percent) {
    require(!baselines.empty(), "there is a baseline to compare with");
    std::vector<Curve> curves;
    for (const auto& baseline : baselines)
        curves.push_back(curve_of(baseline));
    Judge judge(std::move(curves), curve_of(latest), tolerance_percent);
    const std::vector<Place> common = places_in_common(judge.base(), judge.latest());

    Comparison comparison;
    comparison.sizes = judge_sizes(judge, common);
    comparison.levels = judge_levels(judge, common, levels);
    comparison.sizes_in_all = judge.base().size() + judge.latest().size() - common.size();
    comparison.enough_in_common =
        common.size() >= neighbours_that_count &&
        static_cast<double>(common.size()) >= least_share_in_common * static_cast<double>(comparison.sizes_in_all);
    comparison.verdict = verdict_of(comparison);
    return comparison;
}

} // namespace memtest

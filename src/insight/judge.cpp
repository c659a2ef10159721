#include "memtest/insight/judge.hpp"

#include "memtest/base/error.hpp"
#include "memtest/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

using Key = std::pair<std::string, std::string>; // part and name

/// A logarithm of a ratio as a change in percent.
double percent_of(double log_ratio) {
    return 100 * std::expm1(log_ratio);
}

std::vector<double> deviations_from_median(std::vector<double> values) {
    const double middle = median(values);
    for (double& value : values)
        value = std::abs(value - middle);
    return values;
}

/// A standard deviation that a few odd values do not raise.
double robust_deviation(const std::vector<double>& values) {
    constexpr double per_median_deviation = 1.4826; // of a normal distribution
    return per_median_deviation * median(deviations_from_median(values));
}

/// The same, but of a few values the plain one.
double scatter_of(const std::vector<double>& values) {
    constexpr std::size_t enough = 6;
    if (values.size() >= enough)
        return robust_deviation(values);
    double squares = 0;
    for (const double off : deviations_from_median(values))
        squares += off * off;
    return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

template<class Number>
double median_of(const std::vector<const Figure*>& figures, const Number& number) {
    std::vector<double> values;
    for (const Figure* figure : figures)
        values.push_back(std::invoke(number, *figure));
    return median(std::move(values));
}

/// What a change is from and to: of one reading that both sides have.
struct Pair {
    double base = 0;
    double latest = 0;

    [[nodiscard]] double change() const { return std::log(latest / base); }
};

/// What several baselines say of a figure together.
struct FigureMedians {
    double value = 0;                              ///< the median
    std::map<std::string_view, double> readings{}; ///< the median of each that at least half of the baselines have
};

FigureMedians medians_of(const std::vector<const Figure*>& bases) {
    std::map<std::string_view, std::vector<double>> known;
    for (const Figure* base : bases) {
        for (const FigureReading& reading : base->readings)
            known[reading.of].push_back(reading.value);
    }
    FigureMedians medians{.value = median_of(bases, &Figure::value)};
    for (auto& [of, values] : known) {
        if (2 * values.size() >= bases.size())
            medians.readings.emplace(of, median(std::move(values)));
    }
    return medians;
}

/// The pairs of all readings that both have, by their change; of the values if there is none.
std::vector<Pair> pairs_of(const FigureMedians& base, const Figure& latest) {
    std::vector<Pair> pairs;
    for (const FigureReading& reading : latest.readings) {
        if (const auto same = base.readings.find(reading.of); same != base.readings.end())
            pairs.push_back({same->second, reading.value});
    }
    if (pairs.empty())
        pairs.push_back({base.value, latest.value});
    std::ranges::sort(pairs, {}, &Pair::change);
    return pairs;
}

/// The middle one; of two the one with the smaller change, so that both must have changed.
const Pair& middle_of(const std::vector<Pair>& sorted) {
    const Pair& low = sorted[(sorted.size() - 1) / 2];
    const Pair& high = sorted[sorted.size() / 2];
    return std::abs(low.change()) <= std::abs(high.change()) ? low : high;
}

/// Half the distance between the quartiles of the changes of memory: a host, or the end of something, may have changed
/// part of the readings, and their middle is then of one part alone. What changed fewer than a quarter does not count.
double step_between(const std::vector<Pair>& sorted, const Figure& latest) {
    constexpr std::size_t fewest = 4;
    if (latest.quantity != Quantity::memory_latency || sorted.size() < fewest)
        return 0;
    const std::size_t quarter = (sorted.size() - 1) / 4;
    return (sorted[sorted.size() - 1 - quarter].change() - sorted[quarter].change()) / 2;
}

/// How uncertain the middle change is, from how far the readings disagree.
double disagreement_of(const std::vector<Pair>& sorted) {
    if (sorted.size() < 3)
        return sorted.size() == 2 ? std::abs(sorted[1].change() - sorted[0].change()) / 2 : 0;
    constexpr double median_to_mean = 1.2533; // of the standard errors, for normal noise
    std::vector<double> changes;
    for (const Pair& pair : sorted)
        changes.push_back(pair.change());
    return median_to_mean * robust_deviation(changes) / std::sqrt(static_cast<double>(sorted.size()));
}

/// The standard deviation of a change, as both sides suggest it. @param medians of the baselines
double noise_of(const std::vector<const Figure*>& bases, const FigureMedians& medians, const Figure& latest) {
    const double floor = facts_of(latest.quantity).floor_percent / 100;
    const auto runs = static_cast<double>(bases.size());
    double usual = floor;
    if (bases.size() > 1) {
        std::vector<double> values;
        for (const Figure* base : bases)
            values.push_back(middle_of(pairs_of(medians, *base)).change());
        const double between = scatter_of(values);
        usual = std::sqrt((floor_weight * floor * floor + (runs - 1) * between * between) / (floor_weight + runs - 1));
    }
    const double of_base = std::max(usual, median_of(bases, &Figure::noise));
    return std::hypot(std::max(usual, latest.noise), of_base / std::sqrt(runs));
}

bool ranges_overlap(const std::vector<const Figure*>& bases, const Figure& latest) {
    if (!latest.range || !std::ranges::all_of(bases, [](const Figure* base) { return base->range.has_value(); }))
        return false;
    return latest.range->low <= median_of(bases, [](const Figure& base) { return base.range->high; }) &&
           median_of(bases, [](const Figure& base) { return base.range->low; }) <= latest.range->high;
}

/// Whether the sizes of a cache come nearer to the latency of what lies behind it than to their own.
bool is_gone(const std::vector<const Figure*>& bases, const Figure& latest, const Pair& pair) {
    constexpr double clearly_apart = 2; // small rises bring closer levels near each other
    if (!latest.behind || !std::ranges::all_of(bases, [](const Figure* base) { return base->behind.has_value(); }))
        return false;
    const double behind = median_of(bases, [](const Figure& base) { return *base.behind; });
    const double apart = behind / pair.base;
    const bool came_close = std::log(std::max(behind, *latest.behind) / pair.latest) < std::log(apart) / 2;
    return apart >= clearly_apart && came_close;
}

FigureChange named(const Figure& figure) {
    return {.part = figure.part,
            .name = figure.name,
            .quantity = figure.quantity,
            .at_bytes = figure.at_bytes,
            .cause = figure.cause};
}

FigureChange judged(const std::vector<const Figure*>& bases, const Figure& latest, double tolerance_percent) {
    constexpr double clearly = 2; // times its noise; by 1.4 times at most beside builds (tests/bench)
    const FigureMedians medians = medians_of(bases);
    const std::vector<Pair> pairs = pairs_of(medians, latest);
    const Pair& pair = middle_of(pairs);
    const double noise = noise_of(bases, medians, latest);
    const double step = step_between(pairs, latest);
    const double bound = std::max(deviations * std::hypot(noise, disagreement_of(pairs)), step);
    FigureChange change = named(latest);
    change.base = medians.value;
    change.latest = change.base * (pair.latest / pair.base); // a single reading may differ from the figure
    change.change_percent = percent_of(pair.change());
    const bool is_within_noise = std::abs(pair.change()) <= bound;
    change.noise_percent = pair.change() < -bound ? -percent_of(-bound) : percent_of(bound);
    const bool is_clear = may_exceed_noise(change) && std::abs(pair.change()) > clearly * bound;
    const double most_hidden = most_hidden_percent(change, tolerance_percent);
    if ((!is_clear && percent_of(std::max(deviations * noise, step)) > most_hidden) ||
        (is_within_noise && change.noise_percent > most_hidden)) {
        change.noise_percent = percent_of(bound);
        change.verdict = Verdict::cannot_tell;
        change.why = Why::noise;
        return change;
    }
    if (std::abs(change.change_percent) <= tolerance_percent)
        return change;
    if (is_within_noise) {
        change.why = Why::within_noise;
        return change;
    }
    if (ranges_overlap(bases, latest)) {
        // Either way the same, whatever its percentage.
        const bool hides_much = std::abs(pair.change()) > std::log1p(most_hidden / 100);
        change.noise_percent = std::max(change.noise_percent, std::abs(change.change_percent));
        change.verdict = hides_much ? Verdict::cannot_tell : Verdict::no_difference;
        change.why = Why::within_step;
        return change;
    }
    const bool is_worse = (pair.change() > 0) != facts_of(latest.quantity).less_is_worse;
    change.verdict = is_worse ? Verdict::worse : Verdict::better;
    if (is_worse && is_gone(bases, latest, pair)) {
        change.why = latest.has_contested_sizes ? Why::contested : Why::gone;
        if (latest.has_contested_sizes) // the cache is there for part of the time
            change.verdict = Verdict::cannot_tell;
    }
    return change;
}

/// Without a verdict, for what one side lacks or has in doubt.
FigureChange untold(const std::vector<const Figure*>& bases, const Figure* latest, Why why) {
    FigureChange change = named(latest == nullptr ? *bases.front() : *latest);
    std::vector<const Figure*> stated;
    std::ranges::copy_if(bases, std::back_inserter(stated), [](const Figure* base) { return base->value > 0; });
    if (!stated.empty())
        change.base = median_of(stated, &Figure::value);
    change.latest = latest == nullptr ? 0 : latest->value;
    if (has_both(change))
        change.change_percent = percent_of(std::log(change.latest / change.base));
    change.verdict = Verdict::cannot_tell;
    change.why = why;
    return change;
}

/// @param all baselines that state the figure @param latest null if it does not
FigureChange compared(const std::vector<const Figure*>& all, const Figure* latest, std::size_t baselines,
                      double tolerance_percent) {
    const auto lost = static_cast<std::size_t>(std::ranges::count(all, 0.0, &Figure::value)); // to disturbances
    if (latest != nullptr && latest->value == 0)
        return untold(all, latest, latest->doubt);
    if (latest == nullptr)
        return untold(all, latest, 2 * lost < all.size() ? Why::not_in_new : Why::disturbed);
    if (2 * all.size() < baselines || all.empty())
        return untold(all, latest, Why::not_in_base);
    if (latest->doubt != Why::none)
        return untold(all, latest, latest->doubt);
    std::vector<const Figure*> sound;
    std::ranges::copy_if(all, std::back_inserter(sound), [](const Figure* base) { return base->doubt == Why::none; });
    if (2 * sound.size() < all.size() || sound.empty())
        return untold(all, latest,
                      (*std::ranges::find_if(all, [](const Figure* base) { return base->doubt != Why::none; }))->doubt);
    return judged(sound, *latest, tolerance_percent);
}

/// Figures of one size that changed as the sweep did there: it is the sweep's change.
void find_followers(std::vector<FigureChange>& changes, double tolerance_percent) {
    constexpr double nearby = 1.5; // sizes
    const double tolerance = std::log1p(tolerance_percent / 100);
    for (FigureChange& change : changes) {
        if (!has_changed(change) || !change.at_bytes || change.quantity == Quantity::size_latency)
            continue;
        const FigureChange* nearest = nullptr;
        for (const FigureChange& size : changes) {
            const auto distance = [&](const FigureChange& one) {
                return std::abs(std::log(*one.at_bytes / *change.at_bytes));
            };
            if (size.quantity == Quantity::size_latency && has_both(size) && distance(size) <= std::log(nearby) &&
                (nearest == nullptr || distance(size) < distance(*nearest)))
                nearest = &size;
        }
        if (nearest == nullptr)
            continue;
        const double own = std::log1p(change.change_percent / 100);
        const double there = std::log1p(nearest->change_percent / 100);
        const double noise = std::log1p(std::abs(change.noise_percent) / 100);
        if (own * there > 0 && std::abs(own) <= std::abs(there) + std::max(noise, tolerance) &&
            std::abs(there) > tolerance / 2) {
            change.verdict = Verdict::no_difference;
            change.why = Why::follows;
        }
    }
}

/// Figures whose change a worse one of their part explains.
void find_effects(std::vector<FigureChange>& changes) {
    constexpr double most_percent = 25;
    std::map<Key, const FigureChange*> worse;
    for (const FigureChange& change : changes) {
        if (change.verdict == Verdict::worse)
            worse.emplace(Key(change.part, change.name), &change);
    }
    for (FigureChange& change : changes) {
        const auto cause = has_changed(change) ? worse.find({change.part, change.cause}) : worse.end();
        if (cause == worse.end() || cause->second->verdict != Verdict::worse) // it may be an effect itself
            continue;
        if (change.quantity != Quantity::capacity && std::abs(change.change_percent) <= most_percent) {
            change.verdict = Verdict::no_difference;
            change.why = Why::follows;
        }
    }
}

} // namespace

// A wide tolerance for the latency of a level asks for a change, not for noise, of that size: at 10 % a rise of 29 %
// was no difference.
double most_hidden_percent(const FigureChange& change, double tolerance_percent) {
    constexpr double usual = 20;
    const double most = 4 * tolerance_percent;
    return is_of_level(change) ? std::min(most, std::max(usual, 2 * tolerance_percent)) : most;
}

std::vector<FigureChange> compare_figures(std::span<const std::vector<Figure>> baselines,
                                          std::span<const Figure> latest, double tolerance_percent) {
    require(!baselines.empty(), "there is a baseline to compare with");
    std::map<Key, std::vector<const Figure*>> bases;
    std::vector<Key> order; // of the baselines
    for (const std::vector<Figure>& figures : baselines) {
        for (const Figure& figure : figures) {
            std::vector<const Figure*>& same = bases[{figure.part, figure.name}];
            if (same.empty())
                order.emplace_back(figure.part, figure.name);
            same.push_back(&figure);
        }
    }
    std::vector<FigureChange> changes;
    for (const Figure& figure : latest) {
        changes.push_back(compared(bases[{figure.part, figure.name}], &figure, baselines.size(), tolerance_percent));
        bases.erase({figure.part, figure.name});
    }
    for (const Key& key : order) {
        const auto left = bases.find(key);
        if (left != bases.end() && 2 * left->second.size() > baselines.size())
            changes.push_back(compared(left->second, nullptr, baselines.size(), tolerance_percent));
    }
    find_followers(changes, tolerance_percent);
    std::set<Key> gone; // caches, which have no capacity then
    std::set<Key> shared;
    for (const FigureChange& change : changes) {
        if (change.why == Why::gone)
            gone.emplace(change.part, change.name);
        else if (change.why == Why::shared)
            shared.emplace(change.part, change.name);
    }
    std::erase_if(changes, [&](const FigureChange& change) {
        const Key cause{change.part, change.cause};
        return change.quantity == Quantity::capacity &&
               (gone.contains(cause) || (shared.contains(cause) && is_missing(change)));
    });
    find_effects(changes);
    return changes;
}

} // namespace memtest

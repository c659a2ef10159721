#include "memtest/insight/figure.hpp"

#include "memtest/base/error.hpp"
#include "memtest/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

namespace memtest {
namespace {

static_assert([] {
    for (std::size_t i = 0; i < quantities.size(); ++i) {
        if (quantities.at(i).quantity != static_cast<Quantity>(i))
            return false;
    }
    return true;
}());

/// A figure in all runs.
struct Paired {
    std::vector<const Figure*> baselines{};
    const Figure* latest = nullptr;
};

using FigureKey = std::pair<std::string, std::string>; // part and name

/// All figures, in the order of the latest, then of the baselines.
std::vector<Paired> pair_figures(std::span<const std::vector<Figure>> baselines, std::span<const Figure> latest) {
    std::vector<Paired> pairs;
    std::map<FigureKey, std::size_t> places;
    const auto place_of = [&](const Figure& figure) -> Paired& {
        const auto [found, is_new] = places.emplace(FigureKey(figure.part, figure.name), pairs.size());
        if (is_new)
            pairs.emplace_back();
        return pairs[found->second];
    };
    for (const Figure& figure : latest)
        place_of(figure).latest = &figure;
    for (const std::vector<Figure>& baseline : baselines) {
        for (const Figure& figure : baseline)
            place_of(figure).baselines.push_back(&figure);
    }
    return pairs;
}

std::vector<double> logs_of(const std::vector<const Figure*>& figures) {
    std::vector<double> logs;
    for (const Figure* figure : figures)
        logs.push_back(std::log(figure->value));
    return logs;
}

/// What the ranges of both sides explain of a change in its direction.
double noise_of_ranges(const std::vector<const Figure*>& baselines, const Figure& latest, double log_base) {
    double low = log_base;
    double high = log_base;
    for (const Figure* base : baselines) {
        const FigureRange range = base->range.value_or(FigureRange{base->value, base->value});
        low = std::min(low, std::log(range.low));
        high = std::max(high, std::log(range.high));
    }
    const double log_latest = std::log(latest.value);
    return log_latest < log_base ? log_base - low + std::log(latest.range->high) - log_latest
                                 : high - log_base + log_latest - std::log(latest.range->low);
}

double variance_of(const std::vector<const Figure*>& baselines) {
    const std::vector<double> logs = logs_of(baselines);
    return variance_between(logs.size(), [&](std::size_t i, std::size_t j) { return logs[j] - logs[i]; });
}

double median_noise(const std::vector<const Figure*>& baselines, double scale) {
    std::vector<double> noises;
    for (const Figure* base : baselines)
        noises.push_back(suggested_noise(*base, scale));
    return median(std::move(noises));
}

double noise_bound(const std::vector<const Figure*>& baselines, const Figure& latest, double log_base, double scale,
                   const ChangeJudge& judge) {
    const double scatter = judge.bound({.latest = suggested_noise(latest, scale),
                                        .base = median_noise(baselines, scale),
                                        .between = variance_of(baselines)});
    return latest.range ? std::max(scatter, noise_of_ranges(baselines, latest, log_base)) : scatter;
}

/// Why there is no verdict. @param sound baselines without a doubt @param of_baselines how many there are
Doubt doubt_of(const Paired& pair, std::size_t sound, std::size_t of_baselines) {
    if (pair.latest == nullptr)
        return Doubt::not_in_new;
    if (pair.baselines.empty())
        return Doubt::not_in_base;
    if (pair.latest->doubt != Doubt::none || 2 * sound > of_baselines)
        return pair.latest->doubt;
    const auto doubtful =
        std::ranges::find_if(pair.baselines, [](const Figure* base) { return base->doubt != Doubt::none; });
    return doubtful == pair.baselines.end() ? Doubt::not_in_base : (*doubtful)->doubt;
}

std::vector<const Figure*> sound_baselines(const Paired& pair) {
    std::vector<const Figure*> sound = pair.baselines;
    std::erase_if(sound, [](const Figure* base) { return base->doubt != Doubt::none; });
    return sound;
}

/// How much quieter or noisier this machine is than those that the repeatabilities are of: the ratio of standard
/// deviations that the scatter between the baselines of all figures suggests. Those are left out that say nothing of
/// it: figures with ranges, of which most do not scatter; baselines that are equal, as copies are and percentiles in
/// steps of a clock; and figures whose own run shows more noise.
double scale_of_noise(const std::vector<Paired>& pairs) {
    constexpr double evidence = 1; // the weight of a ratio of 1, in degrees of freedom
    constexpr double most = 16;    // an outlier among the baselines is that of one figure
    double sum = evidence;
    double freedom = evidence;
    for (const Paired& pair : pairs) {
        const std::vector<const Figure*> baselines = sound_baselines(pair);
        if (baselines.size() < 2 || baselines.front()->range)
            continue;
        const double variance = variance_of(baselines);
        const double usual = facts_of(baselines.front()->quantity).repeatability_percent / 100;
        if (variance <= 0 || median_noise(baselines, 0) > usual)
            continue;
        const auto more = static_cast<double>(baselines.size() - 1);
        sum += more * std::min(variance / (usual * usual), most);
        freedom += more;
    }
    return std::sqrt(sum / freedom);
}

/// By how much a figure became worse. @param change the logarithm of the ratio
double rise_of(Quantity quantity, double change) {
    return facts_of(quantity).less_is_worse ? -change : change;
}

FigureChange judged(const Paired& pair, std::size_t of_baselines, double scale, std::size_t tests,
                    double tolerance_percent) {
    std::vector<const Figure*> baselines = sound_baselines(pair);
    const Figure& any = pair.latest == nullptr ? *pair.baselines.front() : *pair.latest;
    FigureChange judged{.part = any.part,
                        .name = any.name,
                        .quantity = any.quantity,
                        .subject = any.subject,
                        .doubt = doubt_of(pair, baselines.size(), of_baselines)};
    if (baselines.empty())
        baselines = pair.baselines; // in doubt, but they are shown
    Change& change = judged.change;
    change.verdict = Verdict::cannot_tell;
    const double log_base = baselines.empty() ? 0 : median(logs_of(baselines));
    if (!baselines.empty())
        change.base = std::exp(log_base);
    if (pair.latest != nullptr)
        change.latest = pair.latest->value;
    if (baselines.empty() || pair.latest == nullptr)
        return judged;
    constexpr double rounding = 1e-9; // ranges that touch
    const ChangeJudge judge(tolerance_percent, tests, baselines.size(), figure_evidence);
    const double log_change = std::log(change.latest) - log_base;
    const double noise = noise_bound(baselines, *pair.latest, log_base, scale, judge);
    change.change_percent = percent_of(log_change);
    change.noise_percent = noise_percent_of(noise, log_change);
    if (judged.doubt != Doubt::none)
        return judged;
    const double rise = rise_of(any.quantity, log_change);
    const bool is_estimate = pair.latest->range && any.quantity != Quantity::p99_9; // a count or a capacity
    if (!is_estimate)
        change.verdict = judge.verdict(rise, noise);
    else if (std::abs(log_change) <= std::log1p(tolerance_percent / 100)) // however wide the ranges are
        change.verdict = Verdict::no_difference;
    else
        change.verdict = std::abs(log_change) <= noise + rounding ? Verdict::cannot_tell : judge.verdict(rise, noise);
    return judged;
}

double rise_of(const FigureChange& figure) {
    return rise_of(figure.quantity, std::log(figure.change.latest / figure.change.base));
}

using FiguresByPart = std::map<std::string, std::vector<const FigureChange*>>;

/// The figures without a doubt, by subject and part.
std::map<std::string, FiguresByPart> figures_by_subject(std::span<const FigureChange> changes) {
    std::map<std::string, FiguresByPart> figures;
    for (const FigureChange& figure : changes) {
        const bool is_known = figure.change.base > 0 && figure.change.latest > 0;
        if (!figure.subject.empty() && figure.doubt == Doubt::none && is_known)
            figures[figure.subject][figure.part].push_back(&figure);
    }
    return figures;
}

/// Whether any of the figures of a part changed about as much, or more and beyond its noise.
bool shows(const std::vector<const FigureChange*>& part, const FigureChange& changed) {
    constexpr double least = 2.0 / 3; // with noise of 1 % nearly every change of 10 % is confirmed (tests/bench)
    return std::ranges::any_of(part, [&](const FigureChange* figure) {
        const double share = rise_of(*figure) / rise_of(changed);
        return share >= least && (share <= 1 / least || figure->change.verdict == changed.change.verdict);
    });
}

/// Whether at least three quarters of the other parts, if there are any, show a change.
bool is_confirmed(const FigureChange& changed, const FiguresByPart& parts) {
    const auto others = static_cast<std::ptrdiff_t>(parts.size() - parts.count(changed.part));
    return 4 * std::ranges::count_if(
                   parts,
                   [&](const auto& part) { return part.first != changed.part && shows(part.second, changed); }) >=
           3 * others;
}

} // namespace

double suggested_noise(const Figure& figure, double scale) {
    return std::max(figure.noise, scale * facts_of(figure.quantity).repeatability_percent / 100);
}

std::vector<FigureChange> compare_figures(std::span<const std::vector<Figure>> baselines,
                                          std::span<const Figure> latest, double tolerance_percent) {
    require(!baselines.empty(), "there is a baseline to compare with");
    const std::vector<Paired> pairs = pair_figures(baselines, latest);
    const double scale = scale_of_noise(pairs);
    std::vector<FigureChange> changes;
    for (const Paired& pair : pairs)
        changes.push_back(judged(pair, baselines.size(), scale, pairs.size(), tolerance_percent));
    return changes;
}

void withdraw_unconfirmed(std::span<FigureChange> changes) {
    const std::map<std::string, FiguresByPart> figures = figures_by_subject(changes);
    std::vector<FigureChange*> unconfirmed; // withdrawn together, as each has a vote on the others
    for (FigureChange& figure : changes) {
        const bool has_changed = figure.change.verdict == Verdict::slower || figure.change.verdict == Verdict::faster;
        const auto parts = figures.find(figure.subject);
        if (has_changed && parts != figures.end() && !is_confirmed(figure, parts->second))
            unconfirmed.push_back(&figure);
    }
    for (FigureChange* figure : unconfirmed) {
        figure->change.verdict = Verdict::cannot_tell;
        figure->doubt = Doubt::unconfirmed;
    }
}

bool is_told(const FigureChange& figure) {
    return decides(figure.quantity) && figure.change.verdict != Verdict::cannot_tell;
}

bool is_unclear(const FigureChange& figure) {
    const bool is_in_doubt =
        figure.doubt == Doubt::disturbed || figure.doubt == Doubt::contested || figure.doubt == Doubt::incomplete;
    const bool is_better = figure.doubt == Doubt::unconfirmed && rise_of(figure) < 0;
    return figure.change.verdict == Verdict::cannot_tell && decides(figure.quantity) && !is_better &&
           (is_in_doubt || repeats(figure.quantity));
}

Verdict verdict_of(std::span<const FigureChange> changes) {
    std::vector<FigureChange> deciding;
    std::ranges::copy_if(changes, std::back_inserter(deciding),
                         [](const FigureChange& figure) { return decides(figure.quantity); });
    const auto has = [](Verdict verdict) {
        return [verdict](const FigureChange& figure) { return figure.change.verdict == verdict; };
    };
    if (std::ranges::any_of(deciding, has(Verdict::slower)))
        return Verdict::slower;
    if (std::ranges::any_of(deciding, is_unclear) || std::ranges::all_of(deciding, has(Verdict::cannot_tell)))
        return Verdict::cannot_tell;
    return std::ranges::any_of(deciding, has(Verdict::faster)) ? Verdict::faster : Verdict::no_difference;
}

} // namespace memtest

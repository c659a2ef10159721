#include "memtest/insight/fleet.hpp"

#include "memtest/measure/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace memtest {
namespace {

/// A figure of one machine.
struct Stated {
    std::size_t machine = 0;
    const Figure* figure = nullptr;
};

/// The same figure of all machines that state it without a doubt, by part and name.
using StatedFigures = std::map<std::pair<std::string, std::string>, std::vector<Stated>>;

StatedFigures stated_figures(std::span<const std::vector<Figure>> machines) {
    StatedFigures stated;
    for (std::size_t machine = 0; machine < machines.size(); ++machine) {
        for (const Figure& figure : machines[machine]) {
            if (figure.doubt == Doubt::none && decides(figure.quantity) && !is_erratic(figure.quantity))
                stated[{figure.part, figure.name}].push_back({machine, &figure});
        }
    }
    std::erase_if(stated, [](const auto& same) { return same.second.size() < fewest_machines; });
    return stated;
}

/// Takes a number of each of the others, in ascending order.
template<class Number>
std::vector<double> of_others(const std::vector<Stated>& all, std::size_t machine, const Number& number) {
    std::vector<double> numbers;
    for (const Stated& one : all) {
        if (one.machine != machine)
            numbers.push_back(number(*one.figure));
    }
    std::ranges::sort(numbers);
    return numbers;
}

/// What the scatter of the others suggests for their variance. @param sorted ascending
double variance_around(double middle, std::vector<double> sorted) {
    // Shares of a normal distribution, how many standard deviations they lie within, and from how many values on they
    // show.
    struct Share {
        double share, deviations;
        std::size_t values;
    };
    constexpr std::array<Share, 4> shares{{{0.5, 0.6745, 20}, {0.75, 1.1503, 20}, {0.9, 1.6449, 20}, {0.95, 1.96, 40}}};
    if (sorted.size() < shares.front().values)
        return variance_between(sorted.size(), [&](std::size_t i, std::size_t j) { return sorted[j] - sorted[i]; });
    for (double& value : sorted)
        value = std::abs(value - middle);
    std::ranges::sort(sorted);
    double deviation = 0;
    for (const auto& [share, deviations, values] : shares) {
        if (sorted.size() >= values)
            deviation = std::max(deviation, quantile(sorted, share) / deviations);
    }
    return deviation * deviation;
}

double log_of_value(const Figure& figure) {
    return std::log(figure.value);
}

FigureRange range_of(const Figure& figure) {
    return figure.range.value_or(FigureRange{figure.value, figure.value});
}

/// How far the ranges of a figure and of the others reach towards each other, as a logarithm; 0 without ranges.
double reach_of_ranges(const Figure& figure, const std::vector<Stated>& all, std::size_t machine, double change) {
    if (!figure.range)
        return 0;
    const bool is_less = change < 0;
    const auto towards = [](const Figure& one, bool high) {
        return std::log(high ? range_of(one).high : range_of(one).low);
    };
    const double usual = median(of_others(all, machine, log_of_value));
    const double usual_end = median(of_others(all, machine, [&](const Figure& one) { return towards(one, !is_less); }));
    return std::abs(towards(figure, is_less) - log_of_value(figure)) + std::abs(usual_end - usual);
}

/// The largest difference that noise explains: the machine's own, that between the others, and their ranges.
double noise_bound(const Stated& one, const std::vector<Stated>& all, const std::vector<double>& logs, double middle,
                   const ChangeJudge& judge) {
    const double own = one.figure->noise; // of this run; the scatter of the others shows what such figures repeat to
    const auto noise_of = [](const Figure& figure) { return suggested_noise(figure); };
    const double with_others = judge.bound({.latest = noise_of(*one.figure),
                                            .base = median(of_others(all, one.machine, noise_of)),
                                            .between = variance_around(middle, logs)});
    return std::max({with_others, judge.bound({.disagreement = own * own}),
                     reach_of_ranges(*one.figure, all, one.machine, log_of_value(*one.figure) - middle)});
}

FigureChange difference_of(const Stated& one, const std::vector<Stated>& all, const ChangeJudge& judge) {
    const Figure& figure = *one.figure;
    const std::vector<double> logs = of_others(all, one.machine, log_of_value);
    const double middle = median(logs);
    const double change = log_of_value(figure) - middle;
    const double noise = noise_bound(one, all, logs, middle, judge);
    Verdict verdict = judge.verdict(std::abs(change), noise);
    if (verdict == Verdict::slower && (change > 0) == facts_of(figure.quantity).less_is_worse)
        verdict = Verdict::faster;
    return {.part = figure.part,
            .name = figure.name,
            .quantity = figure.quantity,
            .subject = figure.subject,
            .change = {.base = std::exp(middle),
                       .latest = figure.value,
                       .change_percent = percent_of(change),
                       .noise_percent = noise_percent_of(noise, change),
                       .verdict = verdict}};
}

/// @param of_machines how the same figure of each of them differs
JudgedFigure judged_figure(const std::vector<FigureChange>& of_machines) {
    const FigureChange& any = of_machines.front();
    std::vector<double> values;
    std::vector<double> noises;
    std::size_t unclear = 0;
    for (const FigureChange& one : of_machines) {
        values.push_back(one.change.latest);
        noises.push_back(one.change.noise_percent);
        unclear += one.change.verdict == Verdict::cannot_tell ? 1U : 0U;
    }
    return {.part = any.part,
            .name = any.name,
            .quantity = any.quantity,
            .machines = of_machines.size(),
            .usual = median(std::move(values)),
            .noise_percent = median(std::move(noises)),
            .is_too_noisy = 2 * unclear > of_machines.size()};
}

} // namespace

OddFigures odd_figures(std::span<const std::vector<Figure>> machines, double tolerance_percent) {
    constexpr std::size_t times_surer = 20; // than a comparison of two, and in both directions
    const StatedFigures stated = stated_figures(machines);
    OddFigures odd;
    std::size_t tests = 0;
    for (const auto& [name, all] : stated)
        tests += all.size();
    std::vector<std::vector<FigureChange>> differences(machines.size());
    for (const auto& [name, all] : stated) {
        const ChangeJudge judge(tolerance_percent, times_surer * tests, all.size() - 1);
        std::vector<FigureChange> of_figure;
        for (const Stated& one : all)
            of_figure.push_back(differences[one.machine].emplace_back(difference_of(one, all, judge)));
        odd.figures.push_back(judged_figure(of_figure));
    }
    for (std::size_t machine = 0; machine < machines.size(); ++machine) {
        withdraw_unconfirmed(differences[machine]);
        for (FigureChange& difference : differences[machine]) { // by part and name
            const Verdict verdict = difference.change.verdict;
            if (verdict != Verdict::slower && verdict != Verdict::faster)
                continue;
            const auto same = std::ranges::find_if(odd.figures, [&](const JudgedFigure& figure) {
                return figure.part == difference.part && figure.name == difference.name;
            });
            ++same->differ;
            same->is_too_noisy = false;
            same->noise_percent = difference.change.noise_percent; // it widens that of the others
            odd.list.push_back({machine, std::move(difference)});
        }
    }
    return odd;
}

} // namespace memtest

#include "memtest/insight/refresh.hpp"

#include "memtest/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <vector>

namespace memtest {
namespace {

constexpr double shortest_period_ns = 1000;
constexpr double longest_period_ns = 16000;
constexpr double likeliest_chance = 1e-6;

using Phase = std::complex<double>;

/// Frequencies per ns, a constant step apart.
struct Frequencies {
    double step;
    std::size_t count;

    [[nodiscard]] double at(double place) const { return 1 / longest_period_ns + place * step; }
};

/// Adds the phase of a moment at each frequency.
void add_moment(std::vector<Phase>& sums, double ns, const Frequencies& frequencies) {
    Phase phase = std::polar(1.0, 2 * std::numbers::pi * ns * frequencies.at(0));
    const Phase step = std::polar(1.0, 2 * std::numbers::pi * ns * frequencies.step);
    for (Phase& sum : sums) {
        sum += phase;
        phase *= step;
    }
}

/// The power at each frequency, summed over the stretches: of one stretch 1 on average without a period.
std::vector<double> powers_of(std::span<const Stretch> stretches, double ns_per_tick, const Frequencies& frequencies) {
    std::vector<double> powers(frequencies.count);
    for (const Stretch& stretch : stretches) {
        std::vector<Phase> slow(frequencies.count);
        std::vector<Phase> all(frequencies.count);
        for (const SlowSample& sample : stretch.slow)
            add_moment(slow, sample.at_ticks * ns_per_tick, frequencies);
        for (const std::uint32_t at : stretch.some_at_ticks)
            add_moment(all, at * ns_per_tick, frequencies);
        const auto count = static_cast<double>(stretch.slow.size());
        const double share = count / static_cast<double>(stretch.some_at_ticks.size());
        for (std::size_t i = 0; i < powers.size(); ++i)
            powers[i] += std::norm(slow[i] - share * all[i]) / (count * (1 + share));
    }
    return powers;
}

/// The powers over those of the frequencies around, where these are the higher for it: slow accesses that come in
/// bursts, or by turns, have power in broad bands, and what comes back has a line.
std::vector<double> above_noise(const std::vector<double>& powers) {
    constexpr std::size_t around = 24;
    std::vector<double> above;
    for (std::size_t i = 0; i < powers.size(); ++i) {
        const auto begin = powers.begin() + static_cast<std::ptrdiff_t>(i - std::min(i, around));
        const auto end = powers.begin() + static_cast<std::ptrdiff_t>(std::min(powers.size(), i + around + 1));
        above.push_back(powers[i] / median({begin, end}));
    }
    return above;
}

/// The chance that exponential variables, so many of mean 1, sum up to so much or more.
double chance_of(double sum, std::size_t variables) {
    double log_term = -sum;
    double chance = std::exp(log_term);
    for (std::size_t k = 1; k < variables; ++k) {
        log_term += std::log(sum / static_cast<double>(k));
        chance += std::exp(log_term);
    }
    return std::min(1.0, chance);
}

/// The place of the highest power, or of the lowest frequency of which that is a multiple and which has half of it: a
/// short event that comes back has power at all multiples.
std::size_t lowest_of_harmonics(const std::vector<double>& powers, const Frequencies& frequencies) {
    const auto highest = static_cast<std::size_t>(std::ranges::max_element(powers) - powers.begin());
    const double frequency = frequencies.at(static_cast<double>(highest));
    for (double part = std::floor(frequency * longest_period_ns); part > 1; --part) {
        const auto near =
            static_cast<std::size_t>(std::round((frequency / part - frequencies.at(0)) / frequencies.step));
        const std::size_t first = near - std::min<std::size_t>(near, 1);
        const auto top = std::max_element(powers.begin() + static_cast<std::ptrdiff_t>(first),
                                          powers.begin() + static_cast<std::ptrdiff_t>(near) + 2);
        const auto place = static_cast<std::size_t>(top - powers.begin());
        if (powers[place] > powers[highest] / 2)
            return place;
    }
    return highest;
}

/// Where the parabola through a top and its neighbours is highest, from the top in steps.
double top_beside(const std::vector<double>& powers, std::size_t place) {
    if (place == 0 || place + 1 == powers.size())
        return 0;
    const double before = powers[place - 1];
    const double behind = powers[place + 1];
    const double bend = before - 2 * powers[place] + behind;
    return bend < 0 ? (before - behind) / (2 * bend) : 0;
}

double slower_ticks(std::span<const Stretch> stretches, double median_ticks) {
    std::vector<double> took;
    for (const Stretch& stretch : stretches) {
        for (const SlowSample& sample : stretch.slow)
            took.push_back(sample.took_ticks);
    }
    return median(std::move(took)) - median_ticks;
}

} // namespace

std::optional<Recurrence> find_recurrence(std::span<const Stretch> stretches, double ns_per_tick, double median_ticks) {
    constexpr double periods_in_stretch = 10;
    std::vector<Stretch> telling(stretches.begin(), stretches.end());
    std::erase_if(telling, [&](const Stretch& stretch) {
        return stretch.slow.empty() || stretch.ticks * ns_per_tick < periods_in_stretch * longest_period_ns;
    });
    if (telling.size() < 2)
        return std::nullopt;
    std::vector<double> lengths;
    for (const Stretch& stretch : telling)
        lengths.push_back(stretch.ticks * ns_per_tick);
    Frequencies frequencies{.step = 1 / (2 * median(std::move(lengths))), .count = 0};
    frequencies.count = static_cast<std::size_t>((1 / shortest_period_ns - 1 / longest_period_ns) / frequencies.step);

    const std::vector<double> powers = above_noise(powers_of(telling, ns_per_tick, frequencies));
    const std::size_t place = lowest_of_harmonics(powers, frequencies);
    const double sum = powers[place] * static_cast<double>(telling.size());
    const double chance = static_cast<double>(frequencies.count) * chance_of(sum, telling.size());
    if (chance > likeliest_chance)
        return std::nullopt;
    return Recurrence{.period_ns = 1 / frequencies.at(static_cast<double>(place) + top_beside(powers, place)),
                      .chance = chance,
                      .slower_ns = slower_ticks(telling, median_ticks) * ns_per_tick};
}

} // namespace memtest

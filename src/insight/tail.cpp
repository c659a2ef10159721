#include "memtest/insight/tail.hpp"

#include "memtest/measure/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

namespace memtest {
namespace {

std::uint64_t samples_in(const TickCounts& counts) {
    std::uint64_t samples = 0;
    for (const auto& [ticks, count] : counts)
        samples += count;
    return samples;
}

constexpr double lowest_per_ns = 1.0 / 16'000;
constexpr double step_per_ns = (1.0 / 1'000 - lowest_per_ns) / 1023; // finer than a stretch of half a ms can resolve
constexpr double shortest_stretch_ns = 10 / lowest_per_ns;
constexpr std::size_t fewest_stretches = 16;
constexpr double likeliest_chance = 1e-6;
constexpr double likeliest_chance_again = 1e-3; // of each half, where one period is looked at and not a thousand

/// A figure at each of the frequencies.
template<class Number>
using Spectrum = std::array<Number, 1024>;
using Phase = std::complex<double>;

double frequency_at(std::size_t place) {
    return lowest_per_ns + static_cast<double>(place) * step_per_ns;
}

void add_moment(Spectrum<Phase>& sums, double ns) {
    Phase phase = std::polar(1.0, 2 * std::numbers::pi * ns * lowest_per_ns);
    const Phase step = std::polar(1.0, 2 * std::numbers::pi * ns * step_per_ns);
    for (Phase& sum : sums) {
        sum += phase;
        phase *= step;
    }
}

/// Adds the power of a stretch: 1 on average without a period.
void add_stretch_to(Spectrum<double>& powers, const Stretch& stretch, double ns_per_tick) {
    Spectrum<Phase> slow{};
    Spectrum<Phase> all{};
    for (const SlowSample& sample : stretch.slow)
        add_moment(slow, sample.at_ticks * ns_per_tick);
    for (const std::uint32_t at : stretch.some_at_ticks)
        add_moment(all, at * ns_per_tick);
    const auto count = static_cast<double>(stretch.slow.size());
    const double share = count / static_cast<double>(stretch.some_at_ticks.size());
    for (std::size_t i = 0; i < powers.size(); ++i)
        powers.at(i) += std::norm(slow.at(i) - share * all.at(i)) / (count * (1 + share));
}

/// The powers over those of neighbouring frequencies: slow accesses in bursts, or by turns, have power in broad bands,
/// while periodic ones have a line.
Spectrum<double> above_noise(const Spectrum<double>& powers) {
    constexpr std::size_t around = 48;
    Spectrum<double> above{};
    for (std::size_t i = 0; i < powers.size(); ++i) {
        const std::size_t first = i - std::min(i, around);
        const auto near = std::span(powers).subspan(first, std::min(i + around, powers.size()) - first);
        above.at(i) = powers.at(i) / median({near.begin(), near.end()});
    }
    return above;
}

Spectrum<double> powers_in(std::span<const Stretch> stretches, double ns_per_tick) {
    Spectrum<double> sums{};
    for (const Stretch& stretch : stretches)
        add_stretch_to(sums, stretch, ns_per_tick);
    return above_noise(sums);
}

/// The highest power at this place or next to it, where a period known from other stretches may be in these.
double highest_near(std::size_t place, const Spectrum<double>& powers) {
    const std::size_t first = place - std::min<std::size_t>(place, 1);
    return std::ranges::max(std::span(powers).subspan(first, std::min(place + 2, powers.size()) - first));
}

/// The chance that the mean of this many exponential variables of mean 1 is at least `mean`.
double chance_of(double mean, std::size_t variables) {
    const double sum = mean * static_cast<double>(variables);
    double log_term = -sum;
    double chance = std::exp(log_term);
    for (std::size_t k = 1; k < variables; ++k) {
        log_term += std::log(sum / static_cast<double>(k));
        chance += std::exp(log_term);
    }
    return chance;
}

/// The index of the highest power, or of the lowest frequency with a multiple there and half of its power: a short
/// periodic event has power at all multiples.
std::size_t lowest_of_harmonics(const Spectrum<double>& powers) {
    const auto highest = static_cast<std::size_t>(std::ranges::max_element(powers) - powers.begin());
    for (auto part = static_cast<int>(frequency_at(highest) / lowest_per_ns); part > 1; --part) {
        const double place = std::round((frequency_at(highest) / part - lowest_per_ns) / step_per_ns);
        const auto first = static_cast<std::size_t>(std::max(1.0, place) - 1);
        const auto near = std::span(powers).subspan(first, 3);
        const auto top = std::ranges::max_element(near);
        if (*top > powers.at(highest) / 2)
            return first + static_cast<std::size_t>(top - near.begin());
    }
    return highest;
}

} // namespace

std::optional<double> TailScale::rounded_ns(std::uint64_t ticks) const {
    const double steps = std::round(static_cast<double>(ticks) * ns_per_tick / resolution_ns);
    if (steps < 1)
        return std::nullopt;
    const double fraction = std::pow(10, -std::floor(std::log10(resolution_ns))); // for the last digit of a ns
    return fraction < 1 ? std::round(steps * resolution_ns) : std::round(steps * resolution_ns * fraction) / fraction;
}

TailScale tail_scale(const TickScale& scale, std::size_t group) {
    const auto accesses = static_cast<double>(group);
    return {.ns_per_tick = scale.ns_per_tick / accesses, .resolution_ns = scale.resolution_ns() / accesses};
}

std::optional<std::uint64_t> percentile(const TickCounts& counts, double percent) {
    constexpr std::uint64_t fewest_beyond = 10;
    const std::uint64_t samples = samples_in(counts);
    const auto rank = static_cast<std::uint64_t>(std::ceil(percent / 100 * static_cast<double>(samples) - 1e-6));
    if (samples < rank + fewest_beyond)
        return std::nullopt;
    std::uint64_t below = 0;
    for (const auto& [ticks, count] : counts) {
        below += count;
        if (below >= rank)
            return ticks;
    }
    return std::nullopt;
}

std::vector<TailBin> tail_bins(const TickCounts& counts, const TailScale& scale) {
    constexpr double bins_per_doubling = 16;
    std::vector<TailBin> bins;
    const auto samples = static_cast<double>(samples_in(counts));
    std::uint64_t below = 0;
    for (const auto& [ticks, count] : counts) {
        // Samples that took no longer than the readings are in the first step.
        const double ns = std::max(static_cast<double>(ticks) * scale.ns_per_tick, scale.resolution_ns / 2);
        const double place = std::floor(bins_per_doubling * std::log2(ns));
        const double from_ns = std::exp2(place / bins_per_doubling);
        if (bins.empty() || bins.back().from_ns < from_ns)
            bins.push_back({.from_ns = from_ns, .to_ns = std::exp2((place + 1) / bins_per_doubling)});
        below += count;
        bins.back().samples += count;
        bins.back().slower_percent = 100 * (samples - static_cast<double>(below)) / samples;
    }
    return bins;
}

std::optional<Recurrence> find_recurrence(std::span<const Stretch> stretches, double ns_per_tick, double median_ticks) {
    std::vector<Stretch> telling;
    std::vector<double> took;
    for (const Stretch& stretch : stretches) {
        if (stretch.slow.empty() || stretch.some_at_ticks.empty() || stretch.ticks * ns_per_tick < shortest_stretch_ns)
            continue;
        telling.push_back(stretch);
        for (const SlowSample& sample : stretch.slow)
            took.push_back(sample.took_ticks);
    }
    if (telling.size() < fewest_stretches)
        return std::nullopt;
    const std::span all(telling);
    const Spectrum<double> powers = powers_in(all, ns_per_tick);
    const std::size_t place = lowest_of_harmonics(powers);
    const double chance = static_cast<double>(powers.size()) * chance_of(powers.at(place), all.size());
    const auto shows_again = [&](std::span<const Stretch> part) {
        return chance_of(highest_near(place, powers_in(part, ns_per_tick)), part.size()) <= likeliest_chance_again;
    };
    const std::size_t half = all.size() / 2;
    if (chance > likeliest_chance || !shows_again(all.first(half)) || !shows_again(all.subspan(half)))
        return std::nullopt;
    return Recurrence{.period_ns = 1 / frequency_at(place),
                      .chance = chance,
                      .slower_ns = (median(std::move(took)) - median_ticks) * ns_per_tick};
}

} // namespace memtest

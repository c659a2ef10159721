// How often compare_sweeps is wrong, on generated runs whose noise is like that of a shared virtual machine: it only
// adds time, is heavy-tailed, covers neighbouring sizes together, and is largest where the last cache ends.

#include "memtest/insight/compare.hpp"

#include "memtest/base/units.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace memtest {
namespace {

using Figures = std::vector<SizeFigure>;

/// Some sizes of the curve. Figures as measured on a shared virtual machine with a sweep of 64 MiB.
struct Part {
    std::string name;
    double to_bytes;
    double latency_ns;
    double run_noise;  ///< added to all sizes of a part together, as a share; the scale of a half-normal
    double size_noise; ///< the same for each size, correlated with its neighbour's
    double dispersion; ///< of the batches: median over min - 1
};

const std::vector<Part> parts{
    {"L1", 24 * kib, 1.083, 0.0003, 0.0003, 0.010}, {"", 32 * kib, 1.09, 0.005, 0.02, 0.080},
    {"L2", 256 * kib, 3.80, 0.0003, 0.0005, 0.012}, {"", 1 * mib, 6.0, 0.06, 0.08, 0.045},
    {"L3", 4 * mib, 13.5, 0.018, 0.018, 0.045},     {"", 16 * mib, 60, 0.3, 0.5, 0.20},
    {"memory", 64 * mib, 140, 0.04, 0.02, 0.055},
};

std::vector<SizeRange> level_ranges() {
    std::vector<SizeRange> levels;
    double from_bytes = 0;
    for (const Part& part : parts) {
        if (!part.name.empty())
            levels.push_back({part.name, from_bytes + 1, part.to_bytes});
        from_bytes = part.to_bytes;
    }
    return levels;
}

class NoisyMachine {
public:
    explicit NoisyMachine(std::uint64_t seed) : random_(seed) {}

    Figures run() {
        Figures sweep;
        double shared = half_normal();
        std::size_t disturbed_sizes = 0;
        double disturbance = 0;
        auto part = parts.begin();
        double together = half_normal();
        for (const double size_bytes : sizes_bytes()) {
            if (size_bytes > part->to_bytes) {
                ++part;
                together = half_normal();
            }
            shared = 0.7 * shared + 0.3 * half_normal();
            if (disturbed_sizes > 0)
                --disturbed_sizes;
            else
                disturbance = 0;
            if (uniform() < 0.02) {
                disturbed_sizes = 1 + static_cast<std::size_t>(2 * uniform());
                disturbance = -0.05 * std::log(1 - uniform());
            }
            const double latency_ns = part->latency_ns * (1 + part->run_noise * together) *
                                      (1 + part->size_noise * shared) * (1 + disturbance);
            sweep.push_back({.size_bytes = size_bytes,
                             .latency_ns = latency_ns,
                             .min_ns = latency_ns,
                             .median_ns = latency_ns * (1 + part->dispersion * (0.7 + 0.6 * uniform()) + disturbance)});
        }
        return sweep;
    }

    std::vector<Figures> runs(std::size_t count) {
        std::vector<Figures> result;
        while (result.size() < count)
            result.push_back(run());
        return result;
    }

private:
    /// Two sizes per doubling, as in the classic schedule.
    static std::vector<double> sizes_bytes() {
        std::vector<double> sizes;
        for (std::uint64_t size = 4096; size < std::uint64_t{64} << 20; size *= 2) {
            sizes.push_back(static_cast<double>(size));
            sizes.push_back(1.5 * static_cast<double>(size));
        }
        sizes.push_back(64 * mib);
        return sizes;
    }

    double uniform() { return std::uniform_real_distribution<double>()(random_); }
    double half_normal() { return std::abs(std::normal_distribution<double>()(random_)); }

    std::mt19937_64 random_;
};

Figures raised(Figures sweep, const SizeRange& level, double factor) {
    for (SizeFigure& figure : sweep)
        if (figure.size_bytes >= level.from_bytes && figure.size_bytes <= level.to_bytes)
            figure.latency_ns *= factor;
    return sweep;
}

constexpr int comparisons = 500;
constexpr std::size_t baselines = 3;

/// In how many of 50 comparisons the latest run is called slower when a level of it was raised.
double slower_in_50(double factor, const SizeRange& level, std::uint64_t seed) {
    NoisyMachine machine(seed);
    const auto levels = level_ranges();
    int slower = 0;
    for (int i = 0; i < comparisons; ++i) {
        const auto base = machine.runs(baselines);
        const Figures latest = raised(machine.run(), level, factor);
        slower += compare_sweeps(base, latest, levels).verdict == Verdict::slower ? 1 : 0;
    }
    return 50.0 * slower / comparisons;
}

TEST(ComparePower, AMachineIsSlowerThanItselfAtMostOnceIn50) {
    EXPECT_LE(slower_in_50(1, {}, 1), 1);
}

TEST(ComparePower, APlainThresholdWouldFailMostComparisons) {
    NoisyMachine machine(2);
    int alarms = 0;
    for (int i = 0; i < comparisons; ++i) {
        const auto comparison = compare_sweeps(machine.runs(baselines), machine.run(), level_ranges());
        alarms += std::any_of(comparison.sizes.begin(), comparison.sizes.end(),
                              [](const SizeChange& size) { return size.change.change_percent > 5; })
                      ? 1
                      : 0;
    }
    EXPECT_GT(alarms, comparisons / 2);
}

TEST(ComparePower, ARiseOfTenPercentInOneCacheIsFoundIn45Of50) {
    for (const SizeRange& level : level_ranges())
        if (level.name != "memory") {
            EXPECT_GE(slower_in_50(1.1, level, 3), 45) << level.name;
        }
}

// The memory of such a machine moves by several percent from run to run, so that it takes more to stand out.
TEST(ComparePower, ARiseOfTwentyPercentInMemoryIsFoundIn45Of50) {
    EXPECT_GE(slower_in_50(1.2, level_ranges().back(), 4), 45);
}

} // namespace
} // namespace memtest

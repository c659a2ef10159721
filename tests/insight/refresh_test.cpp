#include "memtest/insight/refresh.hpp"

#include "memtest/chain/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace memtest {
namespace {

constexpr double ns_per_tick = 0.4;

/// Stretches of a memory whose accesses take 100 to 130 ns, and longer at some moments.
/// @param extra_ns of an access at this moment, the next of the random numbers in hand
std::vector<Stretch> stretches_of(std::size_t count, const std::function<double(double at_ns, SplitMix64&)>& extra_ns) {
    SplitMix64 random(7);
    TailSamples samples{.cost_ticks = {0}};
    double at_ns = 0;
    for (std::size_t stretch = 0; stretch < count; ++stretch) {
        std::vector<std::uint64_t> readings;
        for (int sample = 0; sample <= 1024; ++sample) {
            readings.push_back(static_cast<std::uint64_t>(at_ns / ns_per_tick));
            at_ns += 180 + static_cast<double>(random.below(30)) + extra_ns(at_ns, random);
        }
        add_stretch(samples, readings, true, {.ns_per_tick = ns_per_tick, .resolution_ticks = 1});
        at_ns += 31'234; // to the next stretch
    }
    return samples.stretches;
}

/// What an access waits for a refresh that keeps the memory busy for a time at the end of each period.
double wait_ns(double at_ns, double period_ns, double busy_ns) {
    const double phase_ns = std::fmod(at_ns, period_ns);
    return phase_ns > period_ns - busy_ns ? period_ns - phase_ns : 0;
}

std::optional<Recurrence> found_in(const std::vector<Stretch>& stretches) {
    return find_recurrence(stretches, ns_per_tick, 195 / ns_per_tick);
}

TEST(Refresh, IsFoundAtItsPeriodWithWhatItAdds) {
    for (const double period_ns : {7800.0, 3900.0, 1950.0}) {
        const auto found =
            found_in(stretches_of(100, [&](double at_ns, SplitMix64&) { return wait_ns(at_ns, period_ns, 350); }));
        ASSERT_TRUE(found.has_value()) << period_ns;
        EXPECT_NEAR(found->period_ns, period_ns, 0.01 * period_ns);
        EXPECT_LT(found->chance, 1e-9);
        EXPECT_GT(found->slower_ns, 100);
        EXPECT_LT(found->slower_ns, 350);
    }
}

TEST(Refresh, IsFoundWhereMostSlowAccessesHaveOtherCauses) {
    const auto found = found_in(stretches_of(400, [&](double at_ns, SplitMix64& random) {
        return random.below(25) == 0 ? 200.0 : wait_ns(at_ns, 7800, 120);
    }));
    ASSERT_TRUE(found.has_value());
    EXPECT_NEAR(found->period_ns, 7800, 80);
}

TEST(Refresh, IsNotFoundInNoise) {
    EXPECT_EQ(found_in(stretches_of(400, [](double, SplitMix64&) { return 0; })), std::nullopt) << "no tail at all";
    EXPECT_EQ(found_in(stretches_of(400, [](double, SplitMix64& random) { return random.below(20) == 0 ? 250 : 0; })),
              std::nullopt);
}

TEST(Refresh, IsNotFoundInBurstsWithoutAPeriod) {
    double until_ns = 0;
    EXPECT_EQ(found_in(stretches_of(400,
                                    [&](double at_ns, SplitMix64& random) {
                                        if (random.below(100) == 0)
                                            until_ns = at_ns + static_cast<double>(random.below(4000));
                                        return at_ns < until_ns ? 150.0 : 0.0;
                                    })),
              std::nullopt);
}

TEST(Refresh, IsNotFoundWhereASlowAccessKeepsTheNextFromBeingSlow) {
    bool was_slow = false;
    EXPECT_EQ(found_in(stretches_of(400,
                                    [&](double, SplitMix64& random) {
                                        was_slow = !was_slow && random.below(15) == 0;
                                        return was_slow ? 150.0 : 0.0;
                                    })),
              std::nullopt);
}

TEST(Refresh, IsNotSoughtInShortStretchesOrFew) {
    auto stretches = stretches_of(100, [&](double at_ns, SplitMix64&) { return wait_ns(at_ns, 7800, 350); });
    EXPECT_EQ(found_in({stretches.front()}), std::nullopt);
    for (Stretch& stretch : stretches)
        stretch.ticks /= 2;
    EXPECT_EQ(found_in(stretches), std::nullopt);
    EXPECT_EQ(found_in({}), std::nullopt);
}

} // namespace
} // namespace memtest

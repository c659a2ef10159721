#include "memtest/machine/caches.hpp"

#include "support/fake_system.hpp"

#include <gtest/gtest.h>

namespace memtest {
namespace {

TEST(Caches, AreReadNearestFirstWithoutTheInstructionCache) {
    const FakeSystem system;
    system.add_processor(3, 0, 3, "0-3");
    const auto caches = read_caches(system.files(), 3);
    ASSERT_EQ(caches.size(), 3U);
    EXPECT_EQ(cache_name(caches[0]), "L1d");
    EXPECT_EQ(caches[0].size_bytes, 32U << 10U);
    EXPECT_EQ(caches[0].line_bytes, 64U);
    EXPECT_EQ(cache_name(caches[1]), "L2");
    EXPECT_EQ(caches[1].size_bytes, 1U << 20U);
    EXPECT_EQ(caches[2].size_bytes, 32U << 20U);
    EXPECT_EQ(caches[2].shared_by, (std::vector<int>{0, 1, 2, 3}));
}

TEST(Caches, AreReadNearestFirstWhateverTheSystemsOrder) {
    const FakeSystem system;
    system.add_cache(0, 0, 3, "Unified", "32M", "0");
    system.add_cache(0, 1, 1, "Data", "32K", "0");
    system.add_cache(0, 2, 2, "Unified", "1M", "0");
    const auto caches = read_caches(system.files(), 0);
    ASSERT_EQ(caches.size(), 3U);
    for (std::size_t i = 0; i < caches.size(); ++i)
        EXPECT_EQ(caches[i].level, static_cast<int>(i) + 1);
}

TEST(Caches, AreNoneWhereTheSystemDoesNotDescribeThem) {
    EXPECT_TRUE(read_caches(FakeSystem().files(), 0).empty());
}

TEST(Caches, WithoutASizeOrWithMegabytesOrWithoutALineSize) {
    const FakeSystem system;
    system.add("/sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n");
    system.add("/sys/devices/system/cpu/cpu0/cache/index1/type", "Unified\n");
    system.add("/sys/devices/system/cpu/cpu0/cache/index1/level", "2\n");
    system.add("/sys/devices/system/cpu/cpu0/cache/index1/size", "4M\n");
    const auto caches = read_caches(system.files(), 0);
    ASSERT_EQ(caches.size(), 1U);
    EXPECT_EQ(caches[0].size_bytes, 4U << 20U);
    EXPECT_EQ(caches[0].line_bytes, 0U);
    EXPECT_EQ(caches[0].shared_by, std::vector<int>{0});
}

} // namespace
} // namespace memtest

#include "memtest/machine/processors.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"
#include "support/fake_system.hpp"
#include "support/test.hpp"

#include <sched.h>

#include <thread>

namespace memtest {
namespace {

TEST(Processors, HaveNoNameWhereAnOldArmKernelNamesOneForAllAndTheirClocksDiffer) {
    const FakeSystem system;
    system.add("/proc/cpuinfo", "processor\t: 0\nprocessor\t: 1\nCPU implementer\t: 0x41\nCPU variant\t: 0x0\n"
                                "CPU part\t: 0xd03\nCPU revision\t: 3\n");
    const auto names = [&] {
        std::set<std::string> found;
        for (const Processor& processor : read_processors(system.files(), {0, 1}))
            found.insert(processor.name);
        return found;
    };
    EXPECT_EQ(names(), std::set<std::string>{"Cortex-A53 r0p3"});
    system.add("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "1440000\n");
    EXPECT_EQ(names(), std::set<std::string>{""});
}

TEST(Caches, AreReadNearestFirstWithoutTheInstructionCache) {
    const FakeSystem system;
    system.add_processor(3, 0, 3, "0-3");
    const auto caches = read_processors(system.files(), {3}).front().caches;
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
    const auto caches = read_processors(system.files(), {0}).front().caches;
    ASSERT_EQ(caches.size(), 3U);
    for (std::size_t i = 0; i < caches.size(); ++i)
        EXPECT_EQ(caches[i].level, static_cast<int>(i) + 1);
}

TEST(Caches, AreNoneWhereTheSystemDoesNotDescribeThem) {
    EXPECT_TRUE(read_processors(FakeSystem().files(), {0}).front().caches.empty());
}

TEST(Caches, WithoutASizeOrWithMegabytesOrWithoutALineSize) {
    const FakeSystem system;
    system.add("/sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n");
    system.add("/sys/devices/system/cpu/cpu0/cache/index1/type", "Unified\n");
    system.add("/sys/devices/system/cpu/cpu0/cache/index1/level", "2\n");
    system.add("/sys/devices/system/cpu/cpu0/cache/index1/size", "4M\n");
    const auto caches = read_processors(system.files(), {0}).front().caches;
    ASSERT_EQ(caches.size(), 1U);
    EXPECT_EQ(caches[0].size_bytes, 4U << 20U);
    EXPECT_EQ(caches[0].line_bytes, 0U);
    EXPECT_EQ(caches[0].level, 2);
    system.add("/sys/devices/system/cpu/cpu0/cache/index0/size", "32K\n");
    EXPECT_EQ(read_processors(system.files(), {0}).front().caches.at(0).level, 0) << "it is not told";
    EXPECT_EQ(caches[0].shared_by, std::vector<int>{0});
}

TEST(Caches, ThatNoProcessorHasAreNotBelieved) {
    const FakeSystem system;
    system.add_cache(0, 0, 1, "Data", "32K", "0", "48");
    system.add_cache(0, 1, 2, "Unified", "1M", "0", "4294967295");
    system.add_cache(0, 2, 3, "Unified", "4294967295K", "0");
    system.add_cache(0, 3, 77, "Unified", "2M", "0");
    system.add("/sys/devices/system/cpu/cpu0/cpu_capacity", "0\n");
    system.add("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "0\n");
    const Processor processor = read_processors(system.files(), {0}).front();
    ASSERT_EQ(processor.caches.size(), 3U);
    EXPECT_EQ(processor.caches[0].level, 0) << "that of 2 MiB";
    EXPECT_EQ(processor.caches[1].line_bytes, 0U) << "no power of two";
    EXPECT_EQ(processor.caches[2].line_bytes, 0U) << "beyond any";
    EXPECT_EQ(last_cache_bytes({processor}), mib);
    EXPECT_EQ(processor.capacity, std::nullopt);
    EXPECT_EQ(processor.max_khz, std::nullopt);
}

/// Two packages of two cores with two hardware threads each, numbered as Linux numbers them on x86: siblings last.
class TwoPackages : public testing::Test {
protected:
    TwoPackages() {
        for (const int id : {0, 1, 4, 5})
            system.add_processor(id, 0, id % 4, "0,1,4,5");
        for (const int id : {2, 3, 6, 7})
            system.add_processor(id, 1, id % 4 - 2, "2,3,6,7");
        processors = read_processors(system.files(), {0, 1, 2, 3, 4, 5, 6, 7});
    }

    [[nodiscard]] std::vector<Processor> some(const std::vector<int>& ids) const {
        return read_processors(system.files(), ids);
    }

    FakeSystem system;
    std::vector<Processor> processors;
};

TEST_F(TwoPackages, OnePerCoreBeforeAnySiblingStartingWithTheCurrentOne) {
    EXPECT_EQ(choose_processors(processors, 0, 1), std::vector<int>{0});
    EXPECT_EQ(choose_processors(processors, 6, 1), std::vector<int>{6});
    EXPECT_EQ(choose_processors(processors, 0, 4), (std::vector<int>{0, 1, 2, 3}));
    EXPECT_EQ(choose_processors(processors, 0, 6), (std::vector<int>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(choose_processors(processors, 6, 5), (std::vector<int>{6, 0, 1, 3, 2}));
}

TEST_F(TwoPackages, OnOtherCoresIsOneOfEachThatHasNoneOfThose) {
    EXPECT_EQ(on_other_cores(processors, {0}), (std::vector<int>{1, 2, 3})) << "4 is a sibling of 0, 5 to 7 are second";
    EXPECT_EQ(on_other_cores(processors, {7, 1}), (std::vector<int>{0, 2}));
    EXPECT_EQ(on_other_cores(some({4, 5, 7}), {5}), (std::vector<int>{4, 7}));
    EXPECT_TRUE(on_other_cores(some({0, 4}), {4}).empty());
}

TEST_F(TwoPackages, MoreThreadsThanProcessorsAreRefusedWithTheNumberThereIs) {
    try {
        (void)choose_processors(processors, 0, 9);
        FAIL() << "not refused";
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), ExitStatus::usage);
        EXPECT_NE(std::string(error.what()).find("at most 8"), std::string::npos) << error.what();
    }
}

TEST_F(TwoPackages, RelationIsTheFarthestBetweenAnyTwo) {
    EXPECT_EQ(relation(some({0, 4})), Relation::same_core);
    EXPECT_EQ(relation(some({0, 1})), Relation::same_last_cache);
    EXPECT_EQ(relation(some({0, 4, 1})), Relation::same_last_cache);
    EXPECT_EQ(relation(some({0, 2})), Relation::different_packages);
    EXPECT_EQ(physical_cores(some({0, 4, 1})), 2U);
}

TEST(Processors, OfOnePackageWithoutACommonCache) {
    const FakeSystem system;
    system.add_processor(0, 0, 0, "0");
    system.add_processor(1, 0, 1, "1");
    EXPECT_EQ(relation(read_processors(system.files(), {0, 1})), Relation::same_package);
}

TEST(Processors, OfClustersShareASecondLevelWhereThatIsTheLast) {
    const FakeSystem system;
    for (const int id : {0, 1, 2}) {
        system.add_cache(id, 0, 1, "Data", "32K", std::to_string(id));
        system.add_cache(id, 1, 2, "Unified", "1M", id < 2 ? "0-1" : "2");
    }
    EXPECT_EQ(relation(read_processors(system.files(), {0, 1})), Relation::same_last_cache);
    EXPECT_EQ(relation(read_processors(system.files(), {0, 1, 2})), Relation::same_package);
}

TEST(Processors, HaveNoLastLevelCacheWhereOnlyTheFirstLevelIsKnown) {
    const FakeSystem system;
    for (const int id : {0, 1}) {
        system.add_cache(id, 0, 1, "Data", "32K", "0-1");
        system.add("/sys/devices/system/cpu/cpu" + std::to_string(id) + "/topology/core_id", std::to_string(id));
    }
    EXPECT_EQ(relation(read_processors(system.files(), {0, 1})), Relation::same_package);
}

TEST(CachesInCommon, AreThoseThatAllCoresHaveAlikeWithAsManySharers) {
    const Cache l1{.level = 1, .data_only = true, .size_bytes = 32 * kib, .line_bytes = 64, .shared_by = {0}};
    const Cache l2{.level = 2, .size_bytes = mib, .line_bytes = 64, .shared_by = {0, 1}};
    const Processor first{.id = 0, .caches = {l1, l2}};
    const auto levels_with = [&](const Cache& other) {
        std::vector<int> levels;
        for (const Cache& cache : caches_in_common({first, {.id = 2, .caches = {l1, other}}}))
            levels.push_back(cache.level);
        return levels;
    };
    Cache other = l2;
    other.shared_by = {2, 3};
    EXPECT_EQ(levels_with(other), (std::vector<int>{1, 2})) << "shared by two, too";
    other.shared_by = {2};
    EXPECT_EQ(levels_with(other), std::vector<int>{1}) << "not shared";
    other = l2;
    other.size_bytes = 2 * mib;
    EXPECT_EQ(levels_with(other), std::vector<int>{1});
    other = l2;
    other.line_bytes = 128;
    EXPECT_EQ(levels_with(other), std::vector<int>{1});
    other = l2;
    other.data_only = true;
    EXPECT_EQ(levels_with(other), std::vector<int>{1});
    other = l2;
    other.level = 3;
    EXPECT_EQ(levels_with(other), std::vector<int>{1});
    EXPECT_EQ(caches_in_common({first}).size(), 2U);
}

TEST(CachesInCommon, TheLastIsTheLargestThatAnyHasNearestToMemory) {
    const Processor small{.id = 0,
                          .caches = {{.level = 1, .size_bytes = 4 * mib, .shared_by = {}},
                                     {.level = 2, .size_bytes = mib, .shared_by = {}}}};
    const Processor large{.id = 1, .caches = {{.level = 2, .size_bytes = 2 * mib, .shared_by = {}}}};
    EXPECT_EQ(last_cache_bytes({small}), mib);
    EXPECT_EQ(last_cache_bytes({small, large, {.id = 2}}), 2 * mib);
    EXPECT_EQ(last_cache_bytes({}), 0U);
    FakeSystem system;
    system.add_processor(3, 0, 3, "3");
    EXPECT_EQ(last_cache_bytes(system.files(), 3), last_cache_bytes(read_processors(system.files(), {3})));
    EXPECT_GT(last_cache_bytes(system.files(), 3), 0U);
    EXPECT_EQ(last_cache_bytes(system.files(), 4), 0U);
}

TEST(Processors, HaveTheLineOfTheFirstCacheThatTellsIt) {
    const FakeSystem system;
    system.add_cache(0, 0, 1, "Data", "32K", "0", "0");
    system.add_cache(0, 1, 2, "Unified", "1024K", "0", "128");
    system.add_cache(1, 0, 1, "Data", "32K", "1", "");
    const auto processors = read_processors(system.files(), {0, 1});
    EXPECT_EQ(line_bytes_of(processors, 0), 128U);
    EXPECT_EQ(line_bytes_of(processors, 1), std::nullopt);
    EXPECT_EQ(line_bytes_of(processors, 2), std::nullopt) << "there is none";
}

TEST(Processors, HaveATypeWhereTheCountersOfAHybridOneNameThem) {
    const FakeSystem system;
    system.add("/sys/bus/event_source/devices/cpu_core/cpus", "0-1\n");
    system.add("/sys/bus/event_source/devices/cpu_atom/cpus", "2\n");
    system.add("/sys/bus/event_source/devices/cpu_lowpower/cpus", "3\n");
    system.add("/sys/devices/system/cpu/cpu2/cpu_capacity", "446\n");
    system.add("/sys/devices/system/cpu/cpu2/cpufreq/cpuinfo_max_freq", "3700000\n");
    std::vector<std::string> types;
    const auto processors = read_processors(system.files(), {3, 2, 1, 4});
    for (const Processor& processor : processors)
        types.push_back(processor.type);
    EXPECT_EQ(types, (std::vector<std::string>{"LP-E-core", "E-core", "P-core", ""}));
    EXPECT_EQ(processors[1].capacity, 446U);
    EXPECT_EQ(processors[1].max_khz, 3700000U);
    EXPECT_EQ(processors[0].capacity, std::nullopt);
}

TEST(Processors, WithoutATopologyCountAsCoresOfTheirOwn) {
    const auto processors = read_processors(FakeSystem().files(), {0, 1, 2});
    EXPECT_EQ(physical_cores(processors), 3U);
    EXPECT_EQ(choose_processors(processors, 1, 2), (std::vector<int>{1, 0}));
    EXPECT_EQ(processors.front().package, 0);
    const FakeSystem some;
    some.add_processor(0, 0, 1, "0");
    EXPECT_EQ(physical_cores(read_processors(some.files(), {0, 2})), 2U);
}

TEST(ProcessorsOfThisMachine, TheCurrentOneIsAllowed) {
    const auto allowed = allowed_processors();
    EXPECT_EQ(std::ranges::count(allowed, current_processor()), 1);
}

TEST(ProcessorsOfThisMachine, PinningBindsTheThreadThere) {
    const int last = allowed_processors().back();
    std::thread([last] {
        pin_to(last);
        EXPECT_EQ(current_processor(), last);
        EXPECT_EQ(allowed_processors(), std::vector<int>{last});
    }).join();
}

TEST(ProcessorsOfThisMachine, AskingWhetherThreadsCanBePinnedLeavesThisOneWhereItMayRun) {
    const std::vector<int> allowed = allowed_processors();
    EXPECT_EQ(refusal_to_pin(), std::nullopt);
    EXPECT_EQ(allowed_processors(), allowed);
}

TEST(ProcessorsOfThisMachine, PinningToOneThatIsNotThereIsAnErrorThatNamesIt) {
    try {
        pin_to(5000);
        FAIL() << "pinned to a processor that does not exist";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("5000"), std::string::npos) << error.what();
    }
}

} // namespace
} // namespace memtest

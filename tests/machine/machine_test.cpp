#include "memtest/machine/machine.hpp"

#include "memtest/base/units.hpp"
#include "support/fake_system.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

TEST(Machine, ThisOneIsReadWithoutFailing) {
    const Machine machine = read_machine(SystemFiles());
    EXPECT_FALSE(machine.allowed.empty());
    EXPECT_TRUE(machine.kernel.starts_with("Linux ")) << machine.kernel;
    EXPECT_EQ(std::ranges::count(machine.kernel, ' '), 2) << machine.kernel;
    EXPECT_GT(machine.clock.resolution_ns, 0);
}

TEST(Machine, WithoutSystemFilesIsStillUsable) {
    const Machine machine = read_machine(FakeSystem().files());
    EXPECT_FALSE(machine.allowed.empty());
    EXPECT_TRUE(machine.allowed.front().caches.empty());
    EXPECT_EQ(machine.available_bytes, std::nullopt);
    EXPECT_EQ(machine.name, "");
    EXPECT_EQ(machine.virtualization.container, "");
}

TEST(Machine, HasTheMemoryThatTheKernelReports) {
    const FakeSystem system;
    system.add("/proc/meminfo", "MemTotal: 8192 kB\nMemFree: 1024 kB\n");
    system.add("/here", "it\n");
    EXPECT_EQ(read_machine(system.files()).memory_bytes, 8 * mib);
    EXPECT_EQ(read_machine(system.files()).files.line("/here"), "it") << "it reads the same system later on";
}

TEST(MemoryLimit, WithoutControlGroupsIsWhatTheKernelCallsAvailable) {
    const FakeSystem system;
    system.add("/proc/meminfo", "MemTotal: 9000000 kB\nMemFree: 1024 kB\nMemAvailable: 2048 kB\n");
    EXPECT_EQ(read_machine(system.files()).available_bytes, 2 * mib);
}

TEST(MemoryLimit, OnAnOldKernelIsWhatIsFree) {
    const FakeSystem system;
    system.add("/proc/meminfo", "MemTotal: 9000000 kB\nMemFree: 1024 kB\n");
    EXPECT_EQ(read_machine(system.files()).available_bytes, mib);
}

TEST(MemoryLimit, IsNotKnownWhereTheSystemSaysNothing) {
    EXPECT_EQ(read_machine(FakeSystem().files()).available_bytes, std::nullopt);
}

class MemoryLimitOfAGroup : public testing::Test {
protected:
    MemoryLimitOfAGroup() { system.add("/proc/meminfo", "MemAvailable: 8388608 kB\n"); }
    void limit(const std::string& group, const std::string& max, const std::string& current) const {
        system.add("/sys/fs/cgroup/" + group + "memory.max", max + "\n");
        system.add("/sys/fs/cgroup/" + group + "memory.current", current + "\n");
    }
    FakeSystem system;
};

TEST_F(MemoryLimitOfAGroup, Version2LeavesItsLimitLessWhatIsHeld) {
    system.add("/proc/self/cgroup", "0::/jobs/one\n");
    limit("jobs/one/", "104857600", "52428800");
    system.add("/sys/fs/cgroup/jobs/one/memory.stat", "anon 1\ninactive_file 10485760\n");
    EXPECT_EQ(read_machine(system.files()).available_bytes, 60 * mib) << "page cache that is given up counts as free";
}

TEST_F(MemoryLimitOfAGroup, IsWhereVersion2BeginsToSlowAllocationsDownWhenThatComesFirst) {
    system.add("/proc/self/cgroup", "0::/\n");
    limit("", "max", "0");
    system.add("/sys/fs/cgroup/memory.high", "33554432\n");
    EXPECT_EQ(read_machine(system.files()).available_bytes, 32 * mib);
    system.add("/sys/fs/cgroup/memory.max", "67108864\n");
    EXPECT_EQ(read_machine(system.files()).available_bytes, 32 * mib);
    system.add("/sys/fs/cgroup/memory.high", "max\n");
    EXPECT_EQ(read_machine(system.files()).available_bytes, 64 * mib);
}

TEST_F(MemoryLimitOfAGroup, AnAncestorsLowerLimitCounts) {
    system.add("/proc/self/cgroup", "0::/jobs/one\n");
    limit("jobs/one/", "max", "0");
    limit("jobs/", "33554432", "0");
    EXPECT_EQ(read_machine(system.files()).available_bytes, 32 * mib);
}

TEST_F(MemoryLimitOfAGroup, Version1BesideAnEmptyVersion2) {
    system.add("/proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/box\n0::/\n");
    system.add("/sys/fs/cgroup/memory/box/memory.limit_in_bytes", "67108864\n");
    system.add("/sys/fs/cgroup/memory/box/memory.usage_in_bytes", "16777216\n");
    EXPECT_EQ(read_machine(system.files()).available_bytes, 48 * mib);
}

TEST_F(MemoryLimitOfAGroup, Version1CountsThePageCacheOfItsChildrenAsFreeAndKnowsNoSlowing) {
    system.add("/proc/self/cgroup", "4:memory:/box\n");
    system.add("/sys/fs/cgroup/memory/box/memory.limit_in_bytes", "67108864\n");
    system.add("/sys/fs/cgroup/memory/box/memory.high", "1048576\n");
    system.add("/sys/fs/cgroup/memory/box/memory.usage_in_bytes", "16777216\n");
    system.add("/sys/fs/cgroup/memory/box/memory.stat", "inactive_file 1048576\ntotal_inactive_file 4194304\n");
    EXPECT_EQ(read_machine(system.files()).available_bytes, 52 * mib);
    system.add("/proc/self/cgroup", "4:memoryless:/box\nnonsense\n4:memory\n");
    system.add("/sys/fs/cgroup/memory/memory.limit_in_bytes", "67108864\n");
    system.add("/sys/fs/cgroup/memory/memory.usage_in_bytes", "0\n");
    EXPECT_EQ(read_machine(system.files()).available_bytes, 8192 * mib) << "of no controller of memory";
}

TEST_F(MemoryLimitOfAGroup, InsideAContainerTheRootOfTheMountIsTheGroup) {
    system.add("/proc/self/cgroup", "0::/not/visible/here\n");
    limit("", "16777216", "0");
    EXPECT_EQ(read_machine(system.files()).available_bytes, 16 * mib);
}

TEST_F(MemoryLimitOfAGroup, AGroupThatHoldsMoreThanItsLimitLeavesNothing) {
    system.add("/proc/self/cgroup", "0::/\n");
    limit("", "1000", "2000");
    EXPECT_EQ(read_machine(system.files()).available_bytes, 0U);
}

} // namespace
} // namespace memtest

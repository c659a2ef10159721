#include "memtest/machine/control_group.hpp"

#include "support/fake_system.hpp"

#include <gtest/gtest.h>

namespace memtest {
namespace {

TEST(CpuQuota, IsTheLeastOfTheGroupAndItsAncestors) {
    const FakeSystem system;
    EXPECT_EQ(cpu_quota(system.files()), std::nullopt);
    system.add("/proc/self/cgroup", "0::/a/b\n");
    system.add("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    EXPECT_EQ(cpu_quota(system.files()), std::nullopt);
    system.add("/sys/fs/cgroup/a/cpu.max", "50000 100000\n");
    EXPECT_EQ(cpu_quota(system.files()), 0.5);
    system.add("/sys/fs/cgroup/a/b/cpu.max", "150000 50000\n");
    EXPECT_EQ(cpu_quota(system.files()), 0.5);
}

TEST(CpuQuota, OfVersion1IsFoundInTheFolderOfAllItsControllersToo) {
    const FakeSystem system;
    system.add("/proc/self/cgroup", "4:cpu,cpuacct:/job\n");
    system.add("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
    system.add("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
    EXPECT_EQ(cpu_quota(system.files()), std::nullopt);
    system.add("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "200000\n");
    EXPECT_EQ(cpu_quota(system.files()), 2);
}

TEST(ThrottledPeriods, AreThoseOfTheGroupThatWasStoppedMost) {
    const FakeSystem system;
    EXPECT_EQ(throttled_periods(system.files()), 0U);
    system.add("/proc/self/cgroup", "0::/a\n");
    system.add("/sys/fs/cgroup/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 7\nthrottled_usec 3\n");
    system.add("/sys/fs/cgroup/a/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 2\nthrottled_usec 3\n");
    EXPECT_EQ(throttled_periods(system.files()), 7U);
}

} // namespace
} // namespace memtest

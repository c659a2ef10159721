#include "memtest/machine/control_group.hpp"

#include "support/fake_system.hpp"
#include "support/test.hpp"

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
    system.add("/sys/fs/cgroup/a/b/cpu.max", "25000 100000\n");
    EXPECT_EQ(cpu_quota(system.files()), 0.25);
}

TEST(CpuQuota, OfVersion1IsFoundInTheFolderOfAllItsControllersToo) {
    const FakeSystem system;
    system.add("/proc/self/cgroup", "4:cpu,cpuacct:/job\n");
    system.add("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
    system.add("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
    EXPECT_EQ(cpu_quota(system.files()), std::nullopt);
    system.add("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "200000\n");
    EXPECT_EQ(cpu_quota(system.files()), 2);
    system.add("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "0\n");
    EXPECT_EQ(cpu_quota(system.files()), std::nullopt);
    system.add("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "200000\n");
    EXPECT_EQ(cpu_quota(system.files()), std::nullopt) << "without a period";
}

TEST(ThrottledPeriods, AreReadForEachGroup) {
    const FakeSystem system;
    EXPECT_TRUE(throttled_periods(system.files()).empty());
    system.add("/proc/self/cgroup", "0::/a\n");
    system.add("/sys/fs/cgroup/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 7\nthrottled_usec 3\n");
    system.add("/sys/fs/cgroup/a/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 2\nthrottled_usec 3\n");
    const ThrottledPeriods both{{"/sys/fs/cgroup", 7}, {"/sys/fs/cgroup/a", 2}};
    EXPECT_EQ(throttled_periods(system.files()), both);
    system.add("/proc/self/cgroup", "cpu\n1:cpu\n0::/a\n2:memory:/b\n");
    EXPECT_EQ(throttled_periods(system.files()), both) << "lines of another form, and of another controller";
}

TEST(ThrottledPeriods, BetweenTwoReadingsAreThoseOfTheGroupThatWasStoppedMostMeanwhile) {
    EXPECT_EQ(periods_between({{"/pod", 1000}, {"/pod/own", 3}}, {{"/pod", 1001}, {"/pod/own", 60}}), 57U);
    EXPECT_EQ(periods_between({{"/pod", 1000}, {"/pod/own", 3}}, {{"/pod", 1057}, {"/pod/own", 4}}), 57U);
    EXPECT_EQ(periods_between({{"/pod", 1000}}, {{"/pod", 1000}}), 0U);
    EXPECT_EQ(periods_between({{"/a", 1000}}, {{"/b", 3}}), 0U) << "moved to another group";
    EXPECT_EQ(periods_between({{"/a", 1000}}, {{"/a", 3}}), 0U) << "made anew";
}

} // namespace
} // namespace memtest

#include "memtest/machine/machine.hpp"

#include "support/fake_system.hpp"

#include <gtest/gtest.h>

namespace memtest {
namespace {

TEST(CpuModel, OnX86) {
    const FakeSystem system;
    system.add("/proc/cpuinfo", "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 7763\n");
    EXPECT_EQ(read_cpu_model(system.files()), "AMD EPYC 7763");
}

TEST(CpuModel, OnPower) {
    const FakeSystem system;
    system.add("/proc/cpuinfo", "processor\t: 0\ncpu\t\t: POWER9, altivec supported\nclock\t\t: 3800MHz\n");
    EXPECT_EQ(read_cpu_model(system.files()), "POWER9, altivec supported");
}

TEST(CpuModel, OnAnAarch64BoardIsTheDeviceTreesName) {
    const FakeSystem system;
    system.add("/proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 108.00\nCPU implementer\t: 0x41\n");
    system.add("/proc/device-tree/model", std::string_view("Raspberry Pi 4 Model B\0", 23));
    EXPECT_EQ(read_cpu_model(system.files()), "Raspberry Pi 4 Model B");
}

TEST(CpuModel, IsEmptyWhereTheSystemDoesNotSay) {
    EXPECT_EQ(read_cpu_model(FakeSystem().files()), "");
}

TEST(Hypervisor, IsSeenInTheProcessorsFlags) {
    const FakeSystem system;
    system.add("/proc/cpuinfo", "flags\t\t: fpu vme hypervisor\n");
    EXPECT_TRUE(runs_under_hypervisor(system.files()));
    system.add("/proc/cpuinfo", "flags\t\t: fpu vme hypervisorless\n");
    EXPECT_FALSE(runs_under_hypervisor(system.files()));
    system.add("/sys/hypervisor/type", "xen\n"); // which processors do not tell of
    EXPECT_TRUE(runs_under_hypervisor(system.files()));
}

TEST(Machine, ThisOneIsReadWithoutFailing) {
    const Machine machine = read_machine(SystemFiles());
    EXPECT_FALSE(machine.allowed.empty());
    EXPECT_FALSE(machine.kernel.empty());
    EXPECT_GT(machine.clock.resolution_ns, 0);
}

TEST(Machine, WithoutSystemFilesIsStillUsable) {
    const Machine machine = read_machine(FakeSystem().files());
    EXPECT_FALSE(machine.allowed.empty());
    EXPECT_TRUE(machine.allowed.front().caches.empty());
    EXPECT_EQ(machine.available_bytes, std::nullopt);
    EXPECT_EQ(machine.cpu_model, "");
}

} // namespace
} // namespace memtest

#include "memtest/machine/cpu_name.hpp"

#include "support/fake_system.hpp"
#include "support/test.hpp"

#include <initializer_list>

namespace memtest {
namespace {

TEST(ArmCpuName, IsThePublishedOneWithVariantAndRevision) {
    EXPECT_EQ(arm_cpu_name(0x413fd0c1), "Neoverse-N1 r3p1");
    EXPECT_EQ(arm_cpu_name(0x410fd4f0), "Neoverse-V2 r0p0");
    EXPECT_EQ(arm_cpu_name(0x411fd850), "Cortex-X925 r1p0");
    EXPECT_EQ(arm_cpu_name(0xc00fac30), "Ampere Ampere-1 r0p0");
    EXPECT_EQ(arm_cpu_name(0x611f0231), "Apple Firestorm-M1 r1p1");
    EXPECT_EQ(arm_cpu_name(0x460f0010), "Fujitsu A64FX r0p0");
    EXPECT_EQ(arm_cpu_name(0x6d0fd490), "Microsoft Azure-Cobalt-100 r0p0");
    EXPECT_EQ(arm_cpu_name(0x701f6633), "Phytium FTC663 r1p3");
    EXPECT_EQ(arm_cpu_name(0x534f0010), "Samsung Exynos-M2 r4p0") << "another design by its variant alone";
    EXPECT_EQ(arm_cpu_name(0x531f0010), "Samsung Exynos-M1 r1p0");
    EXPECT_EQ(arm_cpu_name(0x531f0020), "Samsung Exynos-M3 r1p0");
}

TEST(ArmCpuName, BeginsWithEveryImplementerButArm) {
    for (const auto& [implementer, name] : {std::pair(0x41U, "Arm"),
                                            std::pair(0x42U, "Broadcom"),
                                            {0x43U, "Cavium"},
                                            {0x46U, "Fujitsu"},
                                            {0x48U, "HiSilicon"},
                                            {0x4eU, "NVIDIA"},
                                            {0x50U, "APM"},
                                            {0x51U, "Qualcomm"},
                                            {0x53U, "Samsung"},
                                            {0x56U, "Marvell"},
                                            {0x61U, "Apple"},
                                            {0x69U, "Intel"},
                                            {0x6dU, "Microsoft"},
                                            {0x70U, "Phytium"},
                                            {0xc0U, "Ampere"}})
        EXPECT_EQ(arm_cpu_name(implementer << 24U | 0xfff0U), std::string(name) + " part 0xfff r0p0");
    EXPECT_EQ(arm_cpu_name(0x501f0002), "APM X-Gene r1p2");
}

TEST(ArmCpuName, OfUnknownProcessorsShowsNumbersThatTellThemApart) {
    const std::set<std::string> names{arm_cpu_name(0x410fdff0), arm_cpu_name(0x410fdfe0), arm_cpu_name(0x411fdff0),
                                      arm_cpu_name(0x410fdff1), arm_cpu_name(0x990fdff0)};
    EXPECT_EQ(names.size(), 5U);
    EXPECT_EQ(arm_cpu_name(0x410fdff2), "Arm part 0xdff r0p2");
    EXPECT_EQ(arm_cpu_name(0x991f1233), "Arm implementer 0x99 part 0x123 r1p3");
}

TEST(ArmCpuName, IsUniqueAmongAllPartsOfAnImplementer) {
    for (const std::uint32_t implementer : {0x41U, 0x43U, 0x51U, 0x61U}) {
        std::set<std::string> names;
        for (std::uint32_t part = 0; part < 0x1000; ++part)
            names.insert(arm_cpu_name(implementer << 24U | 0xf0000U | part << 4U));
        EXPECT_EQ(names.size(), 0x1000U);
    }
}

using Names = std::vector<std::string>;

TEST(CpuNames, AreThoseOfEachProcessor) {
    const FakeSystem system;
    system.add("/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU variant\t: 0x0\nCPU part\t: 0xd03\n"
                                "CPU revision\t: 4\n\nprocessor\t: 1\nCPU implementer\t: 0x41\nCPU variant\t: 0x0\n"
                                "CPU part\t: 0xd08\nCPU revision\t: 2\n");
    EXPECT_EQ(read_cpu_names(system.files(), {1, 0}), (Names{"Cortex-A72 r0p2", "Cortex-A53 r0p4"}));
    system.add("/sys/devices/system/cpu/cpu1/regs/identification/midr_el1", "0x00000000413fd0c1\n");
    EXPECT_EQ(read_cpu_names(system.files(), {1}), Names{"Neoverse-N1 r3p1"}) << "the register itself comes first";
}

TEST(CpuNames, DoWithoutWhatAnArmKernelLeavesOut) {
    const FakeSystem system;
    system.add("/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd03\n");
    system.add("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x0000000000000000\n");
    EXPECT_EQ(read_cpu_names(system.files(), {0}), Names{"Cortex-A53 r0p0"});
    system.add("/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\n");
    EXPECT_EQ(read_cpu_names(system.files(), {0}), Names{""}) << "half a number is none";
}

TEST(CpuNames, OnAnOldArmKernelComeFromTheLinesForAll) {
    const FakeSystem system;
    system.add("/proc/cpuinfo", "Processor\t: AArch64 Processor rev 4 (aarch64)\nprocessor\t: 0\nprocessor\t: 1\n"
                                "CPU implementer\t: 0x41\nCPU variant\t: 0x0\nCPU part\t: 0xd03\nCPU revision\t: 4\n");
    EXPECT_EQ(read_cpu_names(system.files(), {0, 1}), (Names{"Cortex-A53 r0p4", "Cortex-A53 r0p4"}));
}

TEST(CpuNames, AreWhatTheKernelOfEachArchitectureCallsThem) {
    const FakeSystem system;
    const auto name = [&](std::string_view info) {
        system.add("/proc/cpuinfo", info);
        return read_cpu_names(system.files(), {0}).front();
    };
    EXPECT_EQ(name("processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 7763\n"), "AMD EPYC 7763");
    EXPECT_EQ(name("processor\t: 0\nvendor_id\t: X\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: unknown\n"
                   "stepping\t: 7\n"),
              "X family 6 model 85 stepping 7");
    EXPECT_EQ(name("processor\t: 0\nvendor_id\t: \ncpu family\t: 6\nmodel\t\t: \nstepping\t: 2\n"),
              "family 6 stepping 2");
    EXPECT_EQ(name("processor\t: 0\nuarch\t\t: sifive,u74-mc\nmvendorid\t: 0x489\n"), "sifive,u74-mc");
    EXPECT_EQ(name("processor\t: 0\nmvendorid\t: 0x777\nmarchid\t\t: 0x5\nmimpid\t\t: 0x6\n"),
              "RISC-V vendor 0x777, architecture 0x5, implementation 0x6");
    EXPECT_EQ(name("processor\t: 0\nmvendorid\t: 0x5b7\nmarchid\t\t: 0x0\nmimpid\t\t: 0x0\n"),
              "T-Head RISC-V, architecture 0x0, implementation 0x0");
    EXPECT_EQ(name("processor 0: version = 00,  identification = 1234,  machine = 9999\n"), "IBM Z, machine type 9999");
    EXPECT_EQ(name("processor 0: version = 00,  identification = 1234,  machine = 8561\n"), "IBM z15");
    EXPECT_EQ(name("system type\t: MIPS Malta\nprocessor\t: 0\ncpu model\t: MIPS 24Kc V0.0\n"), "MIPS 24Kc V0.0");
    EXPECT_EQ(name("processor\t: 0\nmvendorid\t: 0x489\nmarchid\t\t: 0x7\nmimpid\t\t: 0x1\n"),
              "SiFive RISC-V, architecture 0x7, implementation 0x1");
    EXPECT_EQ(name("processor\t: 0\ncpu\t\t: POWER9, altivec supported\n"), "POWER9, altivec supported");
    EXPECT_EQ(name("processor\t: 0\nModel Name\t: Loongson-3A6000\n"), "Loongson-3A6000");
    EXPECT_EQ(name("Processor\t: ARMv7 Processor rev 4 (v7l)\n"), "ARMv7 Processor rev 4 (v7l)");
    EXPECT_EQ(name("processor 0: version = 00\n"), "");
    EXPECT_EQ(name(""), "");
}

TEST(MachineName, IsTheBoardElseVendorAndProductWithoutPlaceholders) {
    const FakeSystem system;
    EXPECT_EQ(read_machine_name(system.files()), "");
    system.add("/sys/class/dmi/id/sys_vendor", "To Be Filled By O.E.M.\n");
    system.add("/sys/class/dmi/id/product_name", "Dell PowerEdge\n");
    EXPECT_EQ(read_machine_name(system.files()), "Dell PowerEdge");
    system.add("/sys/class/dmi/id/sys_vendor", "Dell\n");
    EXPECT_EQ(read_machine_name(system.files()), "Dell PowerEdge") << "the vendor once";
    system.add("/proc/device-tree/model", std::string_view("Raspberry Pi 4 Model B\0", 23));
    EXPECT_EQ(read_machine_name(system.files()), "Raspberry Pi 4 Model B");
}

TEST(MachineName, IsOfTheFirmwareTheDeviceTreeOrOnZTheHypervisor) {
    const auto name = [](std::initializer_list<std::pair<const char*, std::string_view>> files) {
        const FakeSystem system;
        for (const auto& [path, text] : files)
            system.add(path, text);
        return read_machine_name(system.files());
    };
    EXPECT_EQ(name({{"/sys/class/dmi/id/sys_vendor", "Acme\n"}, {"/sys/class/dmi/id/product_name", "Rocket\n"}}),
              "Acme Rocket");
    EXPECT_EQ(name({{"/sys/class/dmi/id/product_name", "None\n"},
                    {"/sys/class/dmi/id/board_vendor", "Acme\n"},
                    {"/sys/class/dmi/id/board_name", "X1\n"}}),
              "Acme X1");
    EXPECT_EQ(name({{"/sys/class/dmi/id/product_name", "Rocket\n"}}), "Rocket");
    EXPECT_EQ(name({{"/proc/device-tree/model", std::string_view("A board\0rev 2\n\0", 15)}}), "A board,rev 2");
    EXPECT_EQ(name({{"/proc/sysinfo", "Manufacturer:         IBM\nType:                 3931\nModel:  704  A01\n"}}),
              "IBM 3931 704  A01");
}

} // namespace
} // namespace memtest

#include "memtest/base/units.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/commands/cores.hpp"
#include "memtest/cli/commands/loaded.hpp"
#include "memtest/cli/commands/nodes.hpp"
#include "memtest/cli/commands/report.hpp"
#include "memtest/cli/commands/tail.hpp"
#include "memtest/cli/load_plan.hpp"
#include "memtest/cli/options.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/machine/kinds.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/result/description.hpp"
#include "memtest/result/warnings.hpp"
#include "memtest/show/page.hpp"
#include "support/fake_system.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

#include <numeric>

namespace memtest {
namespace {

// Small trees of /proc and /sys, made from the kernel's documentation:
// Documentation/ABI/testing/sysfs-devices-system-cpu and sysfs-devices-node, Documentation/admin-guide/mm/numaperf.rst,
// cgroup-v2.rst, and the show_cpuinfo() of each architecture.

using Codes = std::vector<Code>;

std::string cpu(int id) {
    return "/sys/devices/system/cpu/cpu" + std::to_string(id);
}

/// The caches of a core in its order: its own L1d and L2, and an L3 if that has a size.
void add_core(const FakeSystem& system, int id, std::string_view l1, std::string_view l2, std::string_view l2_of,
              std::string_view l3 = "", std::string_view l3_of = "") {
    system.add(cpu(id) + "/topology/physical_package_id", "0\n");
    system.add(cpu(id) + "/topology/core_id", std::to_string(id) + "\n");
    system.add_cache(id, 0, 1, "Data", l1, std::to_string(id));
    system.add_cache(id, 1, 2, "Unified", l2, l2_of);
    if (!l3.empty())
        system.add_cache(id, 2, 3, "Unified", l3, l3_of);
}

void add_midr(const FakeSystem& system, int id, std::string_view midr) {
    system.add(cpu(id) + "/regs/identification/midr_el1", std::string("0x00000000") + std::string(midr) + "\n");
}

std::string x86_block(int id, std::string_view model) {
    return "processor\t: " + std::to_string(id) + "\nvendor_id\t: GenuineIntel\nmodel name\t: " + std::string(model) +
           "\nflags\t\t: fpu\n\n";
}

/// Two P-cores with two threads each, of which one core is favoured, and four E-cores that share an L2.
void make_hybrid(const FakeSystem& system) {
    std::string info;
    for (const int id : {0, 1, 2, 3, 4, 5, 6, 7}) {
        const bool big = id < 4;
        info += x86_block(id, "12th Gen Intel(R) Core(TM) i5-12450H");
        add_core(system, id, big ? "48K" : "32K", big ? "1280K" : "2048K", big ? (id < 2 ? "0-1" : "2-3") : "4-7",
                 "12288K", "0-7");
        system.add(cpu(id) + "/topology/core_id", std::to_string(big ? id / 2 * 4 : id + 4) + "\n");
        system.add(cpu(id) + "/cpufreq/cpuinfo_max_freq", id < 2 ? "4700000\n" : big ? "4400000\n" : "3300000\n");
    }
    system.add("/proc/cpuinfo", info);
    system.add("/sys/bus/event_source/devices/cpu_core/cpus", "0-3\n");
    system.add("/sys/bus/event_source/devices/cpu_atom/cpus", "4-7\n");
    system.add("/sys/class/dmi/id/sys_vendor", "LENOVO\n");
    system.add("/sys/class/dmi/id/product_name", "82SB\n");
}

/// A phone: two A510, two A710, one A715 and an X3, whose capacities contain their clocks.
void make_phone(const FakeSystem& system) {
    const std::vector<std::string_view> midrs{"411fd461", "411fd461", "412fd470", "412fd470", "411fd4d0", "411fd4e0"};
    for (int id = 0; id < 6; ++id) {
        const auto place = static_cast<std::size_t>(id);
        add_midr(system, id, midrs[place]);
        add_core(system, id, id < 2 ? "32K" : "64K", id == 5 ? "1024K" : "512K", std::to_string(id), "8192K", "0-5");
        system.add(cpu(id) + "/cpu_capacity", id < 2 ? "325\n" : id < 4 ? "800\n" : id < 5 ? "850\n" : "1024\n");
    }
    system.add("/proc/device-tree/model", std::string_view("Qualcomm Technologies, Inc. SM8550 MTP\0", 39));
    system.add("/sys/class/devfreq/1d84000.ufshc/cur_freq", "300000000\n");
    system.add("/sys/class/devfreq/soc:qcom,ddr-bw/cur_freq", "2092800000\n");
    system.add("/sys/class/devfreq/soc:qcom,ddr-bw/min_freq", "547200000\n");
    system.add("/sys/class/devfreq/soc:qcom,ddr-bw/max_freq", "2092800000\n");
    system.add("/sys/class/devfreq/soc:qcom,ddr-bw/governor", "simple_ondemand\n");
}

/// Two dies of four cores. The first carries a stacked cache, the second is clocked higher.
void make_stacked_cache(const FakeSystem& system) {
    std::string info;
    for (int id = 0; id < 8; ++id) {
        info += x86_block(id, "AMD Ryzen 9 7950X3D 16-Core Processor");
        add_core(system, id, "32K", "1024K", std::to_string(id), id < 4 ? "98304K" : "32768K", id < 4 ? "0-3" : "4-7");
        system.add(cpu(id) + "/cpufreq/cpuinfo_max_freq", id < 4 ? "5250000\n" : "5750000\n");
    }
    system.add("/proc/cpuinfo", info);
    system.add("/sys/class/dmi/id/sys_vendor", "System manufacturer\n");
    system.add("/sys/class/dmi/id/product_name", "System Product Name\n");
    system.add("/sys/class/dmi/id/board_vendor", "ASUSTeK COMPUTER INC.\n");
    system.add("/sys/class/dmi/id/board_name", "ROG CROSSHAIR X670E HERO\n");
}

/// An Arm server with ACPI: no device tree, and cores that differ in their max frequency only.
void make_arm_server(const FakeSystem& system) {
    std::string info;
    for (int id = 0; id < 4; ++id) {
        info += "processor\t: " + std::to_string(id) +
                "\nBogoMIPS\t: 200.00\nCPU implementer\t: 0x48\nCPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: "
                "0xd01\nCPU revision\t: 0\n\n";
        add_core(system, id, "64K", "512K", std::to_string(id), "32768K", "0-3");
        system.add(cpu(id) + "/cpu_capacity", id == 0 ? "1024\n" : "800\n");
        system.add(cpu(id) + "/cpufreq/cpuinfo_max_freq", id == 0 ? "3200000\n" : "2500000\n");
    }
    system.add("/proc/cpuinfo", info);
    system.add("/sys/class/dmi/id/sys_vendor", "Huawei\n");
    system.add("/sys/class/dmi/id/product_name", "TaiShan 200 (Model 2280)\n");
}

void add_nodes(const FakeSystem& system, int with_processors, int processors_each, int more) {
    const auto range = [](int first, int count) {
        return count == 1 ? std::to_string(first) : std::to_string(first) + "-" + std::to_string(first + count - 1);
    };
    system.add("/sys/devices/system/node/has_memory", range(0, with_processors + more) + "\n");
    for (int node = 0; node < with_processors + more; ++node) {
        const std::string folder = "/sys/devices/system/node/node" + std::to_string(node);
        system.add(folder + "/cpulist", node < with_processors ? range(node * processors_each, processors_each) : "\n");
        system.add(folder + "/meminfo", "Node " + std::to_string(node) + " MemFree: 33554432 kB\n");
    }
}

/// Two sockets, each divided into four nodes of two processors; processor 3 is offline.
void make_eight_nodes(const FakeSystem& system) {
    std::string info;
    for (int id = 0; id < 16; ++id) {
        if (id == 3)
            continue;
        info += x86_block(id, "AMD EPYC 9654 96-Core Processor");
        add_core(system, id, "32K", "1024K", std::to_string(id), "491520K", id < 8 ? "0-2,4-7" : "8-15");
        system.add(cpu(id) + "/topology/physical_package_id", id < 8 ? "0\n" : "1\n");
    }
    system.add("/proc/cpuinfo", info);
    add_nodes(system, 8, 2, 0);
}

/// A socket with HBM and a CXL card, and a cache of DRAM before its other memory.
void make_far_memory(const FakeSystem& system) {
    system.add("/proc/cpuinfo", x86_block(0, "Intel(R) Xeon(R) CPU Max 9480"));
    add_core(system, 0, "48K", "2048K", "0", "115200K", "0-1");
    add_core(system, 1, "48K", "2048K", "1", "115200K", "0-1");
    add_nodes(system, 1, 2, 2);
    const std::string nodes = "/sys/devices/system/node/node";
    system.add(nodes + "0/access0/initiators/read_bandwidth", "262100\n");
    system.add(nodes + "1/access0/initiators/read_bandwidth", "629100\n");
    system.add(nodes + "0/memory_side_cache/index1/size", "17179869184\n");
    const auto devices = system.root() / "sys/bus/dax/devices";
    system.add("/sys/devices/platform/ACPI0017:00/root0/decoder0.0/region0/dax_region0/dax0.0/target_node", "2\n");
    std::filesystem::create_directories(devices);
    std::filesystem::create_directory_symlink(
        "../../../devices/platform/ACPI0017:00/root0/decoder0.0/region0/dax_region0/dax0.0", devices / "dax0.0");
}

/// A container on a virtual machine, with half a processor.
void make_container(const FakeSystem& system) {
    system.add("/proc/cpuinfo", x86_block(0, "Intel(R) Xeon(R) Platinum 8488C"));
    add_core(system, 0, "48K", "2048K", "0", "5118K", "0");
    system.add("/proc/self/cgroup", "0::/\n");
    system.add("/sys/fs/cgroup/cpu.max", "50000 100000\n");
    system.add("/.dockerenv", "");
    system.add("/sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
    system.add("/sys/class/dmi/id/product_name", "m7i.large\n");
}

struct Case {
    std::string_view name{};
    void (*make)(const FakeSystem&) = nullptr;
    std::vector<int> allowed{};
    int current = 0;
    std::optional<std::string> signature{}; ///< of CPUID
    // What the description contains
    std::string_view cpu{};
    std::string_view machine{};
    std::string_view hypervisor{};
    std::string_view container{};
    std::string_view caches{};
    std::string_view kind{}; ///< that is measured
    std::string_view kinds{};
    Codes warnings{};
    std::vector<std::string_view> in_page{};
};

std::vector<int> up_to(int count) {
    std::vector<int> ids(static_cast<std::size_t>(count));
    std::iota(ids.begin(), ids.end(), 0);
    return ids;
}

const std::vector<Case> cases{
    {.name = "x86 with P-cores and E-cores",
     .make = make_hybrid,
     .allowed = up_to(8),
     .current = 5,
     .cpu = "12th Gen Intel(R) Core(TM) i5-12450H",
     .machine = "LENOVO 82SB",
     .caches = "L1d 32 KiB, L2 2 MiB shared by 4, L3 12 MiB shared by 8",
     .kind = "E-core",
     .kinds = "P-core 0-3, E-core 4-7",
     .warnings = {Code::several_kinds},
     .in_page = {"processor 5 (E-core)", "machine LENOVO 82SB", "kinds of cores: P-core 0-3, E-core 4-7",
                 "## Levels of E-core"}},
    {.name = "four kinds of Arm cores",
     .make = make_phone,
     .allowed = up_to(6),
     .current = 0,
     .cpu = "Cortex-A510 r1p1",
     .machine = "Qualcomm Technologies, Inc. SM8550 MTP",
     .caches = "L1d 32 KiB, L2 512 KiB, L3 8 MiB shared by 6",
     .kind = "Cortex-A510",
     .kinds = "Cortex-A510 0,1, Cortex-A710 2,3, Cortex-A715 4, Cortex-X3 5",
     .warnings = {Code::several_kinds},
     .in_page = {"# Memory of Cortex-A510 r1p1", "Cortex-X3 5"}},
    {.name = "a stacked cache on one die",
     .make = make_stacked_cache,
     .allowed = up_to(8),
     .current = 0,
     .cpu = "AMD Ryzen 9 7950X3D 16-Core Processor",
     .machine = "ASUSTeK COMPUTER INC. ROG CROSSHAIR X670E HERO",
     .caches = "L1d 32 KiB, L2 1 MiB, L3 96 MiB shared by 4",
     .kind = "L3-96MiB",
     .kinds = "L3-96MiB 0-3, L3-32MiB 4-7",
     .warnings = {Code::several_kinds},
     .in_page = {"L3-32MiB 4-7"}},
    {.name = "an Arm server without device tree",
     .make = make_arm_server,
     .allowed = up_to(4),
     .current = 0,
     .cpu = "HiSilicon TaiShan-v110 (Kunpeng 920) r1p0",
     .machine = "Huawei TaiShan 200 (Model 2280)",
     .caches = "L1d 64 KiB, L2 512 KiB, L3 32 MiB shared by 4",
     .in_page = {"machine Huawei TaiShan 200"}},
    {.name = "two sockets of four nodes each, a processor offline",
     .make = make_eight_nodes,
     .allowed = {0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
     .current = 9,
     .cpu = "AMD EPYC 9654 96-Core Processor",
     .caches = "L1d 32 KiB, L2 1 MiB, L3 480 MiB shared by 8",
     .warnings = {Code::little_memory},
     .in_page = {"processor 9\n"}},
    {.name = "HBM, CXL memory and a memory-side cache",
     .make = make_far_memory,
     .allowed = {0, 1},
     .current = 0,
     .cpu = "Intel(R) Xeon(R) CPU Max 9480",
     .caches = "L1d 48 KiB, L2 2 MiB, L3 112.5 MiB shared by 2",
     .in_page = {"0 behind a cache of 16 GiB", "1 without processors (high-bandwidth memory)",
                 "2 without processors (CXL memory)"}},
    {.name = "a container with half a processor",
     .make = make_container,
     .allowed = {0},
     .current = 0,
     .signature = "KVMKVMKVM",
     .cpu = "Intel(R) Xeon(R) Platinum 8488C",
     .machine = "Amazon EC2 m7i.large",
     .hypervisor = "Amazon EC2",
     .container = "docker",
     .caches = "L1d 48 KiB, L2 2 MiB, L3 5118 KiB",
     .warnings = {Code::cpu_quota},
     .in_page = {"in a container of docker", "virtual machine (Amazon EC2)", "Read with care"}},
};

/// A curve of L1, L2 and memory.
std::vector<Row> made_rows() {
    std::vector<Row> rows;
    for (std::uint64_t bytes = 1024; bytes <= 256 * mib; bytes *= 2) {
        Row& row = rows.emplace_back();
        row.size_bytes = bytes;
        row.latency_ns = bytes <= 32 * kib ? 1.0 : bytes <= mib ? 4.0 : 100.0;
    }
    return rows;
}

class MadeMachine : public testing::TestWithParam<Case> {};

TEST_P(MadeMachine, IsDescribedWarnedOfAndShownAsItIs) {
    const Case& expected = GetParam();
    const FakeSystem system;
    expected.make(system);
    Machine machine = read_machine(
        system.files(),
        {.allowed_ids = expected.allowed, .current = expected.current, .hypervisor_signature = expected.signature});
    machine.clock = {.cost_ns = 25, .resolution_ns = 25};
    const Options options = options_of_sweep(line_for(sweep_command, {"--random"}));
    const RunPlan plan = plan_run(options, machine);
    const RunDescription run = describe_run(plan, machine, {ThreadFacts{}});
    EXPECT_EQ(run.cpu_model.value_or(""), expected.cpu);
    EXPECT_EQ(run.machine.value_or(""), expected.machine);
    EXPECT_EQ(run.hypervisor.value_or(""), expected.hypervisor);
    EXPECT_EQ(run.virtual_machine.value_or(false), !expected.hypervisor.empty());
    EXPECT_EQ(run.container.value_or(""), expected.container);
    EXPECT_EQ(run.caches ? text_of(*run.caches) : "", expected.caches);
    EXPECT_EQ(run.kinds_here ? text_of(*run.kinds_here) : "", expected.kinds);
    EXPECT_EQ(run.core_kinds.value_or(std::vector<std::string>{""}).front(), expected.kind);

    Result sweep{.kind = &sweep_kind, .run = run, .rows = made_rows()};
    sweep.warnings = those_of({warning_on_kinds(plan.team.processors, {}, machine)});
    std::ranges::copy(warnings_before(plan, machine), std::back_inserter(sweep.warnings));
    if (const auto quota = warning_on_quota(1, machine.files))
        sweep.warnings.push_back(*quota);
    Codes codes;
    for (const Notice& warning : sweep.warnings)
        codes.push_back(warning.code);
    EXPECT_EQ(codes, expected.warnings);

    StoredFile results{.is_report = true};
    set_part(results, "sweep", sweep);
    const std::string page = report_page(page_of(results, {}));
    for (const std::string_view text : expected.in_page)
        EXPECT_NE(page.find(text), std::string::npos) << text << "\n" << page;
}

INSTANTIATE_TEST_SUITE_P(All, MadeMachine, testing::ValuesIn(cases), [](const auto& test) {
    std::string name(test.param.name);
    std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
    return name;
});

/// The same machine for the parts of the program that choose processors.
class OnAMachine : public testing::Test {
protected:
    Machine read(void (*make)(const FakeSystem&), std::vector<int> allowed, int current) {
        make(system);
        Machine machine = read_machine(system.files(), {.allowed_ids = std::move(allowed), .current = current});
        machine.clock = {.cost_ns = 25, .resolution_ns = 25};
        machine.available_bytes = 64 * 1024 * mib;
        return machine;
    }

    static RunPlan plan(const Machine& machine, const std::vector<std::string>& arguments) {
        return plan_run(options_of_sweep(line_for(sweep_command, arguments)), machine);
    }

    FakeSystem system;
};

TEST_F(OnAMachine, ProcessorsOfAKindAreChosenByItsName) {
    const Machine machine = read(make_hybrid, up_to(8), 5);
    EXPECT_EQ(plan(machine, {"--cpu", "P-core"}).team.processors, std::vector<int>{0});
    EXPECT_EQ(plan(machine, {"--cpu", "e-core"}).team.processors, std::vector<int>{5}) << "the current one";
    EXPECT_EQ(plan(machine, {"--cpu", "P-core", "-t", "3"}).team.processors, (std::vector{0, 2, 1}));
    EXPECT_EQ(plan(machine, {"-t", "4"}).team.processors, (std::vector{5, 4, 6, 7})) << "those of its kind first";
    const std::string refusal = refusal_of([&] { static_cast<void>(plan(machine, {"--cpu", "M-core"})); });
    for (const char* part : {"M-core", "P-core 0-3", "E-core 4-7"})
        EXPECT_NE(refusal.find(part), std::string::npos) << refusal;
    EXPECT_NE(refusal_of([&] { static_cast<void>(plan(machine, {"--cpu", "P-core", "-t", "5"})); }), "");
}

TEST_F(OnAMachine, CoresOfTheMeasuredKindLoadFirstAndAreNamed) {
    const Machine machine = read(make_hybrid, up_to(8), 5);
    const auto load = [&](const char* given) {
        const LoadOptions options = options_of_loaded(line_for(loaded_command, {"--cpu", given}));
        return plan_loaded_team("memtest loaded", true, options, machine);
    };
    const LoadedTeam small = load("E-core");
    EXPECT_EQ(small.team.processors, (std::vector{5, 4, 6, 7, 0, 2}));
    const auto kinds = warning_on_kinds({5}, small.load_processors(), machine);
    ASSERT_TRUE(kinds.has_value());
    EXPECT_EQ(kinds->code, Code::several_kinds);
    EXPECT_EQ(kinds->values["measured"], json(R"([{"name": "E-core", "processors": [5]}])"));
    ASSERT_EQ(kinds->values["others"].list().size(), 1U);
    EXPECT_EQ(kinds->values["others"][0]["name"], "P-core");
    EXPECT_EQ(kinds->values["load"], json(R"([{"name": "E-core", "processors": [4, 6, 7]},
                                                           {"name": "P-core", "processors": [0, 2]}])"));
    EXPECT_EQ(load("0").team.processors, (std::vector{0, 2, 4, 5, 6, 7}));
}

TEST_F(OnAMachine, TheChainIsChosenForTheProcessorThatIsMeasured) {
    const Machine machine = read(make_hybrid, up_to(8), 5);
    int asked = -1;
    const auto choose = [&asked](const TeamPlan& team, const Machine&) {
        asked = team.processors.front();
        ChainShape shape = team.shape;
        shape.orders = 3;
        return shape;
    };
    const auto loaded = [&](const std::vector<std::string>& arguments) {
        return plan_loaded(options_of_loaded(line_for(loaded_command, arguments)), machine, choose);
    };
    EXPECT_EQ(loaded({"--load-cpu", "4-7"}).team.shape.orders, 3U);
    EXPECT_EQ(asked, 0) << "the current one loads";
    EXPECT_NE(refusal_of([&] { static_cast<void>(loaded({"--size", "4095B"})); }), "");
    EXPECT_EQ(asked, 0) << "nothing is asked before a refusal";
    const TailRun tail = plan_tail(options_of_tail(line_for(tail_command, {"--cpu", "2"})), machine, choose);
    EXPECT_EQ(tail.team.shape.orders, 3U);
    EXPECT_EQ(asked, 2);
    const auto under_load = line_for(tail_command, {"--cpu", "2", "--load", "100", "--load-cpu", "5"});
    EXPECT_EQ(plan_tail(options_of_tail(under_load), machine).sweep.sizes, tail.sweep.sizes) << "of that core's caches";
    static_cast<void>(loaded({}));
    EXPECT_EQ(asked, 5);
}

TEST_F(OnAMachine, CoresOfOneKindArePaired) {
    const Machine machine = read(make_hybrid, up_to(8), 5);
    EXPECT_EQ(plan_cores(options_of_cores(line_for(cores_command, {"--cpu", "E-core"})), machine).processors,
              (std::vector{4, 5, 6, 7}));
}

/// The steps of a report whose names begin so.
std::vector<ReportStep> steps_called(const Machine& machine, std::string_view name) {
    std::vector<ReportStep> steps = plan_report(options_of_report(line_for(report_command, {})), machine);
    std::erase_if(steps, [name](const ReportStep& step) { return !step.name.starts_with(name); });
    return steps;
}

std::string value_of_option(const ReportStep& step, std::string_view option) {
    const auto found = std::ranges::find(step.options, option, &GivenOption::name);
    return found == step.options.end() ? "" : found->value;
}

TEST_F(OnAMachine, TheReportSweepsOnEachKindOfCores) {
    const auto steps = steps_called(read(make_phone, up_to(6), 2), "kind");
    ASSERT_EQ(steps.size(), 3U);
    EXPECT_EQ(value_of_option(steps[0], "cpu"), "0");
    EXPECT_EQ(value_of_option(steps[1], "cpu"), "4");
    EXPECT_EQ(value_of_option(steps[2], "cpu"), "5");
}

TEST_F(OnAMachine, ReportAndNodesGoToEightTimesALargeCache) {
    const Machine machine = read(make_eight_nodes, {0, 1, 2, 4, 5, 6, 7, 8}, 0);
    constexpr std::size_t beyond = 8 * std::size_t{480} * mib;
    const std::string size = std::to_string(beyond) + "B";
    for (const char* step : {"sweep", "parallel1"})
        EXPECT_EQ(value_of_option(steps_called(machine, step).front(), "max-size"), size) << step;
    ASSERT_EQ(steps_called(machine, "nodes").size(), 1U);
    EXPECT_EQ(line_with(steps_called(machine, "nodes").front().options).arguments,
              std::vector<std::string>{"--bandwidth"});
    const NodesPlan nodes = plan_nodes(options_of_nodes(line_for(nodes_command, {})), machine);
    EXPECT_EQ(nodes.bytes, beyond);
    EXPECT_EQ(nodes.pairs.size(), 5U * 8U) << "from the nodes that have one of these processors";
    EXPECT_FALSE(nodes.warning.has_value());
}

TEST_F(OnAMachine, ASweepThatEndsBelowFourTimesTheLastCacheIsWarnedOfBeforeIt) {
    const Machine machine = read(make_eight_nodes, {0, 1}, 0);
    const auto codes = [&](const std::vector<std::string>& arguments) {
        Codes found;
        for (const Notice& warning : warnings_before(plan(machine, arguments), machine))
            found.push_back(warning.code);
        return found;
    };
    EXPECT_EQ(codes({}), Codes{Code::little_memory});
    EXPECT_EQ(codes({"-m", "2047"}), Codes{Code::little_memory}) << "the last size is 1536 MiB";
    EXPECT_EQ(codes({"-m", "2048"}), Codes{});
}

TEST_F(OnAMachine, OfManyProcessorsAndHighIdsIsReadInFull) {
    constexpr int count = 576;
    const auto make = [](const FakeSystem& made) {
        std::string info;
        for (int id = 0; id < count; ++id)
            info += x86_block(1000 + id, "Large CPU");
        made.add("/proc/cpuinfo", info);
    };
    std::vector<int> ids = up_to(count);
    std::ranges::transform(ids, ids.begin(), [](int id) { return 1000 + id; });
    const Machine machine = read(make, ids, 1024);
    EXPECT_EQ(machine.allowed.back().name, "Large CPU");
    EXPECT_EQ(kinds_of(machine.allowed).size(), 1U);
    EXPECT_EQ(plan(machine, {}).team.processors, std::vector<int>{1024});
    const RunPlan all = plan(machine, {"-t", "576", "-m", "1"});
    EXPECT_EQ(all.team.processors.size(), 576U);
    EXPECT_EQ(describe_run(all, machine, {ThreadFacts{}}).cpu_model, "Large CPU");
}

TEST_F(OnAMachine, OfACpusetOnlyItsProcessorsMakeKinds) {
    const Machine machine = read(make_hybrid, {4, 5}, 4);
    EXPECT_EQ(warning_on_kinds({4}, {}, machine), std::nullopt);
    EXPECT_FALSE(describe_run(plan(machine, {}), machine, {ThreadFacts{}}).kinds_here.has_value());
}

TEST_F(OnAMachine, APolicyOfNumactlIsNamedAndLimitsMemory) {
    Machine machine = read(make_far_memory, {0, 1}, 0);
    machine.memory_policy = MemoryPolicy{.mode = "bind", .nodes = {2}};
    machine.numa_nodes[2].available_bytes = 256 * mib;
    const RunPlan bound = plan(machine, {});
    EXPECT_LT(bound.largest.bytes, 256 * mib);
    EXPECT_EQ(describe_run(bound, machine, {ThreadFacts{}}).memory_policy, machine.memory_policy);
    const RunPlan elsewhere = plan(machine, {"--node", "0"});
    EXPECT_EQ(elsewhere.largest.bytes, 1024 * mib) << "--node comes before the policy";
    EXPECT_FALSE(describe_run(elsewhere, machine, {ThreadFacts{}}).memory_policy.has_value());
}

} // namespace
} // namespace memtest

#include "memtest/base/units.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/commands/cores.hpp"
#include "memtest/cli/commands/report.hpp"
#include "memtest/cli/options.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/machine/kinds.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/result/description.hpp"
#include "support/fake_system.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"

#include <cctype>
#include <numeric>

namespace memtest {
namespace {

// Boards and hosts that number their cores in unusual ways. The trees are made from the kernel's documentation:
// Documentation/admin-guide/cputopology.rst, Documentation/devicetree/bindings/cpu/cpu-topology.txt, and the
// show_cpuinfo() of arm64 before Linux 3.19 and of s390.

/// A file in the topology of a processor.
void tell(const FakeSystem& system, int id, std::string_view name, std::string_view value) {
    system.add("/sys/devices/system/cpu/cpu" + std::to_string(id) + "/topology/" + std::string(name),
               std::string(value) + "\n");
}

void place(const FakeSystem& system, int id, int package, int core) {
    tell(system, id, "physical_package_id", std::to_string(package));
    tell(system, id, "core_id", std::to_string(core));
}

/// An RK3588: four A55 and two pairs of A76, of which each cluster counts its cores from 0.
void make_clusters(const FakeSystem& system) {
    for (int id = 0; id < 8; ++id) {
        place(system, id, 0, id < 4 ? id : id % 2);
        system.add("/sys/devices/system/cpu/cpu" + std::to_string(id) + "/regs/identification/midr_el1",
                   id < 4 ? "0x00000000412fd050\n" : "0x00000000414fd0b0\n");
    }
}

void make_listed_clusters(const FakeSystem& system) {
    make_clusters(system);
    for (int id = 0; id < 8; ++id) {
        tell(system, id, "core_cpus_list", std::to_string(id));
        tell(system, id, "package_cpus_list", "0-7");
    }
}

void make_numbered_clusters(const FakeSystem& system) {
    make_clusters(system);
    for (int id = 0; id < 8; ++id)
        tell(system, id, "cluster_id", std::to_string(id < 4 ? 0 : id / 2 - 1));
}

/// Four processors of z/VM: no package, and each is core 0 by itself.
void make_no_package(const FakeSystem& system) {
    for (int id = 0; id < 4; ++id) {
        place(system, id, -1, 0);
        tell(system, id, "thread_siblings_list", std::to_string(id));
        tell(system, id, "core_siblings_list", std::to_string(id));
    }
}

void make_no_package_two_threads(const FakeSystem& system) {
    for (int id = 0; id < 8; ++id) {
        place(system, id, -1, id / 2 % 2);
        tell(system, id, "thread_siblings_list",
             id % 2 == 0 ? std::to_string(id) + "-" + std::to_string(id + 1)
                         : std::to_string(id - 1) + "-" + std::to_string(id));
    }
}

/// Two packages of two dies, each of which counts its two cores from 0, with two threads each.
void make_dies(const FakeSystem& system) {
    for (int id = 0; id < 16; ++id) {
        place(system, id, id % 8 / 4, id % 2);
        tell(system, id, "core_cpus_list", std::to_string(id % 8) + "," + std::to_string(id % 8 + 8));
        tell(system, id, "package_cpus_list", id % 8 < 4 ? "0-3,8-11" : "4-7,12-15");
    }
}

/// The same without lists.
void make_numbered_dies(const FakeSystem& system) {
    for (int id = 0; id < 16; ++id) {
        place(system, id, id % 8 / 4, id % 2);
        tell(system, id, "die_id", std::to_string(id % 4 / 2));
    }
}

/// A logical partition of a z16 in two drawers, whose chips and cores are counted from 0 in each.
void make_partition(const FakeSystem& system) {
    system.add("/proc/cpuinfo",
               "vendor_id       : IBM/S390\n# processors    : 8\nbogomips per cpu: 3241.00\nmax thread id   : 1\n"
               "cache0          : level=1 type=Data scope=Private size=128K line_size=256 associativity=8\n"
               "cache1          : level=1 type=Instruction scope=Private size=128K line_size=256 associativity=8\n"
               "cache2          : level=2 type=Unified scope=Private size=32768K line_size=256 associativity=8\n"
               "cache3          : level=3 type=Unified scope=Shared size=262144K line_size=256 associativity=8\n"
               "processor 0: version = 00,  identification = 4729E7,  machine = 3931\n\n"
               "cpu number      : 0\n\ncpu number      : 1\n");
    const std::array<std::string_view, 4> cores{"0-1", "2-3", "4-5", "6-7"};
    for (int id = 0; id < 8; ++id) {
        place(system, id, 1, id / 2 % 2);
        tell(system, id, "drawer_id", id < 4 ? "1" : "2");
        tell(system, id, "book_id", "0");
        tell(system, id, "thread_siblings_list", cores.at(static_cast<std::size_t>(id / 2)));
        tell(system, id, "core_siblings_list", id < 4 ? "0-3" : "4-7");
        system.add_cache(id, 0, 1, "Data", "128K", std::to_string(id), "256");
        system.add_cache(id, 1, 2, "Unified", "32768K", std::to_string(id), "256");
    }
}

/// Linux 3.10 shows the identity of the core that reads the file, once.
void make_old_board(const FakeSystem& system) {
    std::string text = "Processor\t: AArch64 Processor rev 3 (aarch64)\n";
    for (int id = 0; id < 4; ++id) {
        text += "processor\t: " + std::to_string(id) + "\n";
        place(system, id, id / 2, id % 2);
    }
    system.add("/proc/cpuinfo", text + "CPU implementer\t: 0x41\nCPU variant\t: 0x0\nCPU part\t: 0xd03\n"
                                       "CPU revision\t: 3\n\nHardware\t: Qualcomm Technologies, Inc MSM8992\n");
}

/// Two nodes, without a list of those that have processors, and one with memory alone.
void make_nodes(const FakeSystem& system) {
    for (int id = 0; id < 4; ++id)
        place(system, id, id / 2, id % 2);
    system.add("/sys/devices/system/node/has_cpu", "\n");
    system.add("/sys/devices/system/node/has_memory", "0-2\n");
    system.add("/sys/devices/system/node/node0/cpulist", "0-1\n");
    system.add("/sys/devices/system/node/node1/cpulist", "2-3\n");
    system.add("/sys/devices/system/node/node2/cpulist", "\n");
}

void make_one_core(const FakeSystem& system) {
    for (int id = 0; id < 4; ++id) {
        place(system, id, 0, 0);
        tell(system, id, "core_cpus_list", "0-3");
    }
}

struct Board {
    std::string_view name{};
    void (*make)(const FakeSystem&) = nullptr;
    int processors = 0;
    int current = 0;
    std::size_t cores = 0;
    std::vector<int> four_threads{};
    std::string_view cpu_model{}; ///< of the current processor
    std::string_view kinds{};
    std::string_view kind{};        ///< for --cpu
    std::vector<int> two_of_kind{}; ///< --cpu with this kind on two threads
};

Board clusters(std::string_view name, void (*make)(const FakeSystem&), std::string_view kind,
               const std::vector<int>& two) {
    return {name, make, 8, 4, 8, {4, 5, 6, 7}, "Cortex-A76 r4p0", "Cortex-A55 0-3, Cortex-A76 4-7", kind, two};
}

const std::vector<Board> boards{
    clusters("clusters that count anew, with lists", make_listed_clusters, "cortex-a55", {0, 1}),
    clusters("clusters that count anew, with numbers", make_numbered_clusters, "cortex-a76", {4, 5}),
    {"no package", make_no_package, 4, 2, 4, {2, 0, 1, 3}},
    {"no package, two threads per core", make_no_package_two_threads, 8, 0, 4, {0, 2, 4, 6}},
    {"dies that count anew, with lists", make_dies, 16, 0, 8, {0, 1, 2, 3}},
    {"dies that count anew, with numbers", make_numbered_dies, 16, 0, 8, {0, 1, 2, 3}},
    {"a partition in two drawers", make_partition, 8, 4, 4, {4, 0, 2, 6}, "IBM z16"},
    {"a board with Linux 3", make_old_board, 4, 0, 4, {0, 1, 2, 3}, "Cortex-A53 r0p3"},
    {"nodes without has_cpu", make_nodes, 4, 0, 4, {0, 1, 2, 3}},
    {"one core of four threads", make_one_core, 4, 1, 1, {1, 0, 2, 3}},
};

Machine machine_of(const FakeSystem& system, const Board& board) {
    board.make(system);
    std::vector<int> ids(static_cast<std::size_t>(board.processors));
    std::iota(ids.begin(), ids.end(), 0);
    Machine machine = read_machine(system.files(), {.allowed_ids = ids, .current = board.current});
    machine.clock = {.cost_ns = 25, .resolution_ns = 25};
    machine.available_bytes = 64 * 1024 * mib;
    return machine;
}

RunPlan plan_with(const std::vector<std::string>& arguments, const Machine& machine) {
    return plan_run(options_of_sweep(line_for(sweep_command, arguments)), machine);
}

class MadeBoard : public testing::TestWithParam<Board> {};

TEST_P(MadeBoard, HasItsCoresAndKindsAndThreadsGoThere) {
    const Board& expected = GetParam();
    const FakeSystem system;
    const Machine machine = machine_of(system, expected);
    EXPECT_EQ(physical_cores(machine.allowed), expected.cores);
    const std::vector<CoreKind> kinds = kinds_of(machine.allowed);
    EXPECT_EQ(kinds.size() > 1 ? text_of(kinds) : "", expected.kinds);
    EXPECT_EQ(plan_with({"-t", "4"}, machine).team.processors, expected.four_threads);
    if (!expected.kind.empty()) {
        EXPECT_EQ(plan_with({"--cpu", std::string(expected.kind), "-t", "2"}, machine).team.processors,
                  expected.two_of_kind);
    }
    std::vector<int> paired;
    const std::string refusal =
        refusal_of([&] { paired = plan_cores(options_of_cores(line_for(cores_command, {})), machine).processors; });
    EXPECT_EQ(refusal.empty(), expected.cores > 1) << refusal;
    EXPECT_EQ(paired.size(), expected.cores > 1 ? expected.cores : 0);
    EXPECT_EQ(physical_cores(with_ids(machine.allowed, paired)), paired.size()) << "one of each";
    const RunDescription run = describe_run(plan_with({}, machine), machine, {ThreadFacts{}});
    EXPECT_EQ(run.cpu_model.value_or(""), expected.cpu_model);
}

INSTANTIATE_TEST_SUITE_P(All, MadeBoard, testing::ValuesIn(boards), [](const auto& test) {
    std::string name(test.param.name);
    std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
    return name;
});

const Board& board_called(std::string_view name) {
    return *std::ranges::find(boards, name, &Board::name);
}

Relation relation_on(std::string_view board, const std::vector<int>& processors) {
    const FakeSystem system;
    return relation(with_ids(machine_of(system, board_called(board)).allowed, processors));
}

TEST(BoardsProcessors, AreOfOneCoreOrPackageOnlyWhereTheSystemSaysSo) {
    EXPECT_EQ(relation_on("clusters that count anew, with lists", {4, 6}), Relation::same_package);
    EXPECT_EQ(relation_on("no package", {0, 1}), Relation::same_package) << "no other one is known";
    EXPECT_EQ(relation_on("no package, two threads per core", {0, 1}), Relation::same_core);
    EXPECT_EQ(relation_on("dies that count anew, with lists", {1, 9}), Relation::same_core);
    EXPECT_EQ(relation_on("dies that count anew, with lists", {0, 2}), Relation::same_package);
    EXPECT_EQ(relation_on("dies that count anew, with numbers", {0, 4}), Relation::different_packages);
    EXPECT_EQ(relation_on("a partition in two drawers", {0, 2}), Relation::same_package);
    EXPECT_EQ(relation_on("a partition in two drawers", {0, 4}), Relation::different_packages)
        << "chips with the same number in two drawers";
}

TEST(BoardsProcessors, AreAskedForInListsThatNameThem) {
    const FakeSystem system;
    for (const int id : {0, 1}) {
        place(system, id, 0, id);
        tell(system, id, "core_cpus_list", "7");
        tell(system, id, "thread_siblings_list", "x");
    }
    EXPECT_EQ(physical_cores(read_processors(system.files(), {0, 1})), 2U);
}

TEST(BoardsCaches, OfAPartitionContainTheOnesThatAreSharedAndTheReportGoesBeyondThem) {
    const FakeSystem system;
    const Machine machine = machine_of(system, board_called("a partition in two drawers"));
    const RunDescription run = describe_run(plan_with({}, machine), machine, {ThreadFacts{}});
    EXPECT_EQ(text_of(*run.caches), "L1d 128 KiB, L2 32 MiB, L3 256 MiB");
    EXPECT_EQ(machine.allowed.front().caches.back().line_bytes, 256U);
    EXPECT_EQ(last_cache_bytes(system.files(), 3), 256 * mib) << "as each thread reads it";
    const auto steps = plan_report(options_of_report(line_for(report_command, {})), machine);
    const auto size = std::ranges::find(steps.front().options, "max-size", &GivenOption::name);
    ASSERT_NE(size, steps.front().options.end());
    EXPECT_EQ(size->value, std::to_string(2048 * mib) + "B");
}

TEST(BoardsNodes, WithoutAListOfThoseWithProcessorsAreAskedEach) {
    const FakeSystem system;
    const Machine machine = machine_of(system, board_called("nodes without has_cpu"));
    const auto nodes = processors_of_nodes(system.files(), {0, 1, 2, 3});
    ASSERT_EQ(nodes.size(), 2U);
    EXPECT_EQ(nodes[1].node, 1);
    EXPECT_EQ(nodes[1].processors, (std::vector{2, 3}));
    ASSERT_EQ(machine.numa_nodes.size(), 3U);
    EXPECT_EQ(machine.numa_nodes[1].memory, "");
    EXPECT_EQ(machine.numa_nodes[2].memory, "memory");
}

TEST(BoardsThreads, ThatAreTooManyAreToldHowManyMayBe) {
    const FakeSystem system;
    place(system, 0, 0, 0);
    const std::string refusal =
        refusal_of([&] { static_cast<void>(choose_processors(read_processors(system.files(), {0}), 0, 2)); });
    EXPECT_TRUE(refusal.ends_with("at most 1 thread")) << refusal;
}

} // namespace
} // namespace memtest

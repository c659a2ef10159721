#include "memtest/machine/numa.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"
#include "memtest/machine/arena.hpp"
#include "support/fake_system.hpp"
#include "support/test.hpp"

#include <fmt/format.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bitset>
#include <filesystem>
#include <thread>

namespace memtest {
namespace {

std::vector<int> ids_of(const std::vector<NumaNode>& nodes) {
    std::vector<int> ids;
    for (const NumaNode& node : nodes)
        ids.push_back(node.id);
    return ids;
}

/// Two processors' memory, and a third node that has memory alone.
class ThreeNodes : public testing::Test {
protected:
    ThreeNodes() {
        system.add("/sys/devices/system/node/has_memory", "0,2-3\n");
        system.add("/sys/devices/system/node/node2/meminfo", "Node 2 MemTotal:       32768 kB\n"
                                                             "Node 2 MemFree:        10240 kB\n"
                                                             "Node 2 Inactive(file):  2048 kB\n");
    }
    FakeSystem system;
};

TEST_F(ThreeNodes, AreThoseWithMemory) {
    EXPECT_EQ(ids_of(read_numa_nodes(system.files())), (std::vector{0, 2, 3}));
}

TEST_F(ThreeNodes, HaveTheProcessorsThatMayBeUsed) {
    system.add("/sys/devices/system/node/node0/cpulist", "0-3\n");
    system.add("/sys/devices/system/node/node2/cpulist", "\n");
    system.add("/sys/devices/system/node/node10/cpulist", "8\n");
    system.add("/sys/devices/system/node/node3/cpulist", "4-7\n");
    const auto nodes = processors_of_nodes(system.files(), {2, 3, 5});
    ASSERT_EQ(nodes.size(), 2U);
    EXPECT_EQ(nodes[0].node, 0);
    EXPECT_EQ(nodes[0].processors, (std::vector{2, 3}));
    EXPECT_EQ(nodes[1].node, 3);
    EXPECT_EQ(nodes[1].processors, std::vector{5});
    EXPECT_EQ(processors_of_nodes(system.files(), {5}).size(), 1U) << "a node without any is left out";
    EXPECT_EQ(processors_of_nodes(system.files(), {5, 8}).at(1).node, 10) << "ascending by number";
}

TEST(ProcessorsByNode, AreOnOneWhereTheSystemDoesNotTell) {
    const FakeSystem system;
    const auto nodes = processors_of_nodes(system.files(), {2, 3});
    ASSERT_EQ(nodes.size(), 1U);
    EXPECT_EQ(nodes[0].node, 0);
    EXPECT_EQ(nodes[0].processors, (std::vector{2, 3}));
    system.add("/proc/self/status", "Mems_allowed_list:\t1\n");
    EXPECT_EQ(processors_of_nodes(system.files(), {2}).at(0).node, 1);
}

TEST_F(ThreeNodes, AreThoseOfTheCpusetWhereThereIsOne) {
    system.add("/proc/self/status", "Name:\tmemtest\nMems_allowed:\t0000000a\nMems_allowed_list:\t1-2\n");
    EXPECT_EQ(ids_of(read_numa_nodes(system.files())), std::vector{2});
    EXPECT_TRUE(has_forbidden_numa_nodes(system.files()));
}

TEST_F(ThreeNodes, AreAllAllowedWhereTheCpusetNamesThemAll) {
    EXPECT_FALSE(has_forbidden_numa_nodes(system.files())) << "there is no cpuset";
    system.add("/proc/self/status", "Mems_allowed_list:\t0-7\n");
    EXPECT_FALSE(has_forbidden_numa_nodes(system.files()));
    system.add("/proc/self/status", "Mems_allowed_list:\t9\n");
    EXPECT_FALSE(has_forbidden_numa_nodes(system.files())) << "none of them has memory, so that tells nothing";
}

TEST_F(ThreeNodes, HaveWhatIsFreeAndWhatIsGivenUpWhenNeeded) {
    const auto nodes = read_numa_nodes(system.files());
    EXPECT_EQ(nodes.at(1).available_bytes, 12 * mib);
    EXPECT_EQ(nodes.at(0).available_bytes, std::nullopt) << "it does not say";
}

TEST_F(ThreeNodes, WithoutProcessorsAreToldApartByTheirBandwidth) {
    system.add("/sys/devices/system/node/node0/cpulist", "0\n");
    system.add("/sys/devices/system/node/node2/cpulist", "\n");
    system.add("/sys/devices/system/node/node3/cpulist", "1\n");
    const auto read_from = [&](int node, const char* mb_per_s) {
        system.add(fmt::format("/sys/devices/system/node/node{}/access0/initiators/read_bandwidth", node), mb_per_s);
    };
    const auto memory_at = [&](const char* mb_per_s) {
        read_from(2, mb_per_s);
        return read_numa_nodes(system.files()).at(1).memory;
    };
    EXPECT_EQ(memory_at("500"), "memory") << "nothing to compare with";
    read_from(0, "200");
    read_from(3, "100");
    EXPECT_EQ(memory_at("0"), "memory");
    EXPECT_EQ(memory_at("239"), "memory");
    EXPECT_EQ(memory_at("241"), "high-bandwidth memory");
    EXPECT_EQ(memory_at("168"), "memory");
    EXPECT_EQ(memory_at("165"), "slower memory");
    EXPECT_EQ(memory_at("240"), "memory") << "not clearly more";
    read_from(0, "240");
    EXPECT_EQ(memory_at("200"), "memory") << "nor clearly less";
    EXPECT_EQ(read_numa_nodes(system.files()).at(0).memory, "") << "it has processors";
}

TEST_F(ThreeNodes, HaveTheLargestCacheBeforeTheirMemory) {
    const std::string folder = "/sys/devices/system/node/node2/memory_side_cache/";
    system.add(folder + "index1/size", "1048576\n");
    system.add(folder + "index2/size", "4194304\n");
    system.add(folder + "index3/size", "2097152\n");
    EXPECT_EQ(read_numa_nodes(system.files()).at(1).cache_bytes, 4 * mib);
    EXPECT_EQ(read_numa_nodes(system.files()).at(0).cache_bytes, 0U);
}

TEST(MemoryNodes, WithoutProcessorsAreNamedByTheBusOfTheirMemory) {
    const auto memory_on = [](std::string_view device) {
        const FakeSystem made;
        made.add("/sys/devices/system/node/has_memory", "0,2\n");
        made.add("/sys/devices/system/node/node0/cpulist", "0\n");
        made.add(fmt::format("/sys/devices/{}/target_node", device), "2\n");
        const auto devices = made.root() / "sys/bus/dax/devices";
        std::filesystem::create_directories(devices);
        std::filesystem::create_directory_symlink(fmt::format("../../../devices/{}", device), devices / "dax0.0");
        return read_numa_nodes(made.files()).at(1).memory;
    };
    EXPECT_EQ(memory_on("platform/ACPI0017:00/root0/decoder0.0/region0/dax_region0/dax0.0"), "CXL memory");
    EXPECT_EQ(memory_on("LNXSYSTM:00/LNXSYBUS:00/ACPI0012:00/ndbus0/region0/dax0.0/dax0.0"), "persistent memory");
    EXPECT_EQ(memory_on("platform/ACPI0017:00/root0/nvdimm-bridge0/ndbus1/region4/dax4.0"), "persistent memory")
        << "on a CXL card";
    EXPECT_EQ(memory_on("platform/hmem.0/dax0.0"), "memory");
    EXPECT_EQ(memory_on("platform/x/region0/dax0.0"), "memory") << "a region that nothing decodes";
}

TEST(MemoryNodes, OfAnOldKernelAreThoseWithNormalMemory) {
    const FakeSystem system;
    system.add("/sys/devices/system/node/has_normal_memory", "0-1\n");
    EXPECT_EQ(ids_of(read_numa_nodes(system.files())), (std::vector{0, 1}));
}

TEST(MemoryNodes, WhereTheSystemDoesNotTellThereIsOne) {
    EXPECT_EQ(ids_of(read_numa_nodes(FakeSystem().files())), std::vector{0});
}

TEST(MemoryNodes, WhereTheSystemTellsOfACpusetAloneThereIsItsFirst) {
    for (const auto& [cpuset, node] : {std::pair{"1", 1}, {"0-3", 0}, {"2-3", 2}}) {
        const FakeSystem system;
        system.add("/proc/self/status", fmt::format("Mems_allowed_list:\t{}\n", cpuset));
        EXPECT_EQ(ids_of(read_numa_nodes(system.files())), std::vector{node}) << cpuset;
    }
}

TEST(MemoryPolicyOfThisThread, IsReadBackAndNoneByDefault) {
    std::optional<MemoryPolicy> before;
    std::optional<MemoryPolicy> bound;
    bool is_known = false;
    std::thread([&] {
        before = read_memory_policy();
        const unsigned long first = 1;
        is_known = syscall(SYS_set_mempolicy, 2, &first, 64UL) == 0; // MPOL_BIND
        bound = read_memory_policy();
    }).join();
    if (!is_known || !bound) // an emulated kernel may accept and forget it
        GTEST_SKIP() << "this kernel does not know policies";
    EXPECT_EQ(before, std::nullopt);
    EXPECT_EQ(*bound, (MemoryPolicy{.mode = "bind", .nodes = {0}}));
}

/// Whether the kernel tells on which node a page is.
bool tells_nodes_of_pages() {
    int word = 0;
    void* page = &word;
    int node = -1;
    return syscall(SYS_move_pages, 0, 1UL, &page, nullptr, &node, 0) == 0 && node >= 0;
}

TEST(NodesOfThisMachine, MemoryIsWhereItWasBound) {
    const SystemFiles files;
    for (const NumaNode& node : read_numa_nodes(files)) {
        for (const PageKind pages : {PageKind::base, PageKind::system_default}) {
            const Arena arena(8 * mib + 1, pages, files, node.id);
            if (!tells_nodes_of_pages())
                GTEST_SKIP() << "this kernel does not tell where memory is";
            EXPECT_EQ(numa_nodes_of(arena.memory()), std::vector{node.id});
        }
    }
}

/// How the kernel chooses the nodes of a page, and from among which.
struct Policy {
    int mode = -1;
    std::bitset<1024> nodes; // the most that a kernel is built for
};

/// Nothing where the kernel does not tell.
std::optional<Policy> policy_of(std::span<std::byte> memory) {
    Policy policy;
    if (syscall(SYS_get_mempolicy, &policy.mode, &policy.nodes, policy.nodes.size() + 1, memory.data(),
                static_cast<unsigned long>(MPOL_F_ADDR)) != 0)
        return std::nullopt;
    return policy;
}

TEST(NodesOfThisMachine, MemoryIsBoundToTheOneAskedForAndOtherwiseToNone) { // which one node is enough to tell
    const SystemFiles files;
    const auto unbound = policy_of(Arena(mib, PageKind::base, files).memory());
    if (!unbound)
        GTEST_SKIP() << "this kernel does not tell how it chooses nodes";
    EXPECT_EQ(unbound->mode, MPOL_DEFAULT);
    EXPECT_TRUE(unbound->nodes.none());
    for (const NumaNode& node : read_numa_nodes(files)) {
        const auto bound = policy_of(Arena(mib, PageKind::base, files, node.id).memory()).value();
        EXPECT_EQ(bound.mode, MPOL_BIND);
        EXPECT_EQ(bound.nodes, std::bitset<1024>{}.set(static_cast<std::size_t>(node.id)));
    }
}

TEST(NodesOfThisMachine, PagesThatAreNotThereAreOnNoNode) {
    const SystemFiles files;
    const std::size_t page = base_page_bytes();
    for (const std::size_t gone : {std::size_t{0}, std::size_t{mib} - page}) { // one of them alone
        const Arena holed(mib, PageKind::base, files);
        ASSERT_EQ(madvise(holed.memory().data() + gone, page, MADV_DONTNEED), 0);
        EXPECT_EQ(numa_nodes_of(holed.memory()), std::nullopt) << gone;
    }
    EXPECT_EQ(numa_nodes_of({}), std::nullopt);
}

TEST(NodesOfThisMachine, ANodeThatIsNotThereIsAnErrorThatNamesIt) {
    const SystemFiles files;
    const Arena arena(mib, PageKind::base, files);
    if (!tells_nodes_of_pages())
        GTEST_SKIP() << "this kernel does not know nodes";
    for (const int node : {63, 64, 1000}) {
        try {
            bind_to_numa_node(arena.memory(), node, files);
            ADD_FAILURE() << "bound to node " << node;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("node " + std::to_string(node) + ":"), std::string::npos)
                << error.what();
        }
    }
}

} // namespace
} // namespace memtest

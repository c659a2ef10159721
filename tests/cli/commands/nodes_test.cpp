#include "memtest/cli/commands/nodes.hpp"

#include "memtest/base/units.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "support/fake_machine.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"

#include <tuple>

namespace memtest {
namespace {

/// Node, its processor, and the node of the memory.
using Rows = std::vector<std::tuple<int, int, int>>;

/// Processors 0 and 1 on node 0, 2 and 3 on node 1, and memory alone on node 2.
class OnThreeNodes : public OnAFakeMachine {
protected:
    OnThreeNodes() {
        for (const int id : {0, 1, 2, 3})
            system.add_processor(id, id / 2, id % 2, id / 2 == 0 ? "0-1" : "2-3");
        system.add("/sys/devices/system/node/node0/cpulist", "0-1\n");
        system.add("/sys/devices/system/node/node1/cpulist", "2-3\n");
        allow({0, 1, 2, 3});
        for (const int node : {0, 1, 2})
            machine.numa_nodes.push_back({.id = node, .available_bytes = 8192 * mib});
        machine.available_bytes = 24576 * mib;
    }

    [[nodiscard]] NodesPlan plan(const std::vector<std::string>& arguments) const {
        return plan_nodes(options_of_nodes(line_for(nodes_command, arguments)), machine);
    }

    [[nodiscard]] Rows rows() const {
        Rows all;
        for (const NodePair& pair : plan({}).pairs) {
            EXPECT_EQ(pair.plan.team.nodes, std::vector{pair.memory_of});
            EXPECT_TRUE(pair.plan.team.pinned);
            all.emplace_back(pair.processors_of, pair.plan.team.processors.at(0), pair.memory_of);
        }
        return all;
    }

    [[nodiscard]] std::string refusal(const std::vector<std::string>& arguments) const {
        return refusal_of([&] { static_cast<void>(plan(arguments)); });
    }
};

TEST_F(OnThreeNodes, EachNodeWithProcessorsMeetsEachWithMemory) {
    EXPECT_EQ(rows(), (Rows{{0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {1, 2, 0}, {1, 2, 1}, {1, 2, 2}}));
    EXPECT_EQ(plan({"--pages", "4k"}).all.pages, PageKind::base);
    EXPECT_EQ(plan({}).all.nodes, (std::vector{0, 1, 2}));
    EXPECT_EQ(plan({}).all.processors, (std::vector{0, 2}));
}

TEST_F(OnThreeNodes, ANodeIsLeftOutWhoseProcessorsOrMemoryMayNotBeUsed) {
    allow({3});
    EXPECT_EQ(rows(), (Rows{{1, 3, 0}, {1, 3, 1}, {1, 3, 2}}));
    machine.numa_nodes.erase(machine.numa_nodes.begin(), machine.numa_nodes.begin() + 2);
    EXPECT_EQ(rows(), (Rows{{1, 3, 2}}));
}

TEST_F(OnThreeNodes, EachIsASweepOfOneSizeInRandomOrderThatNoCacheHolds) {
    for (const NodePair& pair : plan({}).pairs) {
        EXPECT_EQ(pair.plan.sweep.sizes, std::vector<std::size_t>{256 * mib});
        EXPECT_EQ(pair.plan.sweep.timing.precision_percent, 2);
        EXPECT_EQ(pair.plan.team.shape.order, Order::random);
    }
    system.add_cache(0, 3, 3, "Unified", "65536K", "0-1");
    allow({0, 1, 2, 3});
    EXPECT_EQ(plan({}).bytes, 512 * mib) << "eight times the last cache";
    system.add_cache(0, 3, 3, "Unified", "1048576K", "0-1");
    allow({0, 1, 2, 3});
    EXPECT_LT(plan({}).bytes, 8192 * mib) << "but no more than fits on a node";
    EXPECT_GT(plan({}).bytes, 7168 * mib);
}

TEST_F(OnThreeNodes, ASizeClearlyBelowFourLastCachesIsAdvisedAgainst) {
    EXPECT_EQ(plan({"--size", "128"}).warning, std::nullopt);
    EXPECT_EQ(plan({"--size", "121"}).warning,
              Notice(Code::little_memory,
                     {{"bytes", 121 * mib}, {"caches", 4}, {"option", "size"}, {"least_bytes", 128 * mib}}));
}

TEST_F(OnThreeNodes, TheSizeIsOneThatFitsOnEveryNode) {
    machine.numa_nodes[2].available_bytes = 108 * mib;
    EXPECT_EQ(plan({}).bytes, 100 * mib);
    EXPECT_EQ(plan({"--size", "64"}).bytes, 64 * mib);
    EXPECT_TRUE(mentions(refusal({"--size", "200"}), {"--size 200 MiB", "200 MiB", "100 MiB"}));
}

TEST_F(OnThreeNodes, TheSizeIsOneForWhichEveryNodeHasReservedPages) {
    reserve(450);
    for (const auto& [node, pages] : {std::pair(0, 200), std::pair(1, 50), std::pair(2, 200)})
        reserve(pages, "/sys/devices/system/node/node" + std::to_string(node));
    EXPECT_EQ(plan({"--pages", "2m"}).bytes, 100 * mib);
    reserve(250, "/sys/devices/system/node/node1");
    EXPECT_EQ(plan({"--pages", "2m"}).bytes, 256 * mib) << "no more than without them";
    reserve(0, "/sys/devices/system/node/node1");
    EXPECT_TRUE(mentions(refusal({"--pages", "2m"}), {"--pages 2", "128", "2 MiB", "2048"}));
    EXPECT_TRUE(mentions(refusal({"--pages", "1g"}), {"--pages 1", "1 GiB", "2 MiB"}));
}

TEST_F(OnThreeNodes, TheSizeIsInWholeLinesAndNotBelowOne) {
    EXPECT_EQ(plan({"--size", "0.01"}).bytes, 10432U);
    EXPECT_EQ(plan({"--size", "0.01"}).pairs.front().plan.sweep.sizes, std::vector<std::size_t>{10432});
    EXPECT_EQ(plan({"--size", "64B"}).bytes, 64U);
    EXPECT_TRUE(mentions(refusal({"--size", "63B"}), {"--size 63 B", "64"}));
}

TEST_F(OnThreeNodes, TheLinesAreThoseOfTheProcessor) {
    for (int index = 0; index < 4; ++index)
        system.add_cache(0, index, index, "Unified", "64K", "0", "128");
    allow({0, 1});
    EXPECT_EQ(plan({}).all.shape.line_bytes, 128U);
    EXPECT_TRUE(mentions(refusal({"--size", "100B"}), {"--size 100 B", "128"}));
}

TEST_F(OnThreeNodes, ForBandwidthEachProcessorOfANodeLoadsEachMemory) {
    for (const NodePair& pair : plan({"--bandwidth"}).pairs) {
        EXPECT_EQ(pair.load.processors, pair.processors_of == 0 ? (std::vector{0, 1}) : (std::vector{2, 3}));
        EXPECT_EQ(pair.load.nodes, std::vector(2, pair.memory_of));
        EXPECT_TRUE(pair.load.pinned);
    }
    allow({1, 2, 3});
    EXPECT_EQ(plan({"--bandwidth"}).pairs.front().load.processors, std::vector{1});
}

TEST_F(OnThreeNodes, EachLoadThreadReadsWhatIsWalkedButNoMoreThanUsual) {
    const auto bytes = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"--bandwidth"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const NodesPlan all = plan(arguments);
        for (const NodePair& pair : all.pairs)
            EXPECT_EQ(pair.load.area_bytes, all.pairs.front().load.area_bytes);
        return all.pairs.front().load.area_bytes;
    };
    EXPECT_EQ(bytes({}), 256 * mib);
    EXPECT_EQ(bytes({"--size", "2048"}), 256 * mib);
    EXPECT_EQ(bytes({"--size", "16"}), 16 * mib);
    system.add_cache(0, 3, 3, "Unified", "65536K", "0-1");
    allow({0, 1, 2, 3});
    EXPECT_EQ(bytes({}), 512 * mib) << "eight times the last cache";
    machine.numa_nodes[2].available_bytes = 408 * mib;
    EXPECT_EQ(bytes({}), 197 * mib) << "what fits on every node";
    machine.numa_nodes[2].available_bytes = 208 * mib;
    EXPECT_TRUE(mentions(refusal({"--bandwidth"}), {"--bandwidth", "128 MiB", "2 threads", "node 2"}));
    EXPECT_EQ(refusal({}), "") << "one thread has enough";
}

TEST_F(OnThreeNodes, ForBandwidthReservedPagesAreForAllLoadThreads) {
    for (const char* above : {"/sys/kernel/mm", "/sys/devices/system/node/node0", "/sys/devices/system/node/node1",
                              "/sys/devices/system/node/node2"})
        reserve(10, above);
    EXPECT_EQ(plan({"--bandwidth", "--pages", "2m", "--size", "10"}).pairs.front().load.area_bytes, 10 * mib);
    EXPECT_TRUE(mentions(refusal({"--bandwidth", "--pages", "2m", "--size", "12"}), {"--pages 2", "12", "10"}));
}

TEST(Placement, OfSeveralNodesIsToBeVerifiedThatOfOneNeedNotBe) {
    const ThreadFacts verified{.node_verified = true};
    const ThreadFacts unverified{};
    EXPECT_NO_THROW(check_placement(std::vector{verified, verified}));
    EXPECT_NO_THROW(check_placement(std::vector{unverified}));
    try {
        check_placement(std::vector{verified, unverified});
        FAIL() << "is not refused";
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), ExitStatus::usage);
        EXPECT_TRUE(mentions(error.what(), {"memtest nodes: ", "2 nodes", "move_pages"}));
    }
}

} // namespace
} // namespace memtest

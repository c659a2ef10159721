#include "memtest/chain/cycle.hpp"

#include "support/area.hpp"
#include "support/test.hpp"

#include <map>

namespace memtest {
namespace {

constexpr std::size_t line = 64;

/// The nodes on a walk that begins at one of them, by number.
std::vector<std::size_t> lap(const Nodes& nodes, std::size_t start, std::size_t count) {
    std::vector<std::size_t> visited;
    for (std::size_t at = start; visited.size() < count; at = (nodes.link_of(at) - nodes.link_to(0)) / nodes.pitch())
        visited.push_back(at);
    return visited;
}

TEST(StrideCycle, BackwardGoesDownByTheStrideAndContinuesInTheNextPassBelow) {
    Area area(8 * line);
    const Nodes nodes(area.memory().data(), 0, line, Link::pointer);
    link_stride_cycle(nodes, Order::backward, 3, 0, 8);
    EXPECT_EQ(lap(nodes, 5, 8), (std::vector<std::size_t>{5, 2, 7, 4, 1, 6, 3, 0}));
}

TEST(StrideCycle, ForwardIsTheSameCycleTheOtherWay) {
    Area area(8 * line);
    const Nodes nodes(area.memory().data(), 0, line, Link::pointer);
    link_stride_cycle(nodes, Order::forward, 3, 0, 8);
    EXPECT_EQ(lap(nodes, 0, 8), (std::vector<std::size_t>{0, 3, 6, 1, 4, 7, 2, 5}));
}

TEST(StrideCycle, AStrideOfOneLineIsASequentialScan) {
    Area area(4 * line);
    const Nodes nodes(area.memory().data(), 0, line, Link::index);
    link_stride_cycle(nodes, Order::backward, 1, 0, 4);
    EXPECT_EQ(lap(nodes, 3, 4), (std::vector<std::size_t>{3, 2, 1, 0}));
}

TEST(StrideCycle, AStrideAsLongAsTheArrayOrLongerStillVisitsEveryNode) {
    for (const std::size_t stride : {4U, 5U, 100U}) {
        for (const Order direction : {Order::backward, Order::forward}) {
            Area area(4 * line);
            const Nodes nodes(area.memory().data(), 0, line, Link::pointer);
            link_stride_cycle(nodes, direction, stride, 0, 4);
            EXPECT_TRUE(is_single_lap(nodes, 4, nodes.link_to(0))) << "stride " << stride;
        }
    }
}

TEST(StrideCycleProperty, GrownInStepsItIsTheCycleLinkedAtOnce) {
    for (const Order direction : {Order::backward, Order::forward}) {
        for (std::size_t stride = 1; stride <= 9; ++stride) {
            Area grown_area(40 * line);
            Area fresh_area(40 * line);
            const Nodes grown(grown_area.memory().data(), 0, line, Link::index);
            const Nodes fresh(fresh_area.memory().data(), 0, line, Link::index);
            std::size_t linked = 0;
            for (const std::size_t count : {1U, 2U, 3U, 7U, 8U, 8U, 9U, 20U, 21U, 40U}) {
                link_stride_cycle(grown, direction, stride, linked, count);
                link_stride_cycle(fresh, direction, stride, 0, count);
                ASSERT_EQ(lap(grown, 0, count), lap(fresh, 0, count)) << "stride " << stride << " count " << count;
                ASSERT_TRUE(is_single_lap(grown, count, grown.link_to(0)));
                linked = count;
            }
        }
    }
}

TEST(StrideCycle, GrowingWritesNewNodesAndTheEndsOfPassesAlone) {
    constexpr std::size_t stride = 4;
    constexpr std::size_t before = 60;
    constexpr std::uintptr_t mark = 1;
    for (const Order direction : {Order::backward, Order::forward}) {
        for (const std::size_t count : {before, before + 40}) {
            Area area((before + 40) * line);
            const Nodes nodes(area.memory().data(), 0, line, Link::index);
            link_stride_cycle(nodes, direction, stride, 0, before);
            const std::size_t ends = count == before ? 0 : stride; // at the begin or at the end of the old nodes
            for (std::size_t i = ends; i < before - ends; ++i)
                nodes.set_link(i, mark);
            link_stride_cycle(nodes, direction, stride, before, count);
            for (std::size_t i = ends; i < before - ends; ++i)
                ASSERT_EQ(nodes.link_of(i), mark) << "node " << i << " of " << count;
        }
    }
}

std::vector<std::size_t> random_lap(std::uint64_t seed, const std::vector<std::size_t>& steps, Link link,
                                    std::size_t block = RandomCycle::unconfined) {
    Area area(steps.back() * line);
    const Nodes nodes(area.memory().data(), 0, line, link);
    RandomCycle cycle(nodes, seed, block);
    for (const std::size_t count : steps) {
        cycle.grow_to(count);
        EXPECT_TRUE(is_single_lap(nodes, count, nodes.link_to(0)));
    }
    return lap(nodes, 0, steps.back());
}

/// How far the counts of all (n-1)! cycles are from equal, as chi-square.
double chi_square_over_cycles(const std::vector<std::size_t>& steps, int cycles) {
    constexpr int draws_per_cycle = 100;
    std::map<std::vector<std::size_t>, int> count;
    for (int seed = 0; seed < cycles * draws_per_cycle; ++seed)
        ++count[random_lap(static_cast<std::uint64_t>(seed), steps, Link::index)];
    EXPECT_EQ(count.size(), static_cast<std::size_t>(cycles)) << "every cycle appears";
    double chi_square = 0;
    for (const auto& [cycle, n] : count)
        chi_square += (n - draws_per_cycle) * (n - draws_per_cycle) / static_cast<double>(draws_per_cycle);
    return chi_square;
}

// The bounds are the 99.9 % quantiles for (n-1)! - 1 degrees of freedom.
TEST(RandomCycle, AllCyclesThroughFiveOrSixNodesAreEquallyLikely) {
    EXPECT_LT(chi_square_over_cycles({5}, 24), 49.7);
    EXPECT_LT(chi_square_over_cycles({1, 2, 3, 4, 5}, 24), 49.7);
    EXPECT_LT(chi_square_over_cycles({6}, 120), 173.6);
    EXPECT_LT(chi_square_over_cycles({2, 5, 6}, 120), 173.6);
}

TEST(RandomCycle, DependsOnSeedAndSizeButNotOnTheStepsOfGrowth) {
    const auto at_once = random_lap(9, {1000}, Link::pointer);
    EXPECT_EQ(at_once, random_lap(9, {1, 2, 31, 32, 33, 34, 500, 999, 1000}, Link::pointer));
    EXPECT_EQ(at_once, random_lap(9, {1000}, Link::index));
    EXPECT_NE(at_once, random_lap(10, {1000}, Link::pointer));
}

TEST(RandomCycle, IsTheSameOnEveryMachine) {
    EXPECT_EQ(random_lap(1, {12}, Link::index), (std::vector<std::size_t>{0, 1, 4, 11, 8, 6, 7, 10, 2, 9, 5, 3}));
}

TEST(RandomCycle, ConfinedVisitsEveryBlockWholeBeforeTheNext) {
    for (const std::size_t count : std::vector<std::size_t>{1, 7, 8, 9, 16, 100, 801}) {
        for (std::uint64_t seed = 0; seed < 50; ++seed) {
            const auto visited = random_lap(seed, {count}, Link::pointer, 8);
            std::size_t changes = 0;
            for (std::size_t hop = 0; hop < count; ++hop)
                changes += visited[hop] / 8 != visited[(hop + 1) % count] / 8 ? 1U : 0U;
            const std::size_t blocks = (count + 7) / 8;
            EXPECT_EQ(changes, blocks == 1 ? 0U : blocks) << count << " nodes, seed " << seed;
        }
    }
}

TEST(RandomCycle, ConfinedDoesNotDependOnTheStepsOfGrowth) {
    EXPECT_EQ(random_lap(4, {100}, Link::index, 8), random_lap(4, {1, 5, 8, 9, 17, 63, 64, 65, 100}, Link::index, 8));
}

TEST(RandomCycle, ConfinedVariesBothTheOrderInABlockAndTheOrderOfBlocks) {
    std::set<std::vector<std::size_t>> block_orders;
    std::set<std::vector<std::size_t>> orders_in_first_block;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const auto visited = random_lap(seed, {16}, Link::index, 4);
        std::vector<std::size_t> blocks;
        std::vector<std::size_t> in_first;
        for (const std::size_t node : visited) {
            if (blocks.empty() || blocks.back() != node / 4)
                blocks.push_back(node / 4);
            if (node / 4 == 0)
                in_first.push_back(node);
        }
        block_orders.insert(blocks);
        orders_in_first_block.insert(in_first);
    }
    EXPECT_EQ(block_orders.size(), 6U);          // all cycles of four blocks
    EXPECT_EQ(orders_in_first_block.size(), 6U); // all orders of a block's nodes behind its exit
}

class Proof : public testing::TestWithParam<Link> {
protected:
    static constexpr std::size_t count = 4;
    static constexpr std::size_t line = 64;

    Proof() {
        for (std::size_t i = 0; i < count; ++i)
            nodes.set_next(i, (i + 1) % count);
    }

    Area area{8 * line};
    Nodes nodes{area.memory().data(), 0, line, GetParam()};
};

TEST_P(Proof, HoldsForOneCycleThroughAllNodes) {
    EXPECT_TRUE(is_single_lap(nodes, count, nodes.link_to(0)));
}

TEST_P(Proof, FailsForTwoCycles) {
    nodes.set_next(1, 0);
    nodes.set_next(3, 2);
    EXPECT_FALSE(is_single_lap(nodes, count, nodes.link_to(0)));
}

TEST_P(Proof, FailsWhenTheWalkEndsInACycleWithoutItsStart) {
    nodes.set_next(3, 1);
    EXPECT_FALSE(is_single_lap(nodes, count, nodes.link_to(0)));
}

TEST_P(Proof, FailsWhenALinkLeadsOutOfTheWorkingSet) {
    nodes.set_next(2, 4); // in the place of node 3
    nodes.set_next(4, 0);
    EXPECT_FALSE(is_single_lap(nodes, count, nodes.link_to(0)));
}

TEST_P(Proof, FailsWhenALinkLeadsBetweenTwoNodes) {
    const Nodes overlapping(area.memory().data(), 0, line / 2, GetParam());
    overlapping.set_next(4, 7); // node 2 of the whole lines now leads to the middle of the next
    EXPECT_FALSE(is_single_lap(nodes, count, nodes.link_to(0)));
}

TEST_P(Proof, FailsForMemoryThatWasNeverLinked) {
    const Nodes unlinked(area.memory().data(), 4 * line, line, GetParam());
    EXPECT_FALSE(is_single_lap(unlinked, count, unlinked.link_to(0)));
}

TEST_P(Proof, OfTheFirstHopsDoesNotLookFurther) {
    nodes.set_next(3, 1);
    EXPECT_TRUE(is_single_lap(nodes, count, nodes.link_to(0), 1));
    EXPECT_FALSE(is_single_lap(nodes, count, nodes.link_to(0), count));
    nodes.set_next(0, 0);
    EXPECT_FALSE(is_single_lap(nodes, count, nodes.link_to(0), 1));
}

TEST_P(Proof, ASingleNodeFollowsItself) {
    nodes.set_next(0, 0);
    EXPECT_TRUE(is_single_lap(nodes, 1, nodes.link_to(0)));
    EXPECT_FALSE(is_single_lap(nodes, 0, nodes.link_to(0)));
}

INSTANTIATE_TEST_SUITE_P(BothLinks, Proof, testing::Values(Link::pointer, Link::index),
                         [](const auto& test) { return std::string(word_of(test.param)); });

} // namespace
} // namespace memtest

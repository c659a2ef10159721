#include "memtest/chain/random_cycle.hpp"

#include "memtest/chain/proof.hpp"
#include "support/area.hpp"
#include "support/lap.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace memtest {
namespace {

constexpr std::size_t line = 64;

std::vector<std::size_t> random_lap(std::uint64_t seed, const std::vector<std::size_t>& steps, Link link,
                                    std::size_t block = RandomCycle::unconfined) {
    Area area(steps.back() * line);
    const Nodes nodes(area.memory().data(), 0, line, link);
    RandomCycle cycle(nodes, seed, block);
    for (const std::size_t count : steps) {
        cycle.grow_to(count);
        EXPECT_TRUE(is_single_cycle(nodes, count));
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
TEST(RandomCycle, AllCyclesThroughFiveNodesAreEquallyLikely) {
    EXPECT_LT(chi_square_over_cycles({5}, 24), 49.7);
    EXPECT_LT(chi_square_over_cycles({1, 2, 3, 4, 5}, 24), 49.7);
}

TEST(RandomCycle, AllCyclesThroughSixNodesAreEquallyLikely) {
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

} // namespace
} // namespace memtest

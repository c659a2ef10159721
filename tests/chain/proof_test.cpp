#include "memtest/chain/proof.hpp"

#include "support/area.hpp"

#include <gtest/gtest.h>

#include <string>

namespace memtest {
namespace {

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
    EXPECT_TRUE(is_single_cycle(nodes, count));
}

TEST_P(Proof, FailsForTwoCycles) {
    nodes.set_next(1, 0);
    nodes.set_next(3, 2);
    EXPECT_FALSE(is_single_cycle(nodes, count));
}

TEST_P(Proof, FailsWhenTheWalkEndsInACycleWithoutItsStart) {
    nodes.set_next(3, 1);
    EXPECT_FALSE(is_single_cycle(nodes, count));
}

TEST_P(Proof, FailsWhenALinkLeadsOutOfTheWorkingSet) {
    nodes.set_next(2, 5); // in the place of node 3
    nodes.set_next(5, 0);
    EXPECT_FALSE(is_single_cycle(nodes, count));
}

TEST_P(Proof, FailsWhenALinkLeadsBetweenTwoNodes) {
    const Nodes overlapping(area.memory().data(), 0, line / 2, GetParam());
    overlapping.set_next(4, 7); // node 2 of the whole lines now leads to the middle of the next
    EXPECT_FALSE(is_single_cycle(nodes, count));
}

TEST_P(Proof, FailsForMemoryThatWasNeverLinked) {
    const Nodes unlinked(area.memory().data(), 4 * line, line, GetParam());
    EXPECT_FALSE(is_single_cycle(unlinked, count));
}

TEST_P(Proof, ASingleNodeFollowsItself) {
    nodes.set_next(0, 0);
    EXPECT_TRUE(is_single_cycle(nodes, 1));
    EXPECT_FALSE(is_single_cycle(nodes, 0));
}

INSTANTIATE_TEST_SUITE_P(BothLinks, Proof, testing::Values(Link::pointer, Link::index),
                         [](const auto& test) { return std::string(word_of(test.param)); });

} // namespace
} // namespace memtest

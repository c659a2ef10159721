#include "memtest/chain/stride_cycle.hpp"

#include "memtest/chain/proof.hpp"
#include "support/area.hpp"
#include "support/lap.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace memtest {
namespace {

constexpr std::size_t line = 64;

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
            EXPECT_TRUE(is_single_cycle(nodes, 4)) << "stride " << stride;
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
                ASSERT_TRUE(is_single_cycle(grown, count));
                linked = count;
            }
        }
    }
}

} // namespace
} // namespace memtest

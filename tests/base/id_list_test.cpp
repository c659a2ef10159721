#include "memtest/base/id_list.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

using Ids = std::vector<int>;

TEST(CpuList, ReadsSinglesRangesAndBoth) {
    EXPECT_EQ(parse_distinct_ids("2"), Ids{2});
    EXPECT_EQ(parse_distinct_ids("0,4"), (Ids{0, 4}));
    EXPECT_EQ(parse_distinct_ids("0-3"), (Ids{0, 1, 2, 3}));
    EXPECT_EQ(parse_distinct_ids("8,0-2,5"), (Ids{8, 0, 1, 2, 5})) << "the order is the user's";
}

TEST(CpuList, RefusesWhatIsNoList) {
    for (const char* text : {"", ",", "1,", ",1", "a", "1-", "0-x", "-1", "3-1", "1,1", "0-2,1", "1,0-1", "0-2,1-3",
                             "1,0,1", "1 2", "0x1", "1-2-3", "99999999999", "100000"})
        EXPECT_EQ(parse_distinct_ids(text), std::nullopt) << "'" << text << "'";
}

TEST(CpuList, WritesRangesOfThreeOrMoreWithADash) {
    EXPECT_EQ(format_ids({5}), "5");
    EXPECT_EQ(format_ids({0, 1}), "0,1");
    EXPECT_EQ(format_ids({0, 1, 2, 3, 8}), "0-3,8");
    EXPECT_EQ(format_ids({4, 0, 1, 2}), "4,0-2");
    EXPECT_EQ(format_ids({}), "");
}

TEST(CpuList, ReadsBackWhatItWrites) {
    const Ids ids{9, 3, 4, 5, 6, 0, 1};
    EXPECT_EQ(parse_distinct_ids(format_ids(ids)), ids);
}

TEST(IdList, MayHoldAnIdSeveralTimes) {
    EXPECT_EQ(parse_ids("0,0,1"), (std::vector<int>{0, 0, 1}));
    EXPECT_EQ(parse_ids("0-1,0-1"), (std::vector<int>{0, 1, 0, 1}));
    EXPECT_EQ(parse_ids("0,"), std::nullopt);
}

TEST(IdList, HoldsAtMostAsManyAsThereAreIds) {
    EXPECT_EQ(parse_ids("0-65536").value_or(Ids{}).size(), 65537U);
    EXPECT_EQ(parse_ids("0-65536,0"), std::nullopt);
}

} // namespace
} // namespace memtest

#include "memtest/insight/reported_cache.hpp"

#include "memtest/base/units.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

TEST(PlausibleCaches, AscendInLevelAndSize) {
    const ReportedCache l1{.level = 1, .size_bytes = 32 << 10};
    const ReportedCache l2{.level = 2, .size_bytes = 1 << 20};
    EXPECT_EQ(plausible_caches(std::vector{l2, l1}), (std::vector{l1, l2}));
    EXPECT_TRUE(plausible_caches({}).empty());
    EXPECT_TRUE(plausible_caches(std::vector{l1, l1}).empty()) << "one level twice";
    EXPECT_TRUE(plausible_caches(std::vector{l1, ReportedCache{.level = 2, .size_bytes = 32 << 10}}).empty());
    EXPECT_TRUE(plausible_caches(std::vector{ReportedCache{.level = 1, .size_bytes = 0}, l2}).empty());
}

TEST(WhyUnseen, NamesWhatWouldShowTheCache) {
    const std::vector<ReportedCache> reported{{.level = 2, .size_bytes = 2 << 20}, {.level = 3, .size_bytes = 4 << 20}};
    const auto why = [&reported](double largest, double sizes_per_doubling) {
        return why_unseen(reported[1], reported, largest, sizes_per_doubling);
    };
    EXPECT_EQ(why(31 << 20, 2), Unseen::sweep_too_short);
    EXPECT_EQ(why(32 << 20, 2), Unseen::too_near);
    EXPECT_EQ(why(32 << 20, 7.99), Unseen::no_trace) << "8 of rounded sizes";
    EXPECT_EQ(why(32 << 20, 8), Unseen::no_trace) << "as many sizes would have shown it";
    EXPECT_EQ(why_unseen(reported[0], reported, 32 << 20, 2), Unseen::too_near) << "the next one hides it";
    EXPECT_EQ(why(32 << 20, 7.4), Unseen::too_near);
    const std::vector<ReportedCache> same{{.level = 2, .size_bytes = 4 << 20}, {.level = 3, .size_bytes = 4 << 20}};
    EXPECT_EQ(why_unseen(same[1], same, 32 << 20, 2), Unseen::no_trace) << "of one size";
    const std::vector<ReportedCache> apart{{.level = 2, .size_bytes = 1 << 20}, {.level = 3, .size_bytes = 3 << 20}};
    EXPECT_EQ(why_unseen(apart[1], apart, 32 << 20, 2), Unseen::no_trace);
}

} // namespace
} // namespace memtest

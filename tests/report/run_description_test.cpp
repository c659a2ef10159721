#include "memtest/report/description.hpp"
#include "memtest/report/run_description.hpp"

#include "memtest/base/units.hpp"
#include "memtest/report/run_description.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {
namespace {

using Pages = std::vector<PagesGot>;
using Caches = std::vector<ReportedCache>;

/// The value that the text has; nothing for other text.
template<class Type>
std::optional<Type> parsed(std::string_view text) {
    Type value;
    return parse(text, value) ? std::optional(value) : std::nullopt;
}

const PagesGot small{.page_bytes = 4096};
const PagesGot huge{.page_bytes = 4096, .transparent_page_bytes = 2 * mib, .transparent_percent = 100};

PagesGot mixed(double percent) {
    return {.page_bytes = 4096, .transparent_page_bytes = 2 * mib, .transparent_percent = percent};
}

TEST(PagesGot, AreNeverMoreThanAll) {
    // What the kernel says of one mapping it may join from two readings.
    EXPECT_EQ(pages_got({4096, 6 * mib, 2 * mib, 4 * mib}).transparent_percent, 100);
    EXPECT_EQ(pages_got({4096, 1 * mib, 2 * mib, 4 * mib}).transparent_percent, 25);
}

TEST(PagesGot, AreDescribedForPeople) {
    EXPECT_EQ(text_of(Pages{small}), "4 KiB");
    EXPECT_EQ(text_of(Pages{mixed(75)}), "4 KiB and 2 MiB transparent (75 % of the memory)");
    EXPECT_EQ(text_of(Pages{huge}), "2 MiB transparent");
    EXPECT_EQ(text_of(Pages{{.page_bytes = 1024 * mib}}), "1 GiB");
    EXPECT_EQ(text_of(Pages{PagesGot{}}), "not known");
}

TEST(PagesGot, AreDescribedOnceForAllThreadsOrForEachWhereTheyDiffer) {
    EXPECT_EQ(text_of(Pages{small, small}), "4 KiB");
    EXPECT_EQ(text_of(Pages{small, huge}), "4 KiB; 2 MiB transparent");
}

TEST(PagesGot, AreReadBack) {
    for (const std::string text : {"4 KiB", "not known", "2 MiB transparent", "1 GiB", "64 KiB; 2 MiB transparent",
                                   "4 KiB and 2 MiB transparent (37 % of the memory)"}) {
        const auto pages = parsed<Pages>(text);
        ASSERT_TRUE(pages.has_value()) << text;
        EXPECT_EQ(text_of(*pages), text);
    }
    EXPECT_EQ(parsed<Pages>("2 MiB transparent")->front().transparent_percent, 100);
}

TEST(PagesGot, OtherTextIsNotRead) {
    for (const char* text : {"", "pages", "4", "4 KiB and", "4 KiB and 2 MiB", "2 MiB transparent (x % of the memory)",
                             "4 KiB and 2 MiB transparent (200 % of the memory)", "4 KiB; ", "0 B"})
        EXPECT_EQ(parsed<Pages>(text), std::nullopt) << text;
}

TEST(PagesGot, DifferByShareRatherThanByWords) {
    EXPECT_TRUE(pages_differ({mixed(1)}, {mixed(99)}));
    EXPECT_FALSE(pages_differ({mixed(99)}, {huge}));
    EXPECT_FALSE(pages_differ({mixed(1)}, {small}));
    EXPECT_TRUE(pages_differ({mixed(50)}, {huge}));
    EXPECT_FALSE(pages_differ({mixed(57)}, {mixed(55)})) << "from run to run";
}

TEST(PagesGot, DifferBySize) {
    EXPECT_TRUE(pages_differ({small}, {{.page_bytes = 65536}}));
    EXPECT_TRUE(pages_differ({huge}, {{.transparent_page_bytes = 32 * mib, .transparent_percent = 100}}));
    EXPECT_FALSE(pages_differ({huge}, {{.transparent_page_bytes = 2 * mib, .transparent_percent = 100}}))
        << "the text does not say the size of pages that are not there";
}

TEST(PagesGot, OfAnyThreadCountWhereOneTextStandsForAll) {
    EXPECT_FALSE(pages_differ({small}, {small, small}));
    EXPECT_TRUE(pages_differ({small}, {small, huge}));
    EXPECT_TRUE(pages_differ({small, huge}, {huge, small}));
}

const Caches three_levels{
    {.level = 1, .size_bytes = 32U << 10U, .data_only = true},
    {.level = 2, .size_bytes = 1536U << 10U},
    {.level = 3, .size_bytes = 32U << 20U, .shared_by = 3},
};

TEST(ReportedCaches, AreDescribedInOneLine) {
    EXPECT_EQ(text_of(three_levels), "L1d 32 KiB, L2 1.5 MiB, L3 32 MiB shared by 3");
    EXPECT_EQ(text_of(Caches{}), "");
}

TEST(ReportedCaches, AreReadBackAsTheyWereDescribed) {
    EXPECT_EQ(parsed<Caches>(text_of(three_levels)), three_levels);
}

TEST(ReportedCaches, WhatIsNotUnderstoodIsLeftOut) {
    EXPECT_EQ(parsed<Caches>(""), std::nullopt);
    EXPECT_EQ(parsed<Caches>("none, L, Lx 3 KiB, L2, L2 big KiB, L99999999999 1 MiB"), std::nullopt);
    EXPECT_EQ(parsed<Caches>("nonsense, L2 1 MiB")->size(), 1U);
}

} // namespace
} // namespace memtest

#include "memtest/report/pages_got.hpp"

#include "memtest/base/units.hpp"
#include "memtest/report/description.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace memtest {
namespace {

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
    EXPECT_EQ(text_of_pages({small}), "4 KiB");
    EXPECT_EQ(text_of_pages({mixed(75)}), "4 KiB and 2 MiB transparent (75 % of the memory)");
    EXPECT_EQ(text_of_pages({huge}), "2 MiB transparent");
    EXPECT_EQ(text_of_pages({{.page_bytes = 1024 * mib}}), "1 GiB");
    EXPECT_EQ(text_of_pages({PagesGot{}}), "not known");
}

TEST(PagesGot, AreDescribedOnceForAllThreadsOrForEachWhereTheyDiffer) {
    EXPECT_EQ(text_of_pages({small, small}), "4 KiB");
    EXPECT_EQ(text_of_pages({small, huge}), "4 KiB; 2 MiB transparent");
}

TEST(PagesGot, AreReadBack) {
    for (const std::string text : {"4 KiB", "not known", "2 MiB transparent", "1 GiB", "64 KiB; 2 MiB transparent",
                                   "4 KiB and 2 MiB transparent (37 % of the memory)"}) {
        const auto pages = parse_pages(text);
        ASSERT_TRUE(pages.has_value()) << text;
        EXPECT_EQ(text_of_pages(*pages), text);
    }
    EXPECT_EQ(parse_pages("2 MiB transparent")->front().transparent_percent, 100);
}

TEST(PagesGot, OtherTextIsNotRead) {
    for (const char* text : {"", "pages", "4", "4 KiB and", "4 KiB and 2 MiB", "2 MiB transparent (x % of the memory)",
                             "4 KiB and 2 MiB transparent (200 % of the memory)", "4 KiB; ", "0 B"})
        EXPECT_EQ(parse_pages(text), std::nullopt) << text;
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

} // namespace
} // namespace memtest

#include "memtest/result/run_description.hpp"

#include "memtest/base/units.hpp"
#include "memtest/result/description.hpp"
#include "support/test.hpp"

#include <cctype>

namespace memtest {
namespace {

using Pages = std::vector<PagesGot>;
using Caches = std::vector<ReportedCache>;

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

TEST(PagesGot, DifferBySize) {
    EXPECT_TRUE(pages_differ({small}, {{.page_bytes = 65536}}));
    EXPECT_TRUE(pages_differ({huge}, {{.transparent_page_bytes = 32 * mib, .transparent_percent = 100}}));
    EXPECT_FALSE(pages_differ({huge}, {{.transparent_page_bytes = 2 * mib, .transparent_percent = 100}}))
        << "the text does not say the size of pages that are not there";
}

TEST(PagesGot, DifferByMoreThanTenPointsOrByASizeThatBothState) {
    EXPECT_FALSE(pages_differ({mixed(40)}, {mixed(50)}));
    EXPECT_FALSE(pages_differ({mixed(1)}, {small})) << "although the words differ";
    EXPECT_FALSE(pages_differ({mixed(99)}, {huge}));
    EXPECT_TRUE(pages_differ({mixed(40)}, {mixed(50.5)}));
    EXPECT_TRUE(pages_differ({mixed(50.5)}, {mixed(40)}));
    EXPECT_FALSE(pages_differ({{.page_bytes = 0, .transparent_percent = 50}}, {mixed(50)}));
    EXPECT_TRUE(pages_differ({}, {small}));
    EXPECT_FALSE(pages_differ({}, {}));
    EXPECT_FALSE(pages_differ({small, huge}, {small, huge, huge})) << "more threads that load memory";
    EXPECT_TRUE(pages_differ({small, huge}, {small, huge, small}));
    EXPECT_TRUE(pages_differ({small, huge}, {huge, small}));
}

TEST(Arguments, AreQuotedWhereAShellWouldTakeThemApart) {
    for (char c = ' '; c <= '~'; ++c) {
        const bool is_plain =
            std::string("-_.,:=+/%@").find(c) != std::string::npos || std::isalnum(static_cast<unsigned char>(c)) != 0;
        const std::string word(1, c);
        EXPECT_EQ(text_of(std::vector{word}), is_plain ? word : c == '\'' ? "''\\'''" : "'" + word + "'");
    }
    EXPECT_EQ(text_of(std::vector<std::string>{"-s", "", "a b"}), "-s '' 'a b'");
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

} // namespace
} // namespace memtest

#include "memtest/report/description.hpp"
#include "memtest/report/run_description.hpp"

#include "memtest/base/units.hpp"
#include "memtest/report/run_description.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
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

TEST(PagesGot, DifferByMoreThanTenPointsOrByASizeThatBothState) {
    EXPECT_FALSE(pages_differ({mixed(40)}, {mixed(50)}));
    EXPECT_TRUE(pages_differ({mixed(40)}, {mixed(50.5)}));
    EXPECT_TRUE(pages_differ({mixed(50.5)}, {mixed(40)}));
    EXPECT_FALSE(pages_differ({{.page_bytes = 0, .transparent_percent = 50}}, {mixed(50)}));
    EXPECT_TRUE(pages_differ({}, {small}));
    EXPECT_FALSE(pages_differ({}, {}));
    EXPECT_TRUE(pages_differ({small, small}, {small, small, small}));
}

TEST(PagesGot, OfAnyShareAreRead) {
    for (const int percent : {0, 1, 99, 100})
        EXPECT_EQ(parsed<Pages>(fmt::format("4 KiB and 2 MiB transparent ({} % of the memory)", percent)),
                  Pages{mixed(percent)});
    for (const char* percent : {"-1", "100.5", "x"})
        EXPECT_EQ(parsed<Pages>(fmt::format("4 KiB and 2 MiB transparent ({} % of the memory)", percent)),
                  std::nullopt);
}

TEST(Warmups, AreReadBackAndNothingElse) {
    for (const Warmup& warmup : {Warmup{.laps = 3}, Warmup{.laps = 0, .most_ms = 10}})
        EXPECT_EQ(parsed<Warmup>(text_of(warmup)), warmup);
    for (const char* text : {"", "x", "3 ms", "3, at most", "3, at most x ms", "3, at most 10", "3, at most 10 s"})
        EXPECT_EQ(parsed<Warmup>(text), std::nullopt) << text;
}

TEST(RunEnds, AreReadBackAndNothingElse) {
    for (const RunEnd& end : {RunEnd{20, 41, true, false}, RunEnd{41, 41, false, true}, RunEnd{0, 7, true, true}})
        EXPECT_EQ(parsed<RunEnd>(text_of(end)), end) << text_of(end);
    EXPECT_EQ(text_of(RunEnd{20, 41, true, true}), "20 of 41 rows, interrupted");
    for (const char* text : {"", "20", "20 of", "20 of x sizes", "x of 41 sizes", "20 of 41", "20 of 41 lines",
                             "20 of 41 sizes,", "20 of 41 rows, interrupted, twice"})
        EXPECT_EQ(parsed<RunEnd>(text), std::nullopt) << text;
}

TEST(NodesUsed, AreVerifiedOnlyWhereTheTextSaysSo) {
    EXPECT_EQ(parsed<NodesUsed>("1,0 (verified)"), (NodesUsed{.ids = {1, 0}, .verified = true}));
    EXPECT_EQ(parsed<NodesUsed>("1,0 (not verified)"), (NodesUsed{.ids = {1, 0}}));
    EXPECT_EQ(parsed<NodesUsed>("1"), NodesUsed{.ids = {1}});
    EXPECT_EQ(parsed<NodesUsed>("(verified)"), std::nullopt);
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

TEST(LargestSizes, SayWhatTheyWereLoweredFrom) {
    EXPECT_EQ(text_of(LargestSize{.bytes = 64 * mib}), "64 MiB");
    EXPECT_EQ(text_of(LargestSize{.bytes = 64 * mib, .lowered_from_bytes = 128 * mib, .available_bytes = 96 * mib}),
              "lowered from 128 MiB to 64 MiB: 96 MiB are available");
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
    EXPECT_EQ(parsed<Caches>("L9 1 MiB shared by 1"), (Caches{{.level = 9, .size_bytes = mib}}));
    for (const char* text : {"L10 1 MiB", "M2 1 MiB", "L2 1 MiB shared by 0", "L2 1 MiB shared by x"})
        EXPECT_EQ(parsed<Caches>(text), std::nullopt) << text;
}

} // namespace
} // namespace memtest

#include "memtest/measure/page_probe.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace memtest {
namespace {

PageProbePlan small_plan() {
    return {.units = {.page_bytes = base_page_bytes(), .base_page_bytes = base_page_bytes(), .line_bytes = 64},
            .most_pages = 128};
}

TEST(PageProbe, MeasuresAnyNumberOfPagesInAnyOrder) {
    const std::atomic<bool> interrupted{false};
    PageProbe probe(small_plan(), SystemFiles(), interrupted);
    for (const std::size_t pages : {128U, 4U, 1U, 65U, 128U}) {
        for (const Layout first : {Layout::spread, Layout::packed}) {
            const auto round = probe.measure(pages, first);
            ASSERT_TRUE(round.has_value());
            EXPECT_GT(round->spread_ns, 0);
            EXPECT_GT(round->packed_ns, 0);
        }
    }
}

TEST(PageProbe, TakesUnitsLargerThanThePagesOfTheMemory) {
    const std::atomic<bool> interrupted{false};
    PageProbePlan plan = small_plan();
    plan.units.page_bytes = 4 * base_page_bytes();
    plan.units.line_bytes = 128;
    PageProbe probe(plan, SystemFiles(), interrupted);
    EXPECT_TRUE(probe.measure(plan.most_pages, Layout::spread).has_value());
}

TEST(PageProbe, GivesNothingOnceInterrupted) {
    std::atomic<bool> interrupted{false};
    PageProbe probe(small_plan(), SystemFiles(), interrupted);
    interrupted = true;
    EXPECT_FALSE(probe.measure(4, Layout::spread).has_value());
}

TEST(PageProbe, SaysWhatPagesItGotAndAtWhatClockItRuns) {
    const std::atomic<bool> interrupted{false};
    PageProbe probe(small_plan(), SystemFiles(), interrupted);
    const ThreadFacts facts = probe.facts(SystemFiles());
    EXPECT_EQ(facts.pages.page_bytes, base_page_bytes());
    EXPECT_EQ(facts.pages.transparent_bytes.value_or(0), 0U);
    EXPECT_GT(facts.core_ghz, 0);
}

TEST(PageProbe, ItsMemoryHoldsBothLayoutsSideBySide) {
    const PageProbePlan plan{.units = {.page_bytes = 4096, .base_page_bytes = 4096, .line_bytes = 64},
                             .most_pages = 100};
    constexpr std::size_t spread = 102; // whole pages: a page and a line for each of 100
    EXPECT_EQ(memory_bytes_for(plan), spread * 4096 + std::size_t{100} * 64);
}

} // namespace
} // namespace memtest

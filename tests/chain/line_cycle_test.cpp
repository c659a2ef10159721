#include "memtest/chain/line_cycle.hpp"

#include "memtest/chain/chains.hpp"

#include "support/area.hpp"
#include "support/test.hpp"

#include <random>

namespace memtest {
namespace {

using Start = Segments::Start;

TEST(LinesOfProperty, AreSegmentsOfTheStrideWithoutACommonLine) {
    std::mt19937_64 random(21);
    for (int round = 0; round < 500; ++round) {
        Segments segments{.count = 1 + random() % 20, .lines = 1 + random() % 30};
        const std::size_t stride = 1 + random() % 40;
        segments.stride_lines = static_cast<std::ptrdiff_t>(stride) * (random() % 2 == 0 ? 1 : -1);
        segments.start = std::array{Start::anywhere, Start::even_line, Start::odd_line}.at(random() % 3);
        const std::size_t memory = segments.count * ((segments.lines - 1) * stride + 3 + random() % 50);
        const auto lines = lines_of(segments, memory, random());
        ASSERT_EQ(lines.size(), segments.count * segments.lines);
        ASSERT_EQ(std::set(lines.begin(), lines.end()).size(), lines.size());
        ASSERT_LT(std::ranges::max(lines), memory);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (i % segments.lines > 0) {
                ASSERT_EQ(static_cast<std::ptrdiff_t>(lines[i]) - static_cast<std::ptrdiff_t>(lines[i - 1]),
                          segments.stride_lines);
            } else if (segments.start != Start::anywhere) {
                ASSERT_EQ(lines[i] % 2, segments.start == Start::odd_line ? 1U : 0U);
            }
        }
    }
}

TEST(LinesOf, DifferFromSeedToSeedAndLieAllOverTheMemoryInAnyOrder) {
    const Segments segments{.count = 64};
    const auto lines = lines_of(segments, 6400, 1);
    EXPECT_EQ(lines_of(segments, 6400, 1), lines);
    EXPECT_NE(lines_of(segments, 6400, 2), lines);
    EXPECT_FALSE(std::ranges::is_sorted(lines));
    EXPECT_LT(std::ranges::min(lines), 100U);
    EXPECT_GE(std::ranges::max(lines), 6300U);
    std::set<std::size_t> places;
    for (const std::size_t line : lines)
        places.insert(line % 100);
    EXPECT_GT(places.size(), 20U) << "at any line of their part";
}

TEST(LineCycle, VisitsTheLinesInOrderAndThenTheFirstAgain) {
    constexpr std::size_t line_bytes = 64;
    const std::vector<std::size_t> lines{5, 0, 9, 3};
    for (const Link link : {Link::pointer, Link::index}) {
        Area area(10 * line_bytes);
        LineCycle cycle(area.memory(), line_bytes, lines, link);
        std::set<std::size_t> written;
        for (std::size_t line = 0; line < 10; ++line) {
            if (area.memory()[line * line_bytes] != std::byte{0xa5} ||
                area.memory()[line * line_bytes + 7] != std::byte{0xa5})
                written.insert(line);
        }
        EXPECT_EQ(written, (std::set<std::size_t>{0, 3, 5, 9}));
        EXPECT_EQ(cycle.flush(), can_flush_lines());
        const auto link_to = [&](std::size_t line) {
            const auto base = reinterpret_cast<std::uintptr_t>(area.memory().data());
            return (link == Link::pointer ? base : 0) + line * line_bytes;
        };
        std::size_t walked = 0;
        for (const std::size_t hops : {0U, 1U, 1U, 1U, 62U, 63U, 64U, 65U, 1000U}) { // it takes at most 63 at once
            walked += hops;
            EXPECT_EQ(cycle.walk(hops), link_to(lines[walked % lines.size()])) << hops;
        }
    }
}

TEST(LineCycleDeathTest, WithoutALineOrWithOneBehindTheMemoryIsAnError) {
    EXPECT_DEATH(static_cast<void>(lines_of({.count = 1, .lines = 0}, 10, 1)), "violated");
    EXPECT_DEATH(static_cast<void>(lines_of({.count = 2, .lines = 4}, 9, 1)), "violated");
    EXPECT_EQ(lines_of({.count = 2, .lines = 3}, 9, 1).size(), 6U);
    Area area(128);
    for (const std::vector<std::size_t>& lines : {std::vector<std::size_t>{}, {0, 2}})
        EXPECT_DEATH(LineCycle(area.memory(), 64, lines, Link::index), "violated");
    EXPECT_EQ(LineCycle(area.memory(), 64, std::vector<std::size_t>{1, 0}, Link::index).walk(1), 0U);
}

} // namespace
} // namespace memtest

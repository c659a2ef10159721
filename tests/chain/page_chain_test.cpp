#include "memtest/chain/page_chain.hpp"

#include "support/area.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace memtest {
namespace {

/// The places that one lap of the walk visits, in bytes behind the start of the memory.
std::vector<std::size_t> places_of_lap(Layout layout, std::size_t lines, const PageUnits& units,
                                       std::uint64_t seed = 1) {
    Area area(page_chain_bytes(layout, lines, units));
    Chains chain(area.memory(), page_chain_shape(layout, units, seed));
    EXPECT_TRUE(chain.grow_to(page_chain_bytes(layout, lines, units)));
    EXPECT_TRUE(chain.proven());
    const auto start = reinterpret_cast<std::uintptr_t>(area.memory().data());
    std::vector<std::size_t> places;
    for (std::size_t hop = 0; hop < lines; ++hop) {
        places.push_back(chain.position(0) - start);
        EXPECT_EQ(chain.walk(1), 1U);
    }
    EXPECT_EQ(chain.position(0), start + places.front()) << "a lap ends where it began";
    return places;
}

std::map<std::size_t, std::size_t> count_by(const std::vector<std::size_t>& places, std::size_t unit,
                                            std::size_t modulus) {
    std::map<std::size_t, std::size_t> count;
    for (const std::size_t place : places)
        ++count[place / unit % modulus];
    return count;
}

std::set<std::size_t> pages_of(const std::vector<std::size_t>& places, std::size_t page_bytes) {
    std::set<std::size_t> pages;
    for (const std::size_t place : places)
        pages.insert(place / page_bytes);
    return pages;
}

constexpr PageUnits small{};
constexpr PageUnits medium{.page_bytes = 16384, .base_page_bytes = 16384, .line_bytes = 128};

TEST(PageChain, SpreadHasEveryLineInAPageOfItsOwn) {
    for (const PageUnits& units : {small, medium}) {
        for (const std::size_t lines : {1U, 2U, 63U, 64U, 65U, 128U, 129U, 1000U})
            EXPECT_EQ(pages_of(places_of_lap(Layout::spread, lines, units), units.page_bytes).size(), lines);
    }
}

TEST(PageChain, InHugePagesSpreadUsesEverySetOfATlbOfSmallOnesAlike) {
    // For processors that hold huge pages in pieces, and so that no two lines lie in the same place of theirs.
    constexpr std::size_t base = 4096;
    const PageUnits huge{.page_bytes = 16 * base, .base_page_bytes = base, .line_bytes = 64};
    const auto in_set = count_by(places_of_lap(Layout::spread, 64, huge), base, 16);
    EXPECT_EQ(in_set.size(), 16U);
    for (const auto& [set, count] : in_set)
        EXPECT_GE(count, 3U) << "set " << set;
}

TEST(PageChain, SpreadUsesEverySetOfTheCachesAlike) {
    for (const PageUnits& units : {small, medium}) {
        const std::size_t sets = units.page_bytes / units.line_bytes;
        const auto in_set = count_by(places_of_lap(Layout::spread, 3 * sets, units), units.line_bytes, sets);
        EXPECT_EQ(in_set.size(), sets);
        for (const auto& [set, count] : in_set)
            EXPECT_EQ(count, 3U) << "set " << set;
    }
}

TEST(PageChain, SpreadUsesEverySetOfATlbAlike) {
    for (const std::size_t sets : {1U, 4U, 16U, 32U}) {
        for (const auto& [set, count] : count_by(places_of_lap(Layout::spread, 4 * sets, small), 4096, sets))
            EXPECT_EQ(count, 4U) << "set " << set << " of " << sets;
    }
}

TEST(PageChain, PackedHasAsManyLinesSideBySide) {
    for (const PageUnits& units : {small, medium}) {
        for (const std::size_t lines : {1U, 2U, 64U, 65U, 5000U}) {
            std::vector<std::size_t> places = places_of_lap(Layout::packed, lines, units);
            std::ranges::sort(places);
            for (std::size_t i = 0; i < lines; ++i)
                EXPECT_EQ(places[i], i * units.line_bytes);
        }
    }
}

/// How often a lap leaves one block for another.
std::size_t changes_of_block(const std::vector<std::size_t>& places, std::size_t block_bytes) {
    std::size_t changes = 0;
    for (std::size_t i = 0; i < places.size(); ++i)
        changes += places[i] / block_bytes != places[(i + 1) % places.size()] / block_bytes ? 1U : 0U;
    return changes;
}

TEST(PageChain, PackedStaysInABlockOfSixteenBasePages) {
    EXPECT_EQ(changes_of_block(places_of_lap(Layout::packed, 5000, small), std::size_t{16} * 4096), 5U);
    EXPECT_EQ(changes_of_block(places_of_lap(Layout::packed, 5000, medium), std::size_t{16} * 16384), 3U);
    const PageUnits huge{.page_bytes = std::size_t{2} << 20U, .base_page_bytes = 4096, .line_bytes = 64};
    EXPECT_EQ(changes_of_block(places_of_lap(Layout::packed, 5000, huge), std::size_t{16} * 4096), 5U)
        << "huge pages may be small ones underneath";
}

TEST(PageChain, VisitsTheLinesInAnOrderThatDependsOnTheSeedAlone) {
    for (const Layout layout : {Layout::spread, Layout::packed}) {
        EXPECT_EQ(places_of_lap(layout, 100, small, 7), places_of_lap(layout, 100, small, 7));
        EXPECT_NE(places_of_lap(layout, 100, small, 7), places_of_lap(layout, 100, small, 8));
        auto places = places_of_lap(layout, 100, small, 7);
        EXPECT_FALSE(std::ranges::is_sorted(places));
    }
}

} // namespace
} // namespace memtest

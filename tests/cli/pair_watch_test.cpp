#include "memtest/cli/pair_watch.hpp"

#include "support/until.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace memtest {
namespace {

TEST(PairsToWatch, AreAllOfFourProcessorsAndSomeOfMore) {
    EXPECT_TRUE(pairs_to_watch({3}).empty());
    const auto of_four = pairs_to_watch({0, 1, 4, 5});
    EXPECT_EQ(of_four.size(), 6U);
    EXPECT_EQ(of_four.back().reader, 4);
    EXPECT_EQ(of_four.back().owner, 5);
    std::vector<int> many(64);
    for (std::size_t i = 0; i < many.size(); ++i)
        many[i] = static_cast<int>(i);
    std::set<int> readers;
    const auto of_many = pairs_to_watch(many);
    EXPECT_EQ(of_many.size(), 8U);
    for (const TransferPlan& pair : of_many) {
        EXPECT_NE(pair.reader, pair.owner);
        readers.insert(pair.reader / 8);
    }
    EXPECT_EQ(readers.size(), 8U) << "from all over";
    EXPECT_EQ(pairs_to_watch({0, 1, 2, 3, 4}).size(), 8U);
}

/// A hypervisor that swaps two placements with each look, or never.
PairWatch::Time fake_time(std::size_t& measured, bool moves) {
    return [&measured, moves](const TransferPlan& pair) {
        const bool swapped = moves && measured++ / 6 % 2 == 1;
        const bool is_near = (pair.reader + pair.owner) % 4 == (swapped ? 1 : 3);
        return std::optional(is_near ? 4.0 : 25.0);
    };
}

TEST(PairWatch, SeesThatTheHypervisorMovesProcessorsAndElseNothing) {
    for (const bool moves : {true, false}) {
        std::size_t measured = 0;
        PairWatch watch(pairs_to_watch({0, 1, 2, 3}), fake_time(measured, moves));
        watch.look();
        watch.look();
        EXPECT_EQ(watch.pairs(), 6U);
        EXPECT_EQ(watch.moved().has_value(), moves);
        if (moves) {
            EXPECT_EQ(watch.moved()->changed.size(), 4U);
        }
    }
}

TEST(PairWatch, MeasuresFewerPairsWhereEachTakesLong) {
    std::size_t measured = 0;
    PairWatch watch(pairs_to_watch({0, 1, 2, 3}), [&](const TransferPlan&) {
        ++measured;
        std::this_thread::sleep_for(std::chrono::milliseconds(130));
        return std::optional(25.0);
    });
    watch.look();
    EXPECT_EQ(measured, 2U);
    EXPECT_EQ(watch.pairs(), 1U);
}

TEST(PairWatch, OfWhatCannotBeMeasuredSeesNothing) {
    PairWatch watch(pairs_to_watch({0, 1}), [](const TransferPlan&) { return std::optional<double>(); });
    watch.look();
    EXPECT_EQ(watch.moved(), std::nullopt);
    const std::atomic<bool> interrupted{true};
    EXPECT_EQ(quick_transfer_ns({.pinned = false}, SystemFiles(), interrupted), std::nullopt);
    EXPECT_EQ(quick_transfer_ns({.owner = 1'000'000}, SystemFiles(), never_interrupted), std::nullopt);
    EXPECT_TRUE(until([] { return quick_transfer_ns({.pinned = false}, SystemFiles(), never_interrupted) > 0.0; }));
}

} // namespace
} // namespace memtest

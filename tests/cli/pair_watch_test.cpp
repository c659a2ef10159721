#include "memtest/cli/pair_watch.hpp"

#include "support/test.hpp"
#include "support/until.hpp"

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

namespace memtest {
namespace {

TEST(PairsToWatch, AreAllOfFourProcessorsAndSomeOfMore) {
    EXPECT_TRUE(pairs_to_watch({3}).empty());
    const auto of_four = pairs_to_watch({0, 1, 4, 5});
    EXPECT_EQ(of_four.size(), 6U);
    EXPECT_EQ(of_four.back().reader, 4);
    EXPECT_EQ(of_four.back().owner, 5);
    for (const int count : {5, 6, 7, 8, 64}) {
        std::vector<int> processors(static_cast<std::size_t>(count));
        std::iota(processors.begin(), processors.end(), 0);
        std::set<std::pair<int, int>> distinct;
        int farthest = 0;
        for (const TransferPlan& pair : pairs_to_watch(processors)) {
            EXPECT_LT(pair.reader, pair.owner);
            distinct.emplace(pair.reader, pair.owner);
            farthest = std::max(farthest, pair.owner - pair.reader);
        }
        EXPECT_EQ(distinct.size(), 8U) << "of " << count;
        EXPECT_GT(farthest, 2) << "not of neighbours alone";
    }
}

TEST(PairWatch, SeesThatTheHypervisorMovesProcessorsAndElseNothing) {
    for (const bool moves : {true, false}) {
        bool swapped = false;
        PairWatch watch(pairs_to_watch({0, 1, 2, 3}), [&](const TransferPlan& pair) {
            return std::optional((pair.reader + pair.owner) % 4 == (swapped ? 1 : 3) ? 4.0 : 25.0);
        });
        watch.look();
        swapped = moves;
        watch.look();
        EXPECT_EQ(watch.pairs(), 6U);
        EXPECT_EQ(watch.moved().size(), moves ? 4U : 0U);
    }
}

TEST(PairWatch, MeasuresAPairThatChangedAgainAtOnce) {
    for (const bool lasts : {true, false}) {
        int measured = 0;
        PairWatch watch(pairs_to_watch({0, 1}), [&](const TransferPlan&) {
            ++measured;
            return std::optional(measured == 3 || (lasts && measured > 3) ? 118.0 : 25.0);
        });
        watch.look();
        watch.look();
        EXPECT_EQ(measured, 5) << "two moments twice, and once again";
        EXPECT_EQ(watch.moved().size(), lasts ? 1U : 0U) << "else the transfer was disturbed";
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
    EXPECT_TRUE(watch.moved().empty());
    const std::atomic<bool> interrupted{true};
    EXPECT_EQ(quick_transfer_ns({.pinned = false}, SystemFiles(), interrupted), std::nullopt);
    EXPECT_EQ(quick_transfer_ns({.owner = 1'000'000}, SystemFiles(), never_interrupted), std::nullopt);
    EXPECT_TRUE(until([] { return quick_transfer_ns({.pinned = false}, SystemFiles(), never_interrupted) > 0.0; }));
}

} // namespace
} // namespace memtest

#include "memtest/measure/walk_plan.hpp"

#include "memtest/base/units.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t area = 64 * page;

/// In an area of 64 pages, unless another is given.
WalkPlan up_to(std::size_t largest_bytes, std::size_t area_bytes = area) {
    WalkPlan plan;
    plan.largest_bytes = largest_bytes;
    plan.area_bytes = area_bytes;
    return plan;
}

TEST(Places, AreWholePagesAndFitAtEverySize) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        const WalkPlan plan = up_to(area - seed % 64 * page);
        for (std::size_t bytes = 512; bytes <= plan.largest_bytes; bytes += 512) {
            const std::size_t place = place_of(bytes, plan, page, seed);
            EXPECT_EQ(place % page, 0U);
            EXPECT_LE(place + bytes, area);
        }
    }
}

TEST(Places, DifferFromSeedToSeedAllOverWhatLeavesRoom) {
    std::set<std::size_t> small;
    std::set<std::size_t> large;
    const WalkPlan plan = up_to(area - 3 * page);
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        small.insert(place_of(512, plan, page, seed));
        large.insert(place_of(plan.largest_bytes, plan, page, seed));
    }
    EXPECT_EQ(small.size(), 33U) << "0 to 32 pages in";
    EXPECT_EQ(*small.rbegin(), area / 2);
    EXPECT_EQ(large, (std::set<std::size_t>{0, page, 2 * page, 3 * page}));
}

TEST(Places, StayFromSizeToSizeSoThatAChainCanGrow) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        EXPECT_EQ(place_of(512, up_to(area), page, seed), place_of(area / 2, up_to(area), page, seed));
        EXPECT_EQ(place_of(area / 2 + page, up_to(area), page, seed), place_of(area, up_to(area), page, seed));
    }
}

TEST(Places, BeginAnewEarlyInALargeAreaSoThatLittleIsLinkedTwice) {
    const WalkPlan plan = up_to(1024 * mib, 1024 * mib);
    bool moves_far = false;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        EXPECT_EQ(place_of(512, plan, page, seed), place_of(128 * mib, plan, page, seed));
        EXPECT_EQ(place_of(129 * mib, plan, page, seed), 0U);
        moves_far = moves_far || place_of(512, plan, page, seed) > 512 * mib;
    }
    EXPECT_TRUE(moves_far);
    const WalkPlan middling = up_to(256 * mib, 256 * mib);
    EXPECT_EQ(place_of(512, middling, page, 7), place_of(64 * mib, middling, page, 7)) << "a cache of 64 MiB is small";
}

TEST(Places, WithoutRoomAreTheStartOfTheArea) {
    EXPECT_EQ(place_of(512, up_to(area), area, 7), 0U);
    EXPECT_EQ(place_of(area, up_to(area), area, 7), 0U);
}

TEST(KeptFrom, AsManyOfTheLargestSizesAsALineHasWordsBesideTheFirst) {
    const std::vector<std::size_t> sizes{1, 2, 3, 4, 5, 6, 7, 8, 9};
    EXPECT_EQ(kept_from(sizes, {.order = Order::random, .line_bytes = 64}), 3U);
    EXPECT_EQ(kept_from(sizes, {.order = Order::random, .line_bytes = 16}), 9U);
    EXPECT_EQ(kept_from(sizes, {.order = Order::random, .line_bytes = 128}), 1U);
    EXPECT_EQ(kept_from(sizes, {.order = Order::random, .line_bytes = 8}), WalkPlan::no_size);
    EXPECT_EQ(kept_from(sizes, {.order = Order::backward, .line_bytes = 64}), WalkPlan::no_size);
}

TEST(KeptFrom, NoneWhereLinesDoNotDividePages) {
    EXPECT_EQ(kept_from({1, 2, 3}, {.order = Order::random, .line_bytes = 192}), WalkPlan::no_size);
    EXPECT_EQ(kept_from({1, 2, 3}, {.order = Order::random, .line_bytes = 8192}), WalkPlan::no_size);
    EXPECT_EQ(kept_from({1, 2, 3}, {.order = Order::random, .line_bytes = page}), 1U) << "the smallest page";
}

TEST(KeptFrom, WithSeveralOrdersTheSizesThatOneIsEnoughForAndASingleOne) {
    const ChainShape shape{.order = Order::random, .orders = 7};
    EXPECT_EQ(kept_from({mib, 256 * mib, 384 * mib, 512 * mib}, shape), 512 * mib) << "in the last word";
    ChainShape few = shape;
    few.orders = 4;
    EXPECT_EQ(kept_from({mib, 256 * mib, 384 * mib, 512 * mib}, few), 384 * mib);
    EXPECT_EQ(kept_from({mib, 256 * mib}, few), WalkPlan::no_size);
    few.orders = 8;
    EXPECT_EQ(kept_from({mib, 512 * mib}, few), WalkPlan::no_size) << "no word is left";
    EXPECT_EQ(kept_from({mib}, shape), mib);
    EXPECT_EQ(kept_from({mib}, {.order = Order::random, .orders = 2}), mib) << "no chain grows beside it";
}

TEST(LinkPlan, WithSeveralOrdersKeepsChainsInTheWordsAfterThem) {
    WalkPlan plan = up_to(1024 * mib, 1280 * mib);
    plan.shape = {.order = Order::random, .orders = 5};
    plan.kept_from_bytes = 384 * mib;
    const ChainShape small = plan_links(plan, 0, page, mib, 0, {}).shape;
    EXPECT_EQ(small.word, 0U);
    EXPECT_EQ(small.orders, 5U);
    for (const std::size_t kept : {0U, 1U, 2U}) {
        const ChainShape large = plan_links(plan, 0, page, 512 * mib, 0, {.kept_sizes = kept}).shape;
        EXPECT_EQ(large.word, 5 + kept);
        EXPECT_EQ(large.orders, 1U);
    }
    plan.largest_bytes = 256 * mib;
    plan.kept_from_bytes = 256 * mib;
    const ChainShape only = plan_links(plan, 0, page, 256 * mib, 0, {}).shape;
    EXPECT_EQ(only.orders, 5U);
    EXPECT_EQ(only.word, 0U);
}

/// Sizes up to 1 GiB, those from 384 MiB on linked once.
WalkPlan large_plan(Order order = Order::random) {
    WalkPlan plan = up_to(1024 * mib, 1280 * mib);
    plan.shape.order = order;
    plan.kept_from_bytes = 384 * mib;
    return plan;
}

LinkPlan links(std::size_t bytes, unsigned round = 0, const LinkedChains& linked = {}, std::uint64_t thread = 0) {
    return plan_links(large_plan(), thread, page, bytes, round, linked);
}

LinkedChains grown(const LinkPlan& before, std::size_t bytes, unsigned round) {
    return {.grown = LinkedChains::Grown{.round = round, .place = before.place, .bytes = bytes}};
}

TEST(LinkPlan, BeginsWhereNothingIsLinked) {
    for (const std::size_t bytes : {mib, 200 * mib, 512 * mib})
        EXPECT_TRUE(links(bytes).is_new);
}

TEST(LinkPlan, GrowsWithinARoundAndAPlaceAlone) {
    const LinkPlan small = links(mib);
    EXPECT_FALSE(small.is_kept);
    EXPECT_FALSE(links(2 * mib, 0, grown(small, mib, 0)).is_new);
    EXPECT_TRUE(links(2 * mib, 1, grown(small, mib, 0)).is_new) << "another round";
    EXPECT_TRUE(links(200 * mib, 0, grown(small, mib, 0)).is_new) << "at the place of large sizes";
    EXPECT_FALSE(links(201 * mib, 0, grown(links(200 * mib), 200 * mib, 0)).is_new);
}

TEST(LinkPlan, KeepsLargeSizesFromTheOneNamedOnAtOnePlace) {
    EXPECT_FALSE(links(384 * mib - 64).is_kept);
    EXPECT_TRUE(links(384 * mib).is_kept);
    WalkPlan plan = large_plan();
    plan.kept_from_bytes = mib;
    EXPECT_FALSE(plan_links(plan, 0, page, 128 * mib, 0, {}).is_kept) << "small sizes move all over the area";
    for (unsigned round = 1; round < 8; ++round) {
        const LinkPlan again = links(512 * mib, round, {.has_kept = true, .kept_sizes = 1});
        EXPECT_FALSE(again.is_new);
        EXPECT_EQ(again.place, links(512 * mib).place);
    }
}

TEST(LinkPlan, GivesEachKeptSizeAWordAndAnOrderOfItsOwn) {
    std::set<std::size_t> words{links(mib).shape.word};
    std::set<std::uint64_t> seeds;
    for (std::size_t kept = 0; kept < 7; ++kept) {
        const ChainShape shape = links(512 * mib, 0, {.kept_sizes = kept}).shape;
        EXPECT_LT(shape.word, shape.line_bytes / sizeof(std::uintptr_t));
        words.insert(shape.word);
        seeds.insert(shape.seed);
    }
    EXPECT_EQ(words.size(), 8U) << "none in that of the chains that grow";
    EXPECT_EQ(seeds.size(), 7U);
}

TEST(LinkPlan, GivesEachRoundAndThreadAnOrderOfItsOwn) {
    std::set<std::uint64_t> seeds;
    for (std::uint64_t thread = 0; thread < 4; ++thread) {
        for (unsigned round = 0; round < 4; ++round)
            seeds.insert(links(mib, round, {}, thread).shape.seed);
        seeds.insert(links(512 * mib, 0, {}, thread).shape.seed);
    }
    EXPECT_EQ(seeds.size(), 20U);
}

TEST(LinkPlan, LeavesAChainUnflushedWhereItIsLargeAndNoLineOfItIsNew) {
    const LinkedChains kept{.has_kept = true, .kept_sizes = 1};
    EXPECT_FALSE(links(512 * mib, 1, kept).flushes);
    EXPECT_TRUE(links(512 * mib).flushes) << "linked just now";
    const LinkPlan large = links(300 * mib);
    EXPECT_FALSE(links(300 * mib, 0, grown(large, 300 * mib, 0)).flushes);
    EXPECT_TRUE(links(300 * mib, 0, grown(large, 299 * mib, 0)).flushes) << "a MiB is linked just now";
    EXPECT_TRUE(links(300 * mib, 1, grown(large, 300 * mib, 0)).flushes) << "another round links it anew";
    EXPECT_TRUE(links(256 * mib, 0, grown(large, 256 * mib, 0)).flushes) << "caches may hold some of it";
}

constexpr std::uint64_t lap = std::uint64_t{1} << 20U;
constexpr ClockQuality fine_clock{.cost_ns = 20, .resolution_ns = 20};

BatchPlan batches(const WalkPlan& plan, const TimingPlan& left, double ns_per_access = 10) {
    return plan_batches(plan, lap, ns_per_access, left, fine_clock);
}

TEST(BatchPlan, OfARandomOrderAndOfAColdStartIsAsShortAsTheClockAllows) {
    for (const TimingPlan& left : {TimingPlan{.accesses = 10 * lap}, TimingPlan{.accesses = 1000},
                                   TimingPlan{.accesses = 10 * lap, .precision_percent = 2}}) {
        const BatchPlan shortest{.shortest = shortest_batch(left, 100, fine_clock)};
        EXPECT_EQ(batches(large_plan(), left, 100), shortest);
        WalkPlan cold = large_plan(Order::backward);
        cold.warmup_laps = 0;
        EXPECT_EQ(batches(cold, left, 100), shortest);
    }
}

TEST(BatchPlan, OfAStrideOrderIsWholeLaps) {
    for (const Order order : {Order::backward, Order::forward}) {
        EXPECT_EQ(batches(large_plan(order), {.accesses = lap}), (BatchPlan{.shortest = lap}));
        EXPECT_EQ(batches(large_plan(order), {.accesses = 10 * lap}, 0.01), (BatchPlan{.shortest = 2 * lap}))
            << "of 10 us, and a batch takes 20";
    }
}

TEST(BatchPlan, WithFewerAccessesThanALapIsMadeUpOfParts) {
    const WalkPlan plan = large_plan(Order::backward);
    EXPECT_EQ(batches(plan, {.accesses = lap - 1}), (BatchPlan{.shortest = 2000, .part_accesses = 1024}));
    EXPECT_EQ(batches(plan, {.accesses = 4 * lap - 1, .visits = 4}).part_accesses, 1024U) << "in each visit";
    EXPECT_EQ(batches(plan, {.accesses = 4 * lap, .visits = 4}).part_accesses, 0U);
    EXPECT_EQ(batches(plan, {.accesses = lap, .visits = 0}).part_accesses, 0U);
}

TEST(BatchPlan, WithAPrecisionIsMadeUpOfManyPartsOfALapThatTakesLong) {
    const WalkPlan plan = large_plan(Order::backward);
    const TimingPlan precise{.accesses = 10 * lap, .precision_percent = 2};
    EXPECT_EQ(batches(plan, precise, 61), (BatchPlan{.shortest = lap})) << "of 64 ms";
    EXPECT_EQ(batches(plan, precise, 62), (BatchPlan{.shortest = 64 * 1024, .part_accesses = 1024}));
    EXPECT_EQ(batches(plan, {.accesses = 10 * lap}, 62), (BatchPlan{.shortest = lap})) << "without a precision";
}

TEST(BatchPlan, APartIsAsManyHopsOfEachOfSeveralChains) {
    WalkPlan plan = large_plan(Order::backward);
    plan.shape.parallel = 4;
    EXPECT_EQ(batches(plan, {.accesses = 1000}).part_accesses, 4096U);
}

TEST(Placements, ShareOutProcessorsNodesAndTheFile) {
    TeamPlan plan;
    plan.processors = {3, 5};
    EXPECT_EQ(placement_of(plan, 1).processor, 5);
    EXPECT_EQ(placement_of(plan, 1).number, 1U);
    EXPECT_EQ(placement_of(plan, 1).node, std::nullopt);
    EXPECT_FALSE(placement_of(plan, 1).file);
    plan.nodes = {0, 2};
    plan.pinned = false;
    plan.memory_file = MappedFile{.bytes = 3 * page, .page_bytes = page};
    EXPECT_EQ(placement_of(plan, 1).processor, std::nullopt);
    EXPECT_EQ(placement_of(plan, 1).node, 2);
    EXPECT_EQ(placement_of(plan, 1).file->offset, page) << "of whole pages";
}

} // namespace
} // namespace memtest

#include "memtest/insight/core_groups.hpp"

#include "support/test.hpp"

namespace memtest {
namespace {

using Groups = std::vector<std::vector<int>>;

/// Latencies of a cluster's cores and of two clusters, each with some spread that depends on the pair.
double spread(double ns, int reader, int owner) {
    return ns * (1 + 0.02 * ((reader * 7 + owner * 3) % 5));
}

/// Clusters of `size` neighbouring processors, in packages of `clusters_per_package`.
std::vector<CorePair> machine(int clusters, int size, int clusters_per_package) {
    std::vector<CorePair> pairs;
    for (int owner = 0; owner < clusters * size; ++owner) {
        for (int reader = 0; reader < owner; ++reader) {
            const bool same_cluster = reader / size == owner / size;
            const bool same_package = reader / size / clusters_per_package == owner / size / clusters_per_package;
            pairs.push_back({.reader = reader,
                             .owner = owner,
                             .latency_ns = spread(same_cluster   ? 20
                                                  : same_package ? 90
                                                                 : 210,
                                                  reader, owner),
                             .relation = same_cluster   ? Relation::same_last_cache
                                         : same_package ? Relation::same_package
                                                        : Relation::different_packages});
        }
    }
    return pairs;
}

CorePair& pair_of(std::vector<CorePair>& pairs, int reader, int owner) {
    for (CorePair& pair : pairs) {
        if (pair.reader == reader && pair.owner == owner)
            return pair;
    }
    ADD_FAILURE() << "there is no such pair";
    return pairs.front();
}

TEST(CoreGroups, EightClustersOfTwoAreEightGroups) {
    const auto partings = group_cores(machine(8, 2, 8));
    ASSERT_EQ(partings.size(), 1U);
    EXPECT_EQ(partings[0].groups, (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}, {12, 13}, {14, 15}}));
    EXPECT_GE(partings[0].within_ns.first, 20);
    EXPECT_LE(partings[0].within_ns.second, 21.6);
    EXPECT_GE(partings[0].between_ns.first, 90);
    EXPECT_LE(partings[0].between_ns.second, 97.2);
}

TEST(CoreGroups, PackagesOfClustersArePartedTwice) {
    const auto partings = group_cores(machine(4, 2, 2));
    ASSERT_EQ(partings.size(), 2U);
    EXPECT_EQ(partings[0].groups, (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
    EXPECT_EQ(partings[1].groups, (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
    EXPECT_LE(partings[1].within_ns.first, 21.6) << "the nearest are within the package, too";
}

TEST(CoreGroups, AMeshIsNotParted) {
    std::vector<CorePair> pairs;
    for (int owner = 0; owner < 16; ++owner) {
        for (int reader = 0; reader < owner; ++reader)
            pairs.push_back({.reader = reader, .owner = owner, .latency_ns = 40.0 + 3.0 * (owner - reader)});
    }
    EXPECT_TRUE(group_cores(pairs).empty());
}

TEST(CoreGroups, AGapThatPartsNoProcessorsMakesNoGroups) {
    // 0 is near 1 and 1 is near 2, but 0 is far from 2: that is a row, not two groups.
    EXPECT_TRUE(group_cores({{.reader = 0, .owner = 1, .latency_ns = 20},
                             {.reader = 1, .owner = 2, .latency_ns = 20},
                             {.reader = 0, .owner = 2, .latency_ns = 90}})
                    .empty());
}

TEST(CoreGroups, AProcessorNearNoOtherIsAGroupOfItsOwn) {
    const auto partings = group_cores({{.reader = 0, .owner = 1, .latency_ns = 20},
                                       {.reader = 1, .owner = 2, .latency_ns = 95},
                                       {.reader = 0, .owner = 2, .latency_ns = 90}});
    ASSERT_EQ(partings.size(), 1U);
    EXPECT_EQ(partings[0].groups, (Groups{{0, 1}, {2}}));
}

TEST(CoreGroups, AGapIsThatToTheFarthestOfTheNear) {
    std::vector<CorePair> pairs{{.reader = 0, .owner = 1, .latency_ns = 20},
                                {.reader = 2, .owner = 3, .latency_ns = 29}};
    for (const auto& [reader, owner] : {std::pair(0, 2), {0, 3}, {1, 2}, {1, 3}})
        pairs.push_back({.reader = reader, .owner = owner, .latency_ns = 43});
    EXPECT_TRUE(group_cores(pairs).empty());
    for (CorePair& pair : pairs)
        pair.latency_ns = pair.latency_ns == 43 ? 44 : pair.latency_ns;
    EXPECT_EQ(group_cores(pairs).size(), 1U);
}

TEST(CoreGroups, AGapIsHalfAsMuchAgain) {
    const auto partings = [](double far_ns) {
        return group_cores({{.reader = 0, .owner = 1, .latency_ns = 20},
                            {.reader = 1, .owner = 2, .latency_ns = far_ns},
                            {.reader = 0, .owner = 2, .latency_ns = far_ns}})
            .size();
    };
    EXPECT_EQ(partings(30), 1U);
    EXPECT_EQ(partings(29.9), 0U);
}

TEST(CoreGroups, OnePairAndNoneHaveNoGap) {
    EXPECT_TRUE(group_cores({{.reader = 0, .owner = 1, .latency_ns = 118}}).empty());
    EXPECT_TRUE(group_cores({}).empty());
}

TEST(Contradictions, ThereAreNoneOnAMachineThatIsWhatItSays) {
    EXPECT_TRUE(contradictions_of(machine(8, 2, 8)).empty());
    EXPECT_TRUE(contradictions_of(machine(4, 2, 2)).empty());
}

TEST(Contradictions, PairsThatAreNotWhereTheyAreSaidToBeDoOncePerRelation) {
    auto pairs = machine(8, 2, 8);
    pair_of(pairs, 2, 3).latency_ns = 92; // share no cache
    pair_of(pairs, 6, 7).latency_ns = 95;
    pair_of(pairs, 0, 9).latency_ns = 21; // do share one
    for (int order = 0; order < 2; ++order) {
        const auto found = contradictions_of(pairs);
        ASSERT_EQ(found.size(), 2U);
        EXPECT_EQ(found[0].pair.relation, Relation::same_last_cache);
        EXPECT_EQ(found[0].pair.reader, 6) << "the slower of the two";
        EXPECT_EQ(found[0].pairs, 2U);
        EXPECT_EQ(found[1].pair.relation, Relation::same_package);
        EXPECT_EQ(found[1].pair.owner, 9);
        EXPECT_EQ(found[1].pairs, 1U);
        std::ranges::reverse(pairs);
    }
}

TEST(Contradictions, AreThoseWithAnyFartherRelation) {
    auto pairs = machine(4, 2, 2);
    pair_of(pairs, 0, 1).latency_ns = 55; // nearer to 90 ns than to 20, but not to 210
    EXPECT_EQ(contradictions_of(pairs).size(), 1U);
}

TEST(Contradictions, AMachineWhoseNearerPairsAreTheSlowerOnesContradictsItself) {
    auto pairs = machine(4, 2, 4);
    for (CorePair& pair : pairs)
        pair.relation = pair.relation == Relation::same_package ? Relation::same_last_cache : Relation::same_package;
    const auto found = contradictions_of(pairs);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].pair.relation, Relation::same_last_cache);
    EXPECT_EQ(found[0].pairs, 24U) << "all of them";
}

TEST(Contradictions, RelationsThatTakeTheSameAreNone) {
    auto pairs = machine(1, 8, 1);
    for (CorePair& pair : pairs)
        pair.relation = (pair.reader + pair.owner) % 2 == 0 ? Relation::same_last_cache : Relation::same_package;
    EXPECT_TRUE(contradictions_of(pairs).empty());
}

TEST(Contradictions, BeginInTheMiddleBetweenTheUsualLatenciesOfTwoRelations) {
    const auto contradicts = [](Relation relation, double ns, double usual_in_package_ns) {
        std::vector<CorePair> pairs{{.reader = 0, .owner = 9, .latency_ns = ns, .relation = relation}};
        for (int owner = 1; owner < 4; ++owner) {
            pairs.push_back({.reader = 0, .owner = owner, .latency_ns = 20, .relation = Relation::same_last_cache});
            pairs.push_back({.reader = 4,
                             .owner = 4 + owner,
                             .latency_ns = usual_in_package_ns,
                             .relation = Relation::same_package});
        }
        return !contradictions_of(pairs).empty();
    };
    EXPECT_FALSE(contradicts(Relation::same_last_cache, 39.9, 80)) << "on a log scale";
    EXPECT_TRUE(contradicts(Relation::same_last_cache, 40.1, 80));
    EXPECT_FALSE(contradicts(Relation::same_package, 40.1, 80));
    EXPECT_TRUE(contradicts(Relation::same_package, 39.9, 80));
    EXPECT_TRUE(contradicts(Relation::same_last_cache, 25, 30)) << "half as much again is a gap";
    EXPECT_TRUE(contradicts(Relation::same_package, 24, 30));
    EXPECT_FALSE(contradicts(Relation::same_last_cache, 25, 29.9));
    EXPECT_FALSE(contradicts(Relation::same_package, 24, 29.9));
}

TEST(Contradictions, OnePairAloneIsJudgedByWhatAnyMachineTakes) {
    const auto contradicts = [](double ns, Relation relation) {
        const std::vector<CorePair> pairs{{.reader = 0, .owner = 1, .latency_ns = ns, .relation = relation}};
        return !contradictions_of(pairs).empty();
    };
    EXPECT_TRUE(contradicts(118, Relation::same_last_cache));
    EXPECT_TRUE(contradicts(118, Relation::same_core));
    EXPECT_TRUE(contradicts(101, Relation::same_last_cache));
    EXPECT_FALSE(contradicts(100, Relation::same_last_cache));
    EXPECT_FALSE(contradicts(118, Relation::same_package));
    EXPECT_FALSE(contradicts(60, Relation::different_packages));
    EXPECT_TRUE(contradicts(59, Relation::different_packages));
    EXPECT_TRUE(contradicts(23, Relation::different_packages)) << "a virtual machine that says nothing of its caches";
}

using Pairs = std::vector<std::pair<int, int>>;

Pairs moved(const std::vector<PairMoments>& pairs) {
    return moved_pairs(pairs);
}

TEST(MovedPairs, AreThoseWhoseNearnessChanged) {
    EXPECT_EQ(
        moved(
            {{0, 1, {4, 25, 24, 118, 4.2, 25}}, {0, 2, {25, 26, 24, 25, 25, 25}}, {1, 2, {120, 25, 4.2, 25, 118, 25}}}),
        (Pairs{{0, 1}, {1, 2}}));
    EXPECT_EQ(moved({{0, 1, {60, 60, 150, 150}}, {0, 2, {25, 25, 25, 25}}}), (Pairs{{0, 1}}));
}

TEST(MovedPairs, AreNoneWhereEachPairKeepsItsNearnessHoweverManyThereAre) {
    EXPECT_EQ(moved({{0, 1, {4, 4.1, 4, 4}}, {0, 2, {25, 27, 26}}, {1, 2, {118, 112, 118}}}), Pairs{});
    EXPECT_EQ(moved({}), Pairs{});
    EXPECT_EQ(moved({{0, 1, {}}, {0, 2, {25}}}), Pairs{});
}

TEST(MovedPairs, AreNotThoseThatOneMomentShows) {
    EXPECT_EQ(moved({{0, 1, {25, 118, 25, 25}}, {0, 2, {25, 25, 25, 118}}}), Pairs{})
        << "two moments, but of two pairs";
    EXPECT_EQ(moved({{0, 1, {4, 118}}}), Pairs{});
    EXPECT_EQ(moved({{0, 1, {4, 118, 118}}}), Pairs{});
}

TEST(MovedPairs, AreNotThoseThatOtherWorkMakesSlowerByLessThanTwice) {
    EXPECT_EQ(moved({{0, 1, {25, 25, 49.9, 49.9}}}), Pairs{});
    EXPECT_EQ(moved({{0, 1, {25, 25, 50, 50}}}), (Pairs{{0, 1}}));
    EXPECT_EQ(moved({{0, 1, {20, 22, 30, 35, 38, 42, 44, 50}}}), Pairs{}) << "without a gap between";
}

} // namespace
} // namespace memtest

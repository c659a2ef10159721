#include "memtest/cli/commands/cores.hpp"

#include "memtest/cli/commands/commands.hpp"
#include "support/fake_machine.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

/// Three cores, the first two with two hardware threads each: processors 0 and 4, 1 and 5, and 2.
class OnThreeCores : public OnAFakeMachine {
protected:
    OnThreeCores() {
        for (const int id : {0, 1, 2, 4, 5})
            system.add_processor(id, 0, id % 4, "0-2,4-5");
        allow({0, 1, 2, 4, 5});
        machine.numa_nodes = {{.id = 0, .available_bytes = std::nullopt}, {.id = 1, .available_bytes = std::nullopt}};
        machine.current = 1;
    }

    [[nodiscard]] TeamPlan plan(const std::vector<std::string>& arguments) const {
        return plan_cores(options_of_cores(line_for(cores_command, arguments)), machine);
    }

    [[nodiscard]] std::vector<TransferPlan> plans(const std::vector<std::string>& arguments) const {
        return pairs_of(plan(arguments), options_of_cores(line_for(cores_command, arguments)));
    }

    [[nodiscard]] Pairs pairs(const std::vector<std::string>& arguments) const {
        Pairs all;
        for (const TransferPlan& pair : plans(arguments))
            all.emplace_back(pair.reader, pair.owner);
        return all;
    }

    [[nodiscard]] std::string refusal(const std::vector<std::string>& arguments) const {
        return refusal_of([&] { static_cast<void>(plan(arguments)); });
    }
};

TEST_F(OnThreeCores, EachPairOfCoresComesOnceInTheOrderOfTheirIds) {
    // Of the current core it is the processor that the program runs on, whichever that is.
    EXPECT_EQ(pairs({}), (Pairs{{0, 1}, {0, 2}, {1, 2}}));
}

TEST_F(OnThreeCores, BothDirectionsAndSiblingsComeWhereTheyAreAskedFor) {
    EXPECT_EQ(pairs({"--both"}), (Pairs{{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}}));
    EXPECT_EQ(pairs({"--smt"}).size(), 10U);
    EXPECT_EQ(pairs({"--smt", "--both"}).size(), 20U);
}

TEST_F(OnThreeCores, AListGivesTheProcessorsInItsOrder) {
    EXPECT_EQ(pairs({"--cpu", "5,0,1"}), (Pairs{{5, 0}, {5, 1}, {0, 1}}));
}

TEST_F(OnThreeCores, TheLinesComeFromTheNodeAskedForOrFromTheOwners) {
    EXPECT_EQ(plans({"--node", "1"}).front().node, 1);
    EXPECT_EQ(plans({}).front().node, std::nullopt);
}

TEST_F(OnThreeCores, CleanLinesAreForProcessorsThatCanFlush) {
    const CoresOptions options = options_of_cores(line_for(cores_command, {"--clean"}));
    EXPECT_TRUE(pairs_of(plan_cores(options, machine, true), options).front().clean);
    EXPECT_FALSE(plans({}).front().clean);
    EXPECT_TRUE(mentions(refusal_of([&] { static_cast<void>(plan_cores(options, machine, false)); }), {"--clean"}));
    EXPECT_NO_THROW(static_cast<void>(plan_cores({}, machine, false)));
}

/// Machines whose cores share caches in groups.
class ManyProcessors : public testing::Test {
protected:
    void add(int id, int package, int core, const std::vector<int>& cache_of) {
        machine.allowed.push_back(
            {.id = id, .package = package, .core = core, .caches = {{.level = 3, .shared_by = cache_of}}});
    }

    /// One package of 64 cores, of which so many share a cache.
    void be_64(int sharers) {
        for (int id = 0; id < 64; ++id)
            add(id, 0, id, ids(id / sharers * sharers, sharers, 1));
    }

    /// Two packages of 64 cores each, which take turns; 16 of a package share a cache. Processors 128 to 255 are their
    /// second hardware threads.
    void be_256() {
        for (int id = 0; id < 256; ++id) {
            const int core = id % 128;
            const int first = core % 2 + core / 32 * 32;
            std::vector<int> sharers = ids(first, 16, 2);
            std::ranges::copy(ids(first + 128, 16, 2), std::back_inserter(sharers));
            add(id, core % 2, core, sharers);
        }
    }

    [[nodiscard]] PairChoice choose(const std::vector<std::string>& arguments, double seconds_per_pair) const {
        const CoresOptions options = options_of_cores(line_for(cores_command, arguments));
        return choose_pairs(pairs_of(plan_cores(options, machine), options), options, machine, seconds_per_pair);
    }

    [[nodiscard]] static Pairs pairs_in(const PairChoice& choice) {
        Pairs pairs;
        for (const TransferPlan& pair : choice.pairs)
            pairs.emplace_back(pair.reader, pair.owner);
        return pairs;
    }

    Machine machine;

private:
    static std::vector<int> ids(int first, int count, int step) {
        std::vector<int> made;
        for (int i = 0; i < count; ++i)
            made.push_back(first + i * step);
        return made;
    }
};

TEST_F(ManyProcessors, OfTwoTheOnlyPairIsMeasuredHoweverLongItTakes) {
    add(0, 0, 0, {0, 1});
    add(1, 0, 1, {0, 1});
    const PairChoice choice = choose({}, 100);
    EXPECT_EQ(pairs_in(choice), (Pairs{{0, 1}}));
    EXPECT_EQ(choice.left_out, std::nullopt);
}

TEST_F(ManyProcessors, AllPairsAreMeasuredInAMinuteOrWhereAskedFor) {
    be_64(8);
    for (const PairChoice& choice : {choose({}, 60.0 / 2016), choose({"--all-pairs"}, 1)}) {
        EXPECT_EQ(choice.pairs.size(), 2016U);
        EXPECT_EQ(choice.left_out, std::nullopt);
    }
    EXPECT_LT(choose({}, 60.1 / 2016).pairs.size(), 2016U);
}

TEST_F(ManyProcessors, OnePairStandsForAllOfACacheAndOneForAllBetweenTwo) {
    be_64(16);
    const PairChoice choice = choose({}, 1);
    EXPECT_EQ(pairs_in(choice),
              (Pairs{{0, 1}, {0, 16}, {0, 32}, {0, 48}, {16, 17}, {16, 32}, {16, 48}, {32, 33}, {32, 48}, {48, 49}}));
    EXPECT_EQ(choice.left_out,
              Notice(Code::pairs_left_out,
                     {{"left_out", 2006}, {"of", 2016}, {"within", "last-level cache"}, {"minutes", 34.0}}));
}

TEST_F(ManyProcessors, WhereNoTwoCoresShareACachePackagesTakeItsPlace) {
    be_64(1);
    const PairChoice choice = choose({}, 1);
    EXPECT_EQ(pairs_in(choice), (Pairs{{0, 1}}));
    ASSERT_TRUE(choice.left_out.has_value());
    EXPECT_EQ(choice.left_out->values["within"], "package");
}

TEST_F(ManyProcessors, InterleavedPackagesGiveNoPairOfGroupsTwice) {
    be_256();
    EXPECT_EQ(choose({"--all-pairs"}, 1).pairs.size(), 8128U);
    const Pairs pairs = pairs_in(choose({}, 1));
    EXPECT_EQ(pairs.size(), 8U + 28U) << "of 8 groups";
    EXPECT_EQ(pairs.front(), (Pairs::value_type{0, 1})) << "of two packages";
}

TEST_F(ManyProcessors, BothDirectionsOfAPairAndSiblingsAreChosenWhereTheyAreAskedFor) {
    be_256();
    const Pairs both = pairs_in(choose({"--both"}, 1));
    EXPECT_EQ(both.size(), 2U * 36U);
    for (const auto& [reader, owner] : both)
        EXPECT_EQ(std::ranges::count(both, Pairs::value_type{owner, reader}), 1) << reader << " and " << owner;
    const Pairs siblings = pairs_in(choose({"--smt"}, 1));
    EXPECT_EQ(siblings.size(), 36U + 8U);
    EXPECT_EQ(std::ranges::count(siblings, Pairs::value_type{0, 128}), 1);
}

TEST(CoresReport, HasOfEachPairItsLatencyInAllVisitsInEitherHalfOfThemAndInEachVisit) {
    CoresReport told{.pairs = {}, .at_moments = {{}, {}}, .bimodal = {}, .last_cache = "L3"};
    const std::vector<std::vector<double>> visits{{10, 10}, {12, 12}, {40, 40}, {}, {44, 44}};
    const PairMoments moments = add_pair(told, {.reader = 2, .owner = 5}, Relation::same_package, visits);
    EXPECT_EQ(std::pair(moments.reader, moments.owner), std::pair(2, 5));
    EXPECT_EQ(told.pairs.at(0).low_ns, 10) << "the least of them";
    EXPECT_EQ(moments.latencies_ns, (std::vector<double>{10, 12, 40, 44}));
    for (const auto& [list, ns] :
         {std::pair(told.pairs, 26.0), {told.at_moments[0], 11.0}, {told.at_moments[1], 42.0}}) {
        ASSERT_EQ(list.size(), 1U);
        EXPECT_EQ(list.front().reader, 2);
        EXPECT_EQ(list.front().latency_ns, ns);
        EXPECT_EQ(list.front().relation, Relation::same_package);
    }
}

} // namespace
} // namespace memtest

#include "memtest/measure/node_sweep.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/never_interrupted.hpp"
#include "memtest/base/units.hpp"
#include "memtest/machine/processors.hpp"
#include "support/test.hpp"
#include "support/until.hpp"

#include <atomic>

namespace memtest {
namespace {

constexpr std::size_t pairs = 3;

/// Pairs whose latency is 100 ns and a ns per pair, and whose load threads read 1, 2 and 3 lines per ns.
class FakeNodes {
public:
    std::optional<Row> walk(std::size_t pair) {
        calls += "w" + std::to_string(pair);
        if (calls.size() / 2 > calls_until_interrupted)
            return std::nullopt;
        Row row;
        row.latency_ns = 100 + static_cast<double>(pair);
        return row;
    }

    std::vector<LoadBatch> load(std::size_t pair) {
        calls += "l" + std::to_string(pair);
        if (calls.size() / 2 > calls_until_interrupted)
            return {};
        if (calls.size() / 2 > calls_until_failure)
            throw Error("no more memory");
        std::vector<LoadBatch> batches(4, {.lines_per_ns = 1 + static_cast<double>(pair)});
        disturb(pair, batches);
        return batches;
    }

    [[nodiscard]] NodeProbe probe() {
        return {.walk = [this](std::size_t pair) { return walk(pair); },
                .load = [this](std::size_t pair) { return load(pair); }};
    }

    std::string calls; ///< w for a walk, l for load, and the pair
    std::size_t calls_until_interrupted = 1000;
    std::size_t calls_until_failure = 1000;
    std::function<void(std::size_t pair, std::vector<LoadBatch>&)> disturb = [](std::size_t, auto&) {};
};

std::vector<NodeFigures> figures_from(FakeNodes& nodes) {
    std::vector<NodeFigures> figures;
    run_node_sweep(
        pairs, nodes.probe(), [&](const NodeFigures& of_pair) { figures.push_back(of_pair); },
        [](const std::string&) {});
    for (std::size_t pair = 0; pair < figures.size(); ++pair) {
        EXPECT_EQ(figures[pair].pair, pair);
        EXPECT_EQ(figures[pair].walk.latency_ns, 100 + static_cast<double>(pair));
    }
    return figures;
}

TEST(NodeSweep, WithoutLoadGivesEachPairAsSoonAsItIsWalked) {
    FakeNodes nodes;
    NodeProbe probe = nodes.probe();
    probe.load = nullptr;
    std::string seen;
    run_node_sweep(
        pairs, probe,
        [&](const NodeFigures& figures) {
            seen += nodes.calls + " ";
            EXPECT_EQ(figures.lines_per_ns, std::nullopt);
            EXPECT_FALSE(figures.load_disturbed);
        },
        [](const std::string&) {});
    EXPECT_EQ(seen, "w0 w0w1 w0w1w2 ");
}

TEST(NodeSweep, WalksAllPairsBeforeItLoadsAnyThenLoadsThemInRounds) {
    FakeNodes nodes;
    const auto figures = figures_from(nodes);
    EXPECT_EQ(nodes.calls, "w0w1w2"
                           "l0l1l2"
                           "l0l1l2"
                           "l0l1l2"
                           "l0l1l2");
    ASSERT_EQ(figures.size(), pairs);
    for (std::size_t pair = 0; pair < pairs; ++pair) {
        EXPECT_EQ(figures[pair].lines_per_ns, 1 + static_cast<double>(pair));
        EXPECT_FALSE(figures[pair].load_disturbed);
    }
}

TEST(NodeSweep, TheBandwidthIsTheMedianOverTheBatchesOfAllRoundsInWhichAllLoadThreadsRan) {
    FakeNodes nodes;
    double rate = 0;
    nodes.disturb = [&](std::size_t pair, std::vector<LoadBatch>& batches) {
        rate += pair == 0 ? 1 : 0;
        batches[0] = {.lines_per_ns = 10 * rate}; // of the rounds: 10, 20, 30 and 40
        for (std::size_t i = 1; i < batches.size(); ++i)
            batches[i] = {.lines_per_ns = 1, .absent = {0}};
    };
    const auto figures = figures_from(nodes);
    ASSERT_EQ(figures.size(), pairs);
    EXPECT_EQ(figures[0].lines_per_ns, 25.0);
    EXPECT_TRUE(figures[0].load_disturbed) << "most batches were set aside";
}

TEST(NodeSweep, HalfOfTheBatchesAreEnoughAndNoneGivesNoFigure) {
    FakeNodes nodes;
    nodes.disturb = [](std::size_t pair, std::vector<LoadBatch>& batches) {
        for (std::size_t i = 0; i < 2 * pair; ++i)
            batches[i].absent = {1};
    };
    const auto figures = figures_from(nodes);
    ASSERT_EQ(figures.size(), pairs);
    EXPECT_EQ(figures[1].lines_per_ns, 2);
    EXPECT_FALSE(figures[1].load_disturbed);
    EXPECT_EQ(figures[2].lines_per_ns, std::nullopt);
    EXPECT_TRUE(figures[2].load_disturbed);
}

TEST(NodeSweep, SaysHowFarItHasCome) {
    FakeNodes nodes;
    std::vector<std::string> phrases;
    run_node_sweep(
        pairs, nodes.probe(), [](const NodeFigures&) {}, [&](const std::string& phrase) { phrases.push_back(phrase); });
    ASSERT_EQ(phrases.size(), 5 * pairs);
    EXPECT_EQ(phrases[1], "1 of 3 rows");
    EXPECT_EQ(phrases[pairs + 1], "bandwidth: visit 1 of 4 to row 2 of 3");
    EXPECT_EQ(phrases.back(), "bandwidth: visit 4 of 4 to row 3 of 3");
}

TEST(NodeSweep, AnInterruptionKeepsThePairsThatWereWalked) {
    FakeNodes early;
    early.calls_until_interrupted = 2;
    EXPECT_EQ(figures_from(early).size(), 2U);
    EXPECT_EQ(early.calls, "w0w1w2");
    FakeNodes late;
    late.calls_until_interrupted = pairs + 1;
    const auto figures = figures_from(late);
    ASSERT_EQ(figures.size(), pairs);
    EXPECT_EQ(figures[0].lines_per_ns, 1.0);
    EXPECT_EQ(figures[1].lines_per_ns, std::nullopt);
}

TEST(NodeSweep, AFailureUnderLoadKeepsThePairsThatWereWalked) {
    FakeNodes nodes;
    nodes.calls_until_failure = pairs + 2;
    std::size_t given = 0;
    EXPECT_THROW(run_node_sweep(
                     pairs, nodes.probe(), [&](const NodeFigures&) { ++given; }, [](const std::string&) {}),
                 Error);
    EXPECT_EQ(given, pairs);
}

/// Load threads that are not bound: they run on a machine with one processor, too.
TeamPlan load_threads(std::vector<int> processors) {
    TeamPlan plan;
    plan.area_bytes = 2 * mib;
    plan.processors = std::move(processors);
    plan.pinned = false;
    return plan;
}

TeamPlan two_load_threads() {
    return load_threads({0, 1});
}

TEST(LoadBatches, CountWhereTheLoadThreadRanThroughout) {
    EXPECT_TRUE(until([] {
        return std::ranges::any_of(load_batches(load_threads({0}), SystemFiles(), never_interrupted),
                                   [](const LoadBatch& batch) { return counts(batch) && batch.lines_per_ns > 0; });
    })) << "a busy machine may take its processor away in some visits";
}

TEST(LoadBatches, SayWhatTheLoadThreadsRead) {
    EXPECT_TRUE(until([] {
        const auto batches = load_batches(two_load_threads(), SystemFiles(), never_interrupted);
        EXPECT_GE(batches.size(), 8U);
        return std::ranges::any_of(batches, [](const LoadBatch& batch) { return batch.lines_per_ns > 0; });
    })) << "a busy machine may keep both away for some visits, and never let them run together";
}

TEST(LoadBatches, NameTheLoadThreadsThatDidNotRun) {
    if (refusal_to_pin())
        GTEST_SKIP() << "threads cannot be bound here";
    TeamPlan plan = two_load_threads();
    plan.pinned = true;
    plan.processors.assign(2, current_processor());
    EXPECT_TRUE(until([&] {
        bool first = false;
        bool second = false;
        for (const LoadBatch& batch : load_batches(plan, SystemFiles(), never_interrupted)) {
            first = first || std::ranges::count(batch.absent, 0U) > 0;
            second = second || std::ranges::count(batch.absent, 1U) > 0;
        }
        return first && second;
    })) << "they take turns on one processor";
}

TEST(LoadBatches, AreNoneOnceInterrupted) {
    const std::atomic<bool> interrupted{true};
    EXPECT_TRUE(load_batches(two_load_threads(), SystemFiles(), interrupted).empty());
}

} // namespace
} // namespace memtest

#include "memtest/cli/commands/prefetch.hpp"

#include "memtest/base/units.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/kinds/prefetch.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/measure/prefetch.hpp"
#include "memtest/result/run_description.hpp"
#include "support/fake_machine.hpp"
#include "support/program.hpp"
#include "support/refusal.hpp"
#include "support/results.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

/// One core with a last cache of 4 MiB, transparent huge pages, and 8 GiB.
class PrefetchPlan : public OnAFakeMachine {
protected:
    PrefetchPlan() {
        for (const int id : {0, 1})
            system.add_processor(id, 0, id, "0-1");
        set_last_cache("4M");
        machine.transparent_policy = "madvise";
    }

    void set_last_cache(const std::string& size) {
        for (const int id : {0, 1})
            system.add_cache(id, 3, 3, "Unified", size, "0-1");
        system.add_cache(1, 0, 1, "Data", "32K", "1", "128");
        allow({0, 1});
    }

    [[nodiscard]] PatternPlan plan(const std::vector<std::string>& arguments) const {
        return plan_prefetch(options_of_prefetch(line_for(prefetch_command, arguments)), machine).patterns;
    }

    [[nodiscard]] std::string refusal(const std::vector<std::string>& arguments) const {
        return refusal_of([&] { static_cast<void>(plan(arguments)); });
    }
};

TEST_F(PrefetchPlan, MeasuresSmallPagesAndHugeOnesWhereTheSystemGivesThem) {
    EXPECT_EQ(plan({}).pages, (std::vector{PageKind::base, PageKind::transparent_huge}));
    EXPECT_TRUE(plan({}).processor.has_value());
    machine.transparent_policy = "never";
    EXPECT_EQ(plan({}).pages, std::vector{PageKind::base});
    machine.pinning_refused = "Operation not permitted";
    EXPECT_FALSE(plan({}).processor.has_value());
}

TEST_F(PrefetchPlan, TakesEightTimesTheLastCacheWithinBounds) {
    EXPECT_EQ(plan({}).bytes, least_pattern_bytes(64, 4096)) << "room for the longest stride";
    set_last_cache("64M");
    EXPECT_EQ(plan({}).bytes, 512 * mib);
    set_last_cache("480M");
    EXPECT_EQ(plan({}).bytes, 1024 * mib);
    EXPECT_EQ(plan({"--size", "300"}).bytes, 300 * mib);
}

TEST_F(PrefetchPlan, TakesMemoryToEmptyTheCachesOfAProcessorThatCannotFlushThem) {
    const auto evicted_bytes = [&](bool can_flush) {
        return plan_prefetch(options_of_prefetch({}), machine, can_flush).patterns.evicted_bytes;
    };
    EXPECT_EQ(evicted_bytes(true), 0U);
    EXPECT_EQ(evicted_bytes(false), 64 * mib);
    set_last_cache("64M");
    EXPECT_EQ(evicted_bytes(false), 128 * mib);
    set_last_cache("960M");
    EXPECT_EQ(evicted_bytes(false), 1024 * mib) << "reading it takes time as well";
    machine.available_bytes = 1100 * mib;
    EXPECT_THROW(static_cast<void>(evicted_bytes(false)), Error);
}

TEST_F(PrefetchPlan, TakesWhatFitsInBothKindsOfPagesTogether) {
    set_last_cache("64M");
    machine.available_bytes = 1024 * mib;
    EXPECT_LT(plan({}).bytes, 512 * mib);
    EXPECT_GE(plan({}).bytes, 480 * mib);
    EXPECT_NE(refusal({"--size", "600"}).find("--size"), std::string::npos) << "twice";
    machine.available_bytes = 200 * mib;
    EXPECT_NE(refusal({}).find("minimum"), std::string::npos);
}

/// The patterns in one kind of pages, in the order of the rows.
std::vector<Pattern> patterns_in(const Result& result, PageKind pages) {
    std::vector<Pattern> patterns;
    for (const PatternFigure& figure : result.rows_of<PatternFigure>()) {
        if (figure.pages == pages)
            patterns.push_back(figure.pattern);
    }
    return patterns;
}

TEST(PrefetchCommand, PrintsARowForEachPatternInEachKindOfPagesAndDescribesHowTheyWereMeasured) {
    const int processor = allowed_processors().back();
    const Outcome run = run_in_shell("{} prefetch --size 128 --max-time 2 --seed 7 --cpu " + std::to_string(processor));
    ASSERT_EQ(run.status, 0) << run.error;
    const Result result = result_of(run.out);
    EXPECT_EQ(result.kind, &prefetch_kind);
    EXPECT_EQ(why_incomplete(result), std::nullopt);
    EXPECT_EQ(result.run.seed, 7U);
    EXPECT_EQ(data_lines(run.out).at(0)["run"]["max_size"]["bytes"], 128 << 20) << run.out;
    EXPECT_EQ(result.run.processors.value().ids, std::vector{processor});
    EXPECT_EQ(result.run.pages, std::nullopt) << "each row has its own";
    ASSERT_TRUE(result.run.line_bytes.has_value());
    std::vector<Pattern> expected;
    for (const PatternStep& step : pattern_steps({PageKind::base}, *result.run.line_bytes, base_page_bytes()))
        expected.push_back(step.pattern);
    EXPECT_EQ(patterns_in(result, PageKind::base), expected);
    const std::vector<Pattern> in_huge_pages = patterns_in(result, PageKind::transparent_huge);
    EXPECT_TRUE(in_huge_pages.empty() || in_huge_pages == expected) << "where the system gives them";
    EXPECT_EQ(result.run.end.value().planned, result.row_count());
    for (const PatternFigure& figure : result.rows_of<PatternFigure>())
        EXPECT_TRUE(figure.latency_ns && figure.low_ns.value_or(0) <= figure.high_ns.value_or(*figure.latency_ns));
}

TEST(PrefetchCommand, WhenInterruptedPrintsWhatItHasAndInfersNothing) {
    const Outcome run = run_in_shell(signalled("prefetch --size 128 > file", "TERM", "grep -qs ^Pattern file") +
                                     "; echo status $?; cat file");
    EXPECT_TRUE(run.out.starts_with("status 143\n")) << run.out;
    EXPECT_TRUE(end_of(run.out).ends_with(" rows, interrupted")) << run.out;
    EXPECT_FALSE(holds(run.out, "\n# prefetchers: ")) << run.out;
}

TEST_F(PrefetchPlan, HasTheLineOfItsProcessorAndTheSeed) {
    EXPECT_EQ(plan({"--cpu", "1"}).line_bytes, 128U);
    EXPECT_EQ(plan({"--cpu", "0"}).line_bytes, 64U);
    EXPECT_EQ(plan({"--seed", "7"}).seed, 7U);
}

} // namespace
} // namespace memtest

#include "memtest/cli/commands/tlb.hpp"

#include "memtest/base/units.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "support/fake_machine.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

/// Two cores, the second with lines of 128 bytes, and 8 GiB.
class TlbPlan : public OnAFakeMachine {
protected:
    TlbPlan() {
        for (const int id : {0, 1})
            system.add_processor(id, 0, id, "0-1");
        system.add_cache(1, 0, 1, "Data", "32K", "1", "128");
        allow({0, 1});
    }

    [[nodiscard]] TlbRun plan(const std::vector<std::string>& arguments) const {
        return plan_tlb(options_of_tlb(line_for(tlb_command, arguments)), machine);
    }

    [[nodiscard]] std::string refusal(const std::vector<std::string>& arguments) const {
        return refusal_of([&] { static_cast<void>(plan(arguments)); });
    }
};

TEST_F(TlbPlan, TakesAsManyPagesAsMakeSenseUnlessMemoryIsGiven) {
    EXPECT_EQ(plan({}).pages.most_pages, 16384U);
    const std::size_t page = base_page_bytes();
    const std::size_t in_both_layouts = page + 64 + 64;
    EXPECT_EQ(plan({"-m", "512"}).pages.most_pages, (512 * mib - page) / in_both_layouts);
    machine.available_bytes = 40 * mib;
    EXPECT_EQ(plan({}).pages.most_pages, (32 * mib - page) / in_both_layouts) << "what fits";
}

TEST_F(TlbPlan, HasTheLineOfItsProcessorAndTheSeed) {
    machine.current = 1;
    EXPECT_EQ(plan({}).team.processors, std::vector{1});
    EXPECT_EQ(plan({}).pages.units.line_bytes, 128U);
    EXPECT_EQ(plan({"--cpu", "0"}).pages.units.line_bytes, 64U);
    EXPECT_EQ(plan({"--seed", "7"}).pages.seed, 7U);
}

TEST_F(TlbPlan, MeasuresOneProcessorInSixteenPagesOrMore) {
    EXPECT_TRUE(mentions(refusal({"--cpu", "0,1"}), {"--cpu 0,1"}));
    const std::size_t least = 16 * (base_page_bytes() + 64 + 64) + base_page_bytes();
    EXPECT_EQ(plan({"-m", std::to_string(least) + "B"}).pages.most_pages, 16U);
    EXPECT_NE(refusal({"-m", std::to_string(least - 1) + "B"}).find(" holds 15 pages of "), std::string::npos);
    machine.available_bytes = 8 * mib;
    EXPECT_TRUE(refusal({}).starts_with("the minimum, 16 pages of ")) << refusal({});
}

TEST(TlbCheck, OfSplitPagesIsLeftOutWhereItsMemoryCannotBeHad) {
    Translation translation;
    translation.tlbs.push_back({.entries = std::size_t{1} << (sizeof(std::size_t) * 8 - 16U)});
    const std::size_t page = base_page_bytes();
    const PageProbePlan plan{.units = {.page_bytes = 2 * mib, .base_page_bytes = page, .line_bytes = 64},
                             .most_pages = 16};
    EXPECT_FALSE(finds_split_pages(translation, plan, SystemFiles())) << "the rows are measured all the same";
}

} // namespace
} // namespace memtest

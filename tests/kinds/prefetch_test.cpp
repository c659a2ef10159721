#include "memtest/kinds/prefetch.hpp"

#include "memtest/result/answer.hpp"

#include "support/results.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

/// Figures in small pages: strides up to 256 bytes are followed forward, and up to 128 backward; lines come in pairs.
std::vector<PatternFigure> figures() {
    const auto figure = [](Pattern pattern, double ns, std::optional<std::uint64_t> stride = std::nullopt,
                           std::optional<std::uint64_t> hops = std::nullopt) {
        return PatternFigure{.pattern = pattern,
                             .stride_bytes = stride,
                             .hops = hops,
                             .latency_ns = ns,
                             .low_ns = ns - 1,
                             .high_ns = ns + 1,
                             .random_percent = ns};
    };
    return {figure(Pattern::random, 100),           figure(Pattern::index, 99),
            figure(Pattern::repeated_lap, 60),      figure(Pattern::pair, 20, 64),
            figure(Pattern::pair_backward, 21, 64), figure(Pattern::next_line, 98, 64),
            figure(Pattern::forward, 10, 64),       figure(Pattern::backward, 10, 64),
            figure(Pattern::forward, 10, 128),      figure(Pattern::backward, 10, 128),
            figure(Pattern::forward, 12, 256),      figure(Pattern::backward, 90, 256),
            figure(Pattern::forward, 90, 4096),     figure(Pattern::backward, 90, 4096),
            figure(Pattern::start, 90, 64, 2),      figure(Pattern::start, 9, 64, 4),
            figure(Pattern::start, 9, 64, 8)};
}

Result stored_figures(const std::vector<Notice>& warnings = {}) {
    Result result{.name = "prefetch.csv", .kind = &prefetch_kind, .rows = figures()};
    result.warnings = warnings;
    return result;
}

TEST(PrefetchFindings, AreTheAnswersToEachPattern) {
    const Finding finding = prefetch_findings(prefetchers_in(stored_figures())).list.at(0);
    EXPECT_EQ(finding.notice.code, Code::prefetchers);
    EXPECT_EQ(finding.notice.values, (Members{{"strides", List{Members{{"pages", "4k"},
                                                                       {"forward_bytes", 256},
                                                                       {"backward_bytes", 128},
                                                                       {"longest_tried", false},
                                                                       {"forward_open", false},
                                                                       {"backward_open", false}}}},
                                              {"starts_after_hops", 2},
                                              {"fetches_pairs", "yes"},
                                              {"fetches_next_line", "no"},
                                              {"learns_laps", "yes"},
                                              {"follows_addresses", "no"}}));
    EXPECT_EQ(finding.members["prefetchers"], finding.notice.values);
}

TEST(PrefetchFindings, NameTheStridesThatAreSureWhereTheNextIsNotKnown) {
    Result result = stored_figures();
    auto& rows = std::get<std::vector<PatternFigure>>(result.rows);
    const auto forward = [&](std::uint64_t stride_bytes) -> PatternFigure& {
        return *std::ranges::find_if(rows, [&](const PatternFigure& row) {
            return row.pattern == Pattern::forward && row.stride_bytes == stride_bytes;
        });
    };
    const auto strides = [&] {
        return Members(prefetch_findings(prefetchers_in(result)).list.at(0).notice.values)["strides"][0];
    };
    forward(4096).low_ns = 20; // it may be followed
    EXPECT_EQ(strides()["forward_bytes"], 256);
    EXPECT_TRUE(strides()["forward_open"].is_true());
    forward(64).high_ns = 60;
    EXPECT_TRUE(strides()["forward_bytes"].is_null()) << "not even the shortest is sure";
}

TEST(PrefetchFindings, OfADisturbedRunAreThoseThatItsRoundsShow) {
    const Prefetchers found = prefetchers_in(stored_figures({{Code::others_used, {{"percent", 30.0}}}}));
    EXPECT_FALSE(found.strides.empty());
    EXPECT_EQ(found.pairs, Truth::yes);
}

TEST(PrefetchFindings, AreNotKnownInAnIncompleteRun) {
    Result incomplete = stored_figures();
    incomplete.run.end = RunEnd{.measured = 4, .planned = 9, .interrupted = true};
    EXPECT_EQ(prefetchers_in(incomplete).pairs, Truth::unknown);
}

TEST(PrefetchAnswer, ShowsEachPatternInEachKindOfPagesButNoStart) {
    Result result = stored_figures();
    auto& rows = std::get<std::vector<PatternFigure>>(result.rows);
    for (PatternFigure figure : figures()) {
        figure.pages = PageKind::transparent_huge;
        figure.latency_ns = *figure.latency_ns / 2;
        rows.push_back(figure);
    }
    const TextTable table = answer_of(result).table;
    ASSERT_EQ(table.rows.size(), 10U);
    EXPECT_EQ(table.rows[0].size(), 3U);
    EXPECT_EQ(table.rows[1][1], "100 ns");
    EXPECT_EQ(table.rows[1][2], "50.0 ns");
    EXPECT_TRUE(table.rows[6][1].starts_with("10.0, ")) << "stride 64 forward, and backward";
    EXPECT_TRUE(table.rows[9][2].starts_with("45.0, ")) << "stride 4 KiB forward";
}

TEST(PrefetchAnswer, ShowsABoundWhereTheRoundsShowNoMore) {
    Result result = stored_figures();
    PatternFigure& pair = std::get<std::vector<PatternFigure>>(result.rows)[3];
    pair.latency_ns = 0;
    pair.high_ns = 18;
    EXPECT_EQ(answer_of(result).table.rows[4][1], "<18.0, 21.0 ns");
    pair.high_ns = 0;
    EXPECT_EQ(answer_of(result).table.rows[4][1], "about 0, 21.0 ns");
    pair.high_ns.reset();
    EXPECT_EQ(answer_of(result).table.rows[4][1], "-, 21.0 ns");
}

} // namespace
} // namespace memtest

#include "memtest/result/answer.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/kinds/cores.hpp"
#include "memtest/kinds/levels.hpp"
#include "memtest/kinds/loaded.hpp"
#include "memtest/kinds/nodes.hpp"
#include "memtest/kinds/prefetch.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/kinds/translation.hpp"
#include "support/modelled_reports.hpp"
#include "support/program.hpp"
#include "support/results.hpp"
#include "support/test.hpp"

#include <cctype>
#include <cstdlib>
#include <sstream>

namespace memtest {
namespace {

/// The numbers in a text, without those in names such as L2.
std::vector<double> numbers_in(const std::string& text) {
    std::vector<double> numbers;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool in_word = i > 0 && (std::isalnum(static_cast<unsigned char>(text[i - 1])) != 0);
        if (std::isdigit(static_cast<unsigned char>(text[i])) == 0 || in_word)
            continue;
        char* end = nullptr;
        numbers.push_back(std::strtod(text.c_str() + i, &end));
        i = static_cast<std::size_t>(end - text.c_str());
    }
    return numbers;
}

/// All numbers in a value.
void add_numbers(std::vector<double>& all, const Value& value) {
    if (const auto number = value.number())
        all.push_back(*number);
    for (const Value& element : value.list())
        add_numbers(all, element);
    for (const auto& [name, member] : value.members())
        add_numbers(all, member);
}

/// What programs can read of the same: rows, and what findings tell.
std::vector<double> numbers_of_data(const Result& result) {
    std::vector<double> all;
    add_numbers(all, json(written(*result.kind, {.format = Format::json}, [&](ResultWriter& writer) {
                    writer.begin();
                    write_rows(writer, result);
                    writer.end({});
                })));
    Findings findings;
    if (result.kind == &sweep_kind)
        findings = level_findings(report_levels(result));
    else if (result.kind == &tlb_kind)
        findings = tlb_findings(read_tlb(result));
    else if (result.kind == &prefetch_kind)
        all.push_back(static_cast<double>(prefetchers_in(result).starts_after_hops.value_or(0) + 1)); // the first hop
    else if (result.kind == &loaded_kind) {
        for (const std::vector<LoadRow>& points : load_curves_of(result)) {
            add_numbers(all, Value(points.front().write_percent.value_or(0)));
            for (const Finding& finding : loaded_findings(read_load_curve(points)).list)
                add_numbers(all, finding.notice.values);
        }
    }
    for (const Finding& finding : findings.list)
        add_numbers(all, finding.notice.values);
    return all;
}

/// Whether a number is one of these in any unit that a person reads. Data have best estimates in whole KiB.
bool is_among(double number, const std::vector<double>& all) {
    return std::ranges::any_of(all, [&](double known) {
        for (double unit : {1.0 / 1024 / 1024, 1.0 / 1024, 1.0, 1024.0, 1024.0 * 1024}) {
            if (std::abs(known * unit - number) <= 0.01 * std::abs(number) + 1e-9)
                return true;
        }
        return false;
    });
}

class AnswerOf : public testing::TestWithParam<std::string> {
protected:
    const Result result = stored_result(GetParam());
    const Answer answer = answer_with_warnings(result);
};

TEST_P(AnswerOf, FitsItsColumnsAndBreaksNoWord) {
    EXPECT_FALSE(answer.table.rows.empty() && answer.sentences.empty());
    const std::vector<std::string> words = words_of(text_of(answer, 100'000));
    for (const std::size_t columns : {80U, 120U}) {
        const std::string text = text_of(answer, columns);
        EXPECT_TRUE(text.ends_with('\n'));
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);)
            EXPECT_LE(line.size(), columns) << line;
        EXPECT_EQ(words_of(text), words) << text;
    }
}

TEST_P(AnswerOf, EveryNumberOfItsTableIsInTheDataToo) {
    const std::vector<double> data = numbers_of_data(result);
    for (std::size_t row = 1; row < answer.table.rows.size(); ++row) {
        for (const std::string& cell : answer.table.rows[row]) {
            for (const double number : numbers_in(cell))
                EXPECT_TRUE(is_among(number, data)) << number << " of '" << cell << "'";
        }
    }
}

TEST_P(AnswerOf, ItsTableIsRectangular) {
    for (const auto& row : answer.table.rows)
        EXPECT_EQ(row.size(), answer.table.rows.front().size());
    EXPECT_TRUE(answer.table.rows.empty() || answer.table.right.size() == answer.table.rows.front().size());
}

TEST_P(AnswerOf, NotesWhatCastsDoubtOnTheWholeResult) {
    for (const Notice& warning : result.warnings) {
        const bool is_noted = std::ranges::find(answer.notes, warning) != answer.notes.end();
        EXPECT_TRUE(is_noted || !is_disturbance(warning)) << sentence_of(warning);
    }
    for (const Notice& remark : result.remarks) {
        if (result.kind == &sweep_kind) // today's rules infer its remarks from its rows
            EXPECT_LE(std::ranges::count(codes_of(answer.notes), remark.code), 1) << sentence_of(remark);
        else
            EXPECT_EQ(std::ranges::count(answer.notes, remark), 1) << sentence_of(remark);
    }
}

INSTANTIATE_TEST_SUITE_P(Each, AnswerOf, testing::ValuesIn(stored_files()), test_of_file);

/// Caches of 32 KiB and 1 MiB before memory, to 64 MiB.
std::vector<Row> rows_of_two_caches() {
    std::vector<Row> rows;
    for (int half = 0; half <= 32; ++half) {
        Row& row = rows.emplace_back();
        row.size_bytes = static_cast<std::size_t>(1024 * std::exp2(half / 2.0));
        row.latency_ns = row.size_bytes <= 32768 ? 1 : row.size_bytes <= 1 << 20 ? 4 : 100;
    }
    return rows;
}

TEST(AnswerOfSweep, SaysThatOthersContestACache) {
    std::vector<Row> rows = rows_of_two_caches();
    for (const std::size_t contested : {20U, 22U}) { // 1 and 2 MiB
        rows[contested].low_ns = 4;
        rows[contested].high_ns = 100;
    }
    const Answer answer = answer_of(Result{.kind = &sweep_kind, .rows = rows});
    EXPECT_EQ(answer.table.rows.at(2).back(), "contested, high");
}

TEST(AnswerOfSweep, DoesNotSayThatACacheServesMemoryOfWhichItShowsLittle) {
    Result sweep{.kind = &sweep_kind, .rows = rows_of_two_caches()};
    sweep.warnings.emplace_back(Code::little_memory);
    const auto warns = [&](const std::vector<ReportedCache>& caches) {
        sweep.run.caches = caches;
        return std::ranges::count(codes_of(answer_with_warnings(sweep).notes), Code::little_memory) > 0;
    };
    const ReportedCache first{.level = 1, .size_bytes = 32 * kib};
    EXPECT_TRUE(warns({}));
    EXPECT_FALSE(warns({first, {.level = 2, .size_bytes = 64 * mib}})) << "it ends at 1 MiB for this guest";
    EXPECT_TRUE(warns({first, {.level = 2, .size_bytes = mib}, {.level = 3, .size_bytes = 64 * mib}})) << "not shown";
}

TEST(AnswerOfSweep, OfOneSizeIsItsLatency) {
    Result sweep{.kind = &sweep_kind, .rows = std::vector<Row>{{.size_bytes = 200 * mib, .latency_ns = 123.4}}};
    EXPECT_EQ(answer_of(sweep).notes.at(0),
              Notice(Code::too_few_points,
                     {{"bytes", 200.0 * mib}, {"latency_ns", figure(123.4)}, {"in_small_pages", false}}));
    sweep.run.pages_got = std::vector{PagesGot{.page_bytes = 4096}};
    EXPECT_TRUE(answer_of(sweep).notes.at(0).values["in_small_pages"].is_true()) << "which need page walks";
    sweep.rows = std::vector<Row>{{.size_bytes = 2 * mib, .latency_ns = 5}};
    EXPECT_FALSE(answer_of(sweep).notes.at(0).values["in_small_pages"].is_true()) << "the second TLB holds its pages";
    sweep.rows =
        std::vector<Row>{{.size_bytes = 1 * mib, .latency_ns = 5}, {.size_bytes = 200 * mib, .latency_ns = 123}};
    EXPECT_EQ(answer_of(sweep).notes.at(0), Notice(Code::too_few_points));
}

TEST(AnswerOfSweep, ShowsEachCapacityAsFarAsItIsKnown) {
    using Kib = std::optional<double>;
    struct Case {
        Kib low, high, best;
        const char* shown;
    };
    const auto bytes = [](Kib size_kib) { return size_kib ? Kib(*size_kib * kib) : Kib(); };
    for (const auto& [low, high, best, shown] :
         {Case{{}, {}, {}, "not known"}, Case{48, {}, {}, "at least 48 KiB"}, Case{32, 32, 32, "32 KiB"},
          Case{32, 48, 40, "40 KiB (32 to 48)"}, Case{768, 1536, 1024, "1 MiB (0.75 to 1.5)"},
          Case{768, 1536, {}, "768 KiB to 1.5 MiB"}, Case{1024, 1536, {}, "1 to 1.5 MiB"}}) {
        LevelReport report;
        Level& cache = report.hierarchy.caches.emplace_back();
        cache.capacity_low_bytes = bytes(low);
        cache.capacity_high_bytes = bytes(high);
        cache.capacity_bytes = bytes(best);
        EXPECT_EQ(level_table(std::vector{report}).rows.at(1).at(1), shown);
    }
}

TEST(AnswerOfSweep, ShowsWhatTheSystemReportsBesideWhatTheCurveShows) {
    LevelReport report;
    Level& cache = report.hierarchy.caches.emplace_back();
    cache.number = 3;
    cache.capacity_low_bytes = 6 << 20;
    cache.capacity_bytes = 9 << 20;
    cache.capacity_high_bytes = 12 << 20;
    const auto row = [&] { return level_table(std::vector{report}).rows.at(1); };
    EXPECT_EQ(row().at(1), "9 MiB (6 to 12)") << "nothing is reported";
    report.reported = {{.level = 3, .size_bytes = 32 << 20}};
    EXPECT_EQ(row().at(1), "9 MiB (6 to 12), not reported");
    cache.reported_bytes = 1536 * mib;
    EXPECT_EQ(row().at(1), "0.00879 (0.00586 to 0.0117) of 1.5 GiB") << "in one unit";
    cache.reported_bytes = 32 << 20;
    EXPECT_EQ(row().at(1), "9 (6 to 12) of 32 MiB");
    cache.capacity_bytes.reset();
    EXPECT_EQ(row().at(1), "6 to 12 of 32 MiB");
    cache.reported_bytes = 5 << 20;
    EXPECT_EQ(row().at(1), "6 to 12 MiB, reported 5 MiB");
    cache.reported_bytes = 8 << 20;
    cache.capacity_bytes = 8 << 20;
    EXPECT_EQ(row().at(1), "8 MiB") << "both agree";
    report.hierarchy.unseen = {{.level = 2, .size_bytes = 1 << 20}};
    EXPECT_EQ(row(), (std::vector<std::string>{"L2", "1 MiB, no plateau", "", ""}));
}

TEST(AnswerOfSweep, SaysOfEachClaimHowSureItIs) {
    LevelReport report;
    Level& cache = report.hierarchy.caches.emplace_back();
    cache.capacity_confidence = Confidence::low;
    cache.latency_confidence = Confidence::high;
    EXPECT_EQ(level_table(std::vector{report}).rows.at(1).back(), "low, high");
}

TEST(AnswerOfSweep, ShowsLatenciesWithThreeDigitsAndNamesThreadsWhereThereAreSeveral) {
    const std::vector<std::pair<double, std::string>> shown{{1.0849, "1.08"}, {9.994, "9.99"}, {9.996, "10.0"},
                                                            {99.94, "99.9"},  {99.96, "100"},  {154.4, "154"}};
    std::vector<LevelReport> reports;
    for (const auto& [latency_ns, text] : shown) {
        LevelReport& report = reports.emplace_back();
        report.thread = static_cast<int>(reports.size());
        report.core_ghz = 1;
        report.hierarchy.memory = LevelLatency{.latency_ns = latency_ns, .from_bytes = mib, .to_bytes = mib};
        EXPECT_EQ(level_table({&report, 1}).rows.at(1),
                  (std::vector<std::string>{"Memory", "at 1 MiB", text, text, "low"}));
    }
    const TextTable table = level_table(reports);
    ASSERT_EQ(table.rows.size(), 2 * shown.size() + 1);
    EXPECT_EQ(table.rows[11][0], "Thread 6");
    EXPECT_TRUE(level_table(std::vector{LevelReport{}}).rows.empty()) << "without levels no header";
}

TEST(AnswerOfSweep, HasATableForEightyColumnsEvenOfAContestedCacheUnreliableMemoryAndTwoThreads) {
    LevelReport report;
    report.core_ghz = 5;
    Level& cache = report.hierarchy.caches.emplace_back();
    cache.capacity_low_bytes = 1.5 * mib;
    cache.capacity_bytes = 2.66 * mib;
    cache.capacity_high_bytes = 3 * mib;
    cache.contested_to_bytes = 2 * mib;
    cache.reported_bytes = 32 << 20;
    report.hierarchy.memory =
        LevelLatency{.latency_ns = 192, .from_bytes = 128 * mib, .to_bytes = 4096 * mib, .from_ns = 147, .to_ns = 265};
    const TextTable table = level_table(std::vector{report, report});
    EXPECT_EQ(table.rows.back().at(2), "192 (147 to 265)");
    for (const std::string& line : lines_of(aligned_text(table)))
        EXPECT_LE(line.size(), 79U) << line;
}

TEST(AnswerOfNodes, OfOnePairHasItsNoise) { // of several: the golden file
    const auto sentence = [](const std::vector<NodesRow>& rows) {
        return joined(answer_of(Result{.kind = &nodes_kind, .rows = rows}).sentences, "\n", std::identity());
    };
    EXPECT_NE(sentence({{0, 3, 90.0}}).find("node 0 to memory of node 3 takes 90.0 ns"), std::string::npos);
    NodesRow only{0, 0, 90.0};
    only.visits_percent = 2;
    EXPECT_NE(sentence({only}).find("one node"), std::string::npos);
    EXPECT_NE(sentence({only}).find("1.8 ns"), std::string::npos) << "its noise";
    EXPECT_EQ(sentence({{0, 3, std::nullopt}}), "");
}

TEST(AnswerOfCores, SaysThatNothingIsKnownOfGroupsOrWhatAPairTakes) {
    const auto sentence = [](const std::vector<CoresRow>& rows, const std::vector<Notice>& warnings = {},
                             const std::vector<Notice>& remarks = {}, bool is_guest = false) {
        Result cores{.kind = &cores_kind, .rows = rows, .warnings = warnings, .remarks = remarks};
        cores.run.virtual_machine = is_guest;
        EXPECT_EQ(answer_of(cores).notes.empty(), is_guest || remarks.empty()) << "the sentence says it";
        return joined(answer_of(cores).sentences, "\n", std::identity());
    };
    EXPECT_TRUE(holds(sentence({{3, 7, 54.25}}), "54.2 ns from processor 7 to 3"));
    CoresRow pair{3, 7, 54.25};
    pair.low_ns = 50;
    for (const double high_ns : {60, 90}) {
        pair.high_ns = high_ns;
        EXPECT_EQ(sentence({pair}).find(", between ") != std::string::npos, high_ns < 75) << sentence({pair});
    }
    const std::vector<Notice> have_moved{{Code::pairs_moved, {{"pairs", 1}, {"of", 1}, {"seconds", 2}}}};
    const auto moved = [&] { return sentence({pair}, {}, have_moved, true); };
    EXPECT_TRUE(holds(moved(), "takes 50.0 ns or more from processor 7 to 3 while the host runs both near")) << moved();
    const std::string unsteady = sentence({pair}, {}, {}, true); // which may also be other work
    EXPECT_TRUE(unsteady.starts_with("A line took 50.0 to 90.0 ns (median 54.2) from processor 7 to 3 ")) << unsteady;
    EXPECT_TRUE(holds(moved(), "(median of all moments 54.2 ns)")) << "what the row has";
    EXPECT_TRUE(holds(sentence({pair}), "the undisturbed ones")) << "nobody moves the cores of a machine";
    pair.low_ns = 4.2;
    EXPECT_TRUE(holds(moved(), "while the host runs both on one core, and up to 90.0 ns while")) << moved();
    EXPECT_TRUE(holds(sentence({{3, 7, 4.3}}), "as within one core"));
    EXPECT_FALSE(holds(sentence({{3, 7, 4.3, Relation::same_core}}), "as within one core"));
    const std::vector<CoresRow> two_groups{{0, 1, 20.0}, {0, 2, 90.0}, {0, 3, 90.0},
                                           {1, 2, 90.0}, {1, 3, 90.0}, {2, 3, 20.0}};
    EXPECT_NE(sentence(two_groups).find("0,1 2,3"), std::string::npos) << sentence(two_groups);
    const std::string disturbed = sentence(two_groups, {Notice(Code::busy_machine)});
    EXPECT_FALSE(disturbed.empty());
    EXPECT_EQ(disturbed.find("0,1"), std::string::npos) << disturbed;
}

TEST(AnswerOfTlb, ShowsEachTlbAndTheWalksAfterIt) {
    const TlbReport report{.translation = {.tlbs = {{63, 63, 64, 0.5, 9, Confidence::high},
                                                    {1400, 1536, 1600, 3.456, 9, Confidence::fair}},
                                           .beyond = {{.pages = 3072, .ns = 9.5}, {6144, 12}},
                                           .walks = {{2048, 5}, {3072, 9.5}, {4096, 9.25}, {5000, 99}, {6144, 12}},
                                           .disturbed_pages = {5000}},
                           .page_bytes = 4096};
    EXPECT_TRUE(
        answer_of(report).sentences.at(0).ends_with("; else a page walk added 9.50 ns in 12 MiB and 12.0 ns in 24 "
                                                    "MiB."))
        << "as the table says; a larger size was disturbed";
    using Cells = std::vector<std::string>;
    EXPECT_EQ(answer_of(report).table.rows,
              (std::vector<Cells>{{"TLB", "Entries", "Reach", "Adds", "Confidence"},
                                  {"L1", "63", "252 KiB", "", "high"},
                                  {"L2", "1536 (1400 to 1600)", "6 MiB", "3.46 ns", "fair"},
                                  {"Walk at 3072 pages", "", "12 MiB", "9.50 ns", ""},
                                  {"Walk at 6144 pages", "", "24 MiB", "12.0 ns", ""}}));
    TlbReport none = report;
    none.translation.tlbs.clear();
    EXPECT_EQ(answer_of(none).table.rows.size(), 1U) << "without a TLB nothing is after it";
}

TEST(AnswerOfTlb, SaysWhatAMissInTheFirstTlbAdds) {
    Result tlb = modelled_tlb();
    EXPECT_EQ(answer_of(tlb).sentences,
              std::vector<std::string>{"In this run a miss in the first TLB added 3.00 ns if the second had the page; "
                                       "else a page walk added 20.0 ns in 12 MiB and in 64 MiB; "
                                       "larger sizes were not measured."});
    auto& rows = std::get<std::vector<TlbRow>>(tlb.rows);
    rows.back().spread_ns += 10;
    EXPECT_TRUE(holds(answer_of(tlb).sentences.at(0), "a page walk added 20.0 ns in 12 MiB and 30.0 ns in 64 MiB;"));
    tlb.remarks = {{Code::no_second_tlb_edge, {{"pages", 16384}}}};
    EXPECT_EQ(answer_of(tlb).sentences, std::vector<std::string>()) << "nothing is claimed of what follows";
}

TEST(AnswerText, WrapsSentencesAndIndentsTheLinesOfANote) {
    const Answer answer{.sentences = {"one two three four five six"},
                        .notes = {Notice(Code::unknown, {{"text", "seven eight nine ten eleven"}})}};
    const std::string text = text_of(answer, 20);
    EXPECT_EQ(text, "one two three four\nfive six\nNote: seven eight\n      nine ten\n      eleven.\n");
}

TEST(AnswerText, AlignsTheColumnsOfATable) {
    const Answer answer{.title = "A title:",
                        .table = {.rows = {{"Name", "n"}, {"a", "12"}, {"bcdef", ""}}, .right = "lr"}};
    EXPECT_EQ(text_of(answer, 80), "A title:\nName    n\na      12\nbcdef\n");
}

TEST(AnswerOfAll, LeavesOutWhatAnotherNoteSaysBetter) {
    const auto notes = [](const std::vector<Code>& remarks, const std::vector<Code>& warnings) {
        Result result{.kind = &nodes_kind, .rows = std::vector<NodesRow>{{.latency_ns = 90}}};
        for (const Code code : remarks)
            result.remarks.emplace_back(code);
        for (const Code code : warnings)
            result.warnings.emplace_back(code);
        return codes_of(answer_with_warnings(result).notes);
    };
    using Codes = std::vector<Code>;
    for (const Code implied :
         {Code::prefetched, Code::levels_below_prefetching, Code::no_edge, Code::memory_not_reached}) {
        EXPECT_EQ(notes({implied}, {}), Codes{implied});
        EXPECT_EQ(notes({implied}, {Code::prefetcher_follows_stride}), Codes{Code::prefetcher_follows_stride});
        EXPECT_EQ(notes({implied}, {Code::unsettled}), (Codes{implied, Code::unsettled}));
    }
    EXPECT_EQ(notes({Code::many_disturbed}, {}), Codes{Code::many_disturbed});
    EXPECT_EQ(notes({Code::many_disturbed}, {Code::unsettled}), Codes{Code::unsettled});
    EXPECT_EQ(notes({Code::many_disturbed}, {Code::contested_sizes}).size(), 2U) << "each says another thing";
    EXPECT_EQ(notes({}, {Code::busy_machine, Code::others_used}), Codes{Code::others_used});
    EXPECT_EQ(notes({}, {Code::busy_machine}), Codes{Code::busy_machine});
}

TEST(AnswerOfAll, WithoutARowOrAFigureIsOfNotesAlone) {
    EXPECT_EQ(text_of(answer_of(Result{.kind = &sweep_kind}), 80), "");
    const Result none{.kind = &sweep_kind, .warnings = {Notice(Code::busy_machine)}};
    EXPECT_EQ(codes_of(answer_with_warnings(none).notes), std::vector{Code::busy_machine});
    Result loaded{.kind = &loaded_kind};
    loaded.rows = std::vector<LoadRow>{{.load_percent = 50}};
    loaded.warnings = {Notice(Code::busy_machine)};
    const Answer answer = answer_with_warnings(loaded);
    EXPECT_EQ(codes_of(answer.notes), std::vector{Code::busy_machine});
}

TEST(AnswerOfTranslation, SaysWhatHugePagesSaveAndKeepsRemarks) {
    const std::vector<TranslationCost> costs{
        {.thread = 0, .size_bytes = 512, .small_pages_ns = 1.5, .huge_pages_ns = 1.5},
        {.thread = 0, .size_bytes = 1 << 20, .small_pages_ns = 15, .huge_pages_ns = 10, .cost_ns = 5, .noise = 0.05}};
    const Answer answer = answer_of(costs, translation_findings(costs, false));
    EXPECT_TRUE(holds(answer.sentences.at(0), "5.00 (2.91 to 7.43) ns at 1 MiB")) << answer.sentences.at(0);
    EXPECT_EQ(codes_of(answer.notes), std::vector{Code::noise_assumed});
}

TEST(AnswerOfTranslation, SaysThatNothingIsSavedOnlyIfTheNoiseIsSmall) {
    const auto sentence_at = [](double huge_pages_ns) {
        const std::vector<TranslationCost> costs{{.size_bytes = 1 << 20,
                                                  .small_pages_ns = 100,
                                                  .huge_pages_ns = huge_pages_ns,
                                                  .withheld = Withheld::explained_by_noise}};
        return answer_of(costs, {}).sentences.at(0);
    };
    EXPECT_NE(sentence_at(95), sentence_at(150));
    EXPECT_EQ(sentence_at(50), sentence_at(150));
}

TEST(AnswerOfTranslation, GivesThePercentagesOfItsColumn) {
    std::vector<TranslationCost> costs;
    for (const double mib_of_size : {1.0, 2.0, 4.0, 8.0})
        costs.push_back({.size_bytes = mib_of_size * mib,
                         .small_pages_ns = 10 + 2 * mib_of_size,
                         .huge_pages_ns = 10,
                         .cost_ns = 2 * mib_of_size});
    const std::string sentence = answer_of(costs, {}).sentences.at(0);
    const std::string csv = csv_rows(translation_kind, costs);
    EXPECT_NE(sentence.find("160.0 %"), std::string::npos) << sentence;
    EXPECT_NE(csv.find("160.0, \n"), std::string::npos) << csv;
    EXPECT_FALSE(holds(sentence, "do not tell")) << sentence;
    EXPECT_TRUE(holds(sentence, "latency with huge pages")) << "the base: " << sentence;
    costs.push_back({.size_bytes = 16 * mib, .small_pages_ns = 10, .huge_pages_ns = 10});
    EXPECT_TRUE(holds(answer_of(costs, {}).sentences.at(0), "; beyond 8 MiB the sweeps do not tell"));
}

TEST(AnswerOfTranslation, SaysWhereHugePagesSaveTheMostAndHowLargeAGapNoiseExplains) {
    std::vector<TranslationCost> costs;
    const auto sentences = [&] { return answer_of(costs, {}).sentences; };
    const auto add = [&](double mib_of_size, double percent, std::optional<Withheld> why = std::nullopt) {
        costs.push_back({.size_bytes = mib_of_size * mib,
                         .small_pages_ns = 100 + percent,
                         .huge_pages_ns = 100,
                         .cost_ns = why ? std::nullopt : std::optional(percent),
                         .withheld = why});
    };
    add(1, 30);
    add(2, 20);
    EXPECT_TRUE(holds(sentences().at(0), "save 20.0 (20.0 to 20.0) ns at 2 MiB")) << sentences().at(0);
    EXPECT_TRUE(holds(sentences().at(0), "; they save the most, 30.0 (30.0 to 30.0) ns, at 1 MiB"))
        << sentences().at(0);
    costs.front().noise = 0.1;
    EXPECT_FALSE(holds(sentences().at(0), "the most")) << "its range reaches down to the other";
    costs.front().noise = 0;
    for (const double size : {4.0, 8.0})
        add(size, 40, Withheld::explained_by_noise);
    EXPECT_EQ(sentences().size(), 1U) << "two sizes";
    add(16, 60, Withheld::explained_by_noise);
    ASSERT_EQ(sentences().size(), 2U);
    const std::string_view gap = "From 4 MiB to 16 MiB small pages took 40 to 60 % longer";
    EXPECT_TRUE(sentences().at(1).starts_with(gap)) << "of larger sizes than those that are known";
    add(24, 20);
    add(28, 20, Withheld::contested);
    EXPECT_TRUE(sentences().at(1).starts_with(gap)) << "of smaller ones";
    costs.resize(costs.size() - 2);
    add(32, 5, Withheld::explained_by_noise);
    EXPECT_EQ(sentences().size(), 2U) << "they need not be the last";
    costs.erase(costs.begin(), costs.begin() + 2);
    costs.front().withheld = Withheld::reversed;
    add(64, 50, Withheld::explained_by_noise);
    EXPECT_EQ(sentences().size(), 1U) << "not three in a row";
    costs.erase(costs.end() - 2);
    ASSERT_EQ(sentences().size(), 2U);
    EXPECT_TRUE(holds(sentences().at(0), "do not tell")) << "noise may hide what is saved";
}

TEST(AnswerOfTranslation, NamesTheSizesOfWhichNoSavingIsKnownBetweenThoseOfWhichOneIs) {
    std::vector<TranslationCost> costs;
    const auto sentence = [&] { return answer_of(costs, {}).sentences.at(0); };
    const auto add = [&](double mib_of_size, bool is_known) {
        costs.push_back({.size_bytes = mib_of_size * mib, .small_pages_ns = 120, .huge_pages_ns = 100});
        if (is_known)
            costs.back().cost_ns = 20;
        else
            costs.back().withheld = Withheld::disturbed;
    };
    add(1, true);
    EXPECT_FALSE(holds(sentence(), "no saving")) << sentence();
    add(2, false);
    EXPECT_TRUE(sentence().ends_with("huge pages; beyond 1 MiB the sweeps do not tell.")) << sentence();
    costs.clear();
    add(0.125, false); // which no one asks for
    add(1, true);
    EXPECT_FALSE(holds(sentence(), "no saving")) << sentence();
    costs.clear();
    add(1, false);
    for (const double size : {2.0, 16.0})
        add(size, true);
    EXPECT_TRUE(holds(sentence(), "; no saving is known below 2 MiB.")) << sentence();
    costs.pop_back();
    for (const double size : {4.0, 6.0, 8.0})
        add(size, false);
    EXPECT_TRUE(sentence().ends_with("; no saving is known below 2 MiB; beyond 2 MiB the sweeps do not tell."))
        << "the rest is named once: " << sentence();
    add(16, true);
    EXPECT_TRUE(holds(sentence(), "; no saving is known below 2 MiB or at 4 MiB, 6 MiB, 8 MiB."));
    costs.pop_back();
    add(12, false);
    add(16, true);
    EXPECT_TRUE(holds(sentence(), "; no saving is known below 2 MiB or at 4 sizes above 2 MiB.")) << sentence();
}

TEST(AnswerOfTranslation, NotesRemarksOnAnyThread) {
    const Notice notice(Code::grouped_samples, {{"groups", {"row 7"}}});
    const Findings findings{.told = true, .list = {{.key = "level", .notice = notice}, remark(notice, "thread 1 ")}};
    EXPECT_EQ(answer_of(std::vector<TranslationCost>(), findings).notes, std::vector{notice});
}

} // namespace
} // namespace memtest

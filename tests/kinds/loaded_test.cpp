#include "memtest/kinds/loaded.hpp"

#include "memtest/base/error.hpp"
#include "memtest/result/answer.hpp"
#include "support/program.hpp"
#include "support/refusal.hpp"
#include "support/results.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

using Fields = std::vector<std::string>;

const LoadCurve curve{
    .idle_ns = 100, .idle_last_ns = 101.5, .peak = LoadRow{100, 32, 250}, .knee = LoadRow{50, 16, 118}};

/// The values of the finding of this key; null where there is none.
Members values_of(const Findings& findings, std::string_view key) {
    const auto found = std::ranges::find(findings.list, key, &Finding::key);
    return found == findings.list.end() ? Members() : found->notice.values;
}

TEST(LoadedReport, TheSentencesSayWhatIsReadAndWhatIsCounted) {
    const Fields reads = load_sentences(64, {0}, std::size_t{256} << 20U);
    ASSERT_EQ(reads.size(), 2U);
    EXPECT_TRUE(mentions(reads[0], {"256 MiB"}));
    EXPECT_FALSE(mentions(reads[0], {"%"}));
    EXPECT_TRUE(mentions(reads[1], {"64 B"}));
    const Fields writes = load_sentences(128, {33}, 1536);
    EXPECT_TRUE(writes[0].ends_with("1.5 KiB, and changes it in 33 % of them")) << writes[0];
    EXPECT_TRUE(mentions(writes[1], {"128 B"}));
    EXPECT_TRUE(writes[1].starts_with(load_sentences(128, {0}, 1536)[1] + ", "))
        << "a line that is changed counts more";
    EXPECT_TRUE(mentions(load_sentences(128, {0, 33, 50}, 1536)[0], {"0, 33 or 50 %"}));
}

TEST(LoadedReport, TellsIdleLatencyPeakAndKnee) {
    const Findings findings = loaded_findings(curve);
    EXPECT_EQ(told_by(findings),
              (Told{{"idle latency", Code::idle_latency}, {"peak bandwidth", Code::peak}, {"knee", Code::knee}}));
    EXPECT_EQ(values_of(findings, "idle latency"),
              json(R"({"idle_latency_ns": 100.0, "awake_latency_ns": null, "idle_latency_at_end_ns": 101.5})"));
    EXPECT_EQ(values_of(findings, "peak bandwidth"),
              json(R"({"bandwidth_gb_s": 32.0, "latency_ns": 250.0, "times": 2.5, "awake": false})"));
    EXPECT_EQ(values_of(findings, "knee"),
              json(R"({"bandwidth_gb_s": 16.0, "latency_ns": 118.0, "times": 1.18, "awake": false,
                              "most_times": 1.2, "is_peak": false})"));
    LoadCurve flat = curve;
    flat.peak = flat.knee;
    EXPECT_EQ(values_of(loaded_findings(flat), "knee")["is_peak"], true);
    flat.reaches_full_load = false;
    EXPECT_EQ(told_by(loaded_findings(flat)), (Told{{"idle latency", Code::idle_latency}, {"knee", Code::knee}}))
        << "full load may take more";
    EXPECT_EQ(values_of(loaded_findings(flat), "knee")["is_peak"], false);
    LoadCurve steep = curve;
    steep.knee = std::nullopt;
    EXPECT_FALSE(values_of(loaded_findings(steep), "knee").contains("bandwidth_gb_s"));
    EXPECT_TRUE(loaded_findings(LoadCurve{}).list.empty());
}

/// Under full load, where its visits do not agree.
LoadRow unsettled_row(double latency_ns, double low_ns, double high_ns) {
    return {.load_percent = 100,
            .bytes_per_ns = 20,
            .latency_ns = latency_ns,
            .notes = {LoadNote::limit},
            .latency_low_ns = low_ns,
            .latency_high_ns = high_ns};
}

TEST(LoadedReport, TheRangeOfALatencyHoldsItWithLoadAndWithout) {
    Result loaded{.kind = &loaded_kind};
    loaded.rows = std::vector<LoadRow>{unsettled_row(426, 371, 402), unsettled_row(100, 90, 120)};
    std::get<std::vector<LoadRow>>(loaded.rows)[1].load_percent = 0;
    const TextTable table = loaded_kind.facts.answer(loaded).table;
    EXPECT_EQ(table.rows.at(1)[2], "426 (371 to 426) ns");
    EXPECT_EQ(table.rows.at(2), (Fields{"Idle again", "", "100 (90.0 to 120) ns", ""}));
}

TEST(LoadedReport, SaysThatItDoesNotShowWhatLoadDoesWhereNoiseHidesIt) {
    LoadRow peak = unsettled_row(104, 104, 104);
    const auto answer = [&](double last_ns, std::vector<int> processors = {0, 1}) {
        Result loaded{.kind = &loaded_kind};
        const LoadRow awake{.bytes_per_ns = 0, .latency_ns = 103, .notes = {LoadNote::awake}};
        loaded.rows = std::vector<LoadRow>{{0, 0, 100}, awake, peak, {0, 0, last_ns}};
        loaded.run.processors.emplace().ids = std::move(processors);
        return answer_of(loaded);
    };
    EXPECT_TRUE(holds(
        answer(102).sentences.at(0),
        "takes 104 ns at 95 % of the peak or more, 20.0 GB/s from the one load thread, and 100 to 103 ns without"));
    EXPECT_TRUE(
        holds(answer(150, {0, 1, 2}).sentences.at(0), "from the load threads, and 100 to 150 ns without load."));
    EXPECT_EQ(answer(102).table.rows.at(3).back(), "not shown") << "the peak";
    peak.visits = 1;
    EXPECT_TRUE(holds(answer(102).sentences.at(0), "; the peak was measured for a moment only."));
    EXPECT_EQ(answer(102).table.rows.at(3).back(), "not shown");
}

TEST(LoadedReport, NamesAllLatenciesNearThePeakWhereNoiseHidesWhatLoadDoes) {
    Result loaded{.kind = &loaded_kind};
    LoadRow slower = unsettled_row(341, 338, 382);
    LoadRow near = unsettled_row(313, 280, 340);
    LoadRow far = unsettled_row(200, 200, 200);
    near.bytes_per_ns = 0.96 * *slower.bytes_per_ns;
    far.bytes_per_ns = 0.9 * *slower.bytes_per_ns;
    loaded.rows = std::vector<LoadRow>{{0, 0, 300}, far, near, slower};
    EXPECT_TRUE(holds(answer_of(loaded).sentences.at(0), "takes 313 to 341 ns at 95 %")) << "the table has 341";
    EXPECT_TRUE(holds(answer_of(loaded).sentences.at(0), "Load seems to add 13 to 41 ns, but noise"));
    std::get<std::vector<LoadRow>>(loaded.rows)[0].latency_ns = 313;
    EXPECT_TRUE(holds(answer_of(loaded).sentences.at(0), "does not show what load does")) << "one is as fast";
}

TEST(LoadedReport, ComparesWithTheAwakeRowAndSaysNothingOfNoiseThatHidesARiseBelowTheKnee) {
    const auto sentence = [](double peak_ns) {
        Result loaded{.kind = &loaded_kind};
        loaded.rows = std::vector<LoadRow>{
            {.bytes_per_ns = 0, .latency_ns = 100},
            {.bytes_per_ns = 0, .latency_ns = 110, .notes = {LoadNote::awake}},
            {.load_percent = 50, .bytes_per_ns = 10, .latency_ns = 140, .latency_low_ns = 90, .latency_high_ns = 190},
            unsettled_row(peak_ns, peak_ns - 0.1, peak_ns + 0.1)};
        return answer_of(loaded).sentences.at(0);
    };
    EXPECT_TRUE(sentence(125).ends_with(", 1.14 times the 110 ns without load but with the load threads awake."));
    EXPECT_TRUE(holds(sentence(140), " Noise hides the load at which it begins to exceed 1.2 times that."))
        << sentence(140);
}

TEST(LoadedReport, WithAnAwakeRowTheFiguresAreTimesThat) {
    LoadCurve awake = curve;
    awake.awake_ns = 80;
    const Findings findings = loaded_findings(awake);
    EXPECT_EQ(values_of(findings, "idle latency")["awake_latency_ns"], 80);
    EXPECT_EQ(values_of(findings, "peak bandwidth")["times"], 3.125);
    EXPECT_EQ(values_of(findings, "peak bandwidth")["awake"], true);
    EXPECT_EQ(values_of(findings, "knee")["times"], 1.475);
    EXPECT_EQ(values_of(findings, "knee")["awake"], true);
    awake.knee = std::nullopt;
    EXPECT_EQ(values_of(loaded_findings(awake), "knee")["awake"], true);
}

TEST(LoadedReport, TellsTheAwakeLatencyAlsoWhereTheRowAsleepIsEmpty) {
    LoadCurve awake = curve;
    awake.idle_ns.reset();
    awake.awake_ns = 80;
    EXPECT_EQ(values_of(loaded_findings(awake), "idle latency"),
              json(R"({"idle_latency_ns": null, "awake_latency_ns": 80.0, "idle_latency_at_end_ns": 101.5})"));
}

TEST(LoadedReport, WithoutALatencyWithoutLoadTellsNoKnee) {
    LoadCurve loads_alone = curve;
    loads_alone.idle_ns.reset();
    loads_alone.idle_last_ns.reset();
    const Findings findings = loaded_findings(loads_alone);
    EXPECT_EQ(told_by(findings), (Told{{"peak bandwidth", Code::peak}}));
    EXPECT_TRUE(findings.list[0].notice.values["times"].is_null());
}

TEST(LoadedReport, WarnsOfAnEmptyRow) {
    LoadRow row{.batches = 5, .set_aside = 11};
    ASSERT_TRUE(warning_on(row, false).has_value());
    EXPECT_EQ(*warning_on(row, false),
              Notice(Code::load_batches_set_aside, json(R"({"write_percent": null, "load_percent": 0.0,
                     "awake": false, "set_aside": 11, "of": 16})")
                                                       .members()));
    row.notes = {LoadNote::awake, LoadNote::few};
    EXPECT_EQ(warning_on(row, false)->values["awake"], true);
    row = {.load_percent = 50, .batches = 5, .set_aside = 11, .write_percent = 33};
    EXPECT_EQ(warning_on(row, false)->values["load_percent"], 50);
    EXPECT_TRUE(warning_on(row, false)->values["write_percent"].is_null()) << "there is one curve";
    EXPECT_EQ(warning_on(row, true)->values["write_percent"], 33);
    row.latency_ns = 100;
    EXPECT_EQ(warning_on(row, false), std::nullopt);
}

TEST(LoadedReport, RemarksOnSeveralCurvesWhereVisitsDisagree) {
    LoadCurve changed = curve;
    changed.under_load = 12;
    EXPECT_EQ(loaded_findings(changed).list.back().notice.code, Code::knee);
    changed.several = 3;
    EXPECT_EQ(loaded_findings(changed).list.back().key, "remark");
    EXPECT_EQ(loaded_findings(changed).list.back().notice, Notice(Code::several_curves, {{"rows", 3}, {"of", 12}}));
}

TEST(LoadedReport, RemarksOnWhatBeingAwakeChangesWhereItDoes) {
    LoadCurve awake = curve;
    awake.awake_ns = 75;
    EXPECT_EQ(loaded_findings(awake).list.back().notice.code, Code::knee);
    awake.awake_differs = true;
    EXPECT_EQ(loaded_findings(awake).list.back().key, "remark");
    EXPECT_EQ(loaded_findings(awake).list.back().notice,
              Notice(Code::awake_differs, {{"idle_ns", 100.0}, {"awake_ns", 75.0}}));
    awake.idle_ns.reset();
    EXPECT_EQ(loaded_findings(awake).list.back().notice.code, Code::knee) << "there is no figure to name";
}

TEST(LoadedReport, OfSeveralCurvesEachSentenceNamesItsWritesAndJsonHasAListOfThem) {
    LoadCurve other = curve;
    other.awake_ns = 75;
    other.awake_differs = true;
    other.knee.reset();
    const Findings findings = loaded_findings({0, 50}, {curve, other});
    for (const Finding& finding : findings.list) {
        EXPECT_TRUE(finding.key.empty() || finding.notice.values.contains("write_percent")) << finding.key;
    }
    EXPECT_EQ(values_of(findings, "knee")["write_percent"], 0);
    EXPECT_EQ(values_of(findings, "remark")["write_percent"], 50);
    const std::string text = written(loaded_kind, {.format = Format::json}, [&](ResultWriter& writer) {
        writer.begin();
        writer.end(findings);
    });
    const std::string curves =
        R"(  "curves": [
    {"write_percent":0,"idle_latency_ns":100.0,"awake_latency_ns":null,"idle_latency_at_end_ns":101.5,"peak_bandwidth_gb_s":32.0,"knee_bandwidth_gb_s":16.0},
    {"write_percent":50,"idle_latency_ns":100.0,"awake_latency_ns":75.0,"idle_latency_at_end_ns":101.5,"peak_bandwidth_gb_s":32.0,"knee_bandwidth_gb_s":null}
  ],
)";
    EXPECT_NE(text.find(curves), std::string::npos) << text;
    EXPECT_NE(text.find("\"write_percent\": null,\n  \"idle_latency_ns\": null"), std::string::npos) << text;
    EXPECT_EQ(json(text)["remarks"].list().size(), 1U) << text;
    EXPECT_TRUE(loaded_findings({0, 50}, {}).list.empty()) << "of a run that is incomplete";
    EXPECT_EQ(values_of(loaded_findings({0, 50}, {curve}), "idle latency")["write_percent"], 0)
        << "of one that ended within the second curve";
}

TEST(LoadedReport, InJsonItsFindingsAreMembersAndNullWhereThereAreNone) {
    const auto members = [](const std::vector<LoadCurve>& found) {
        const std::string text = written(loaded_kind, {.format = Format::json}, [&](ResultWriter& writer) {
            writer.begin();
            writer.end(loaded_findings({33}, found));
        });
        const std::size_t begin = text.find("  \"write_percent\"");
        return text.substr(begin, text.find("  \"core_clock_range_ghz\"") - begin);
    };
    EXPECT_EQ(members({curve}), "  \"write_percent\": 33,\n  \"idle_latency_ns\": 100.0,\n"
                                "  \"awake_latency_ns\": null,\n"
                                "  \"idle_latency_at_end_ns\": 101.5,\n  \"peak_bandwidth_gb_s\": 32.0,\n"
                                "  \"knee_bandwidth_gb_s\": 16.0,\n  \"curves\": [],\n  \"remarks\": [],\n");
    EXPECT_EQ(members({}), "  \"write_percent\": 33,\n  \"idle_latency_ns\": null,\n"
                           "  \"awake_latency_ns\": null,\n"
                           "  \"idle_latency_at_end_ns\": null,\n  \"peak_bandwidth_gb_s\": null,\n"
                           "  \"knee_bandwidth_gb_s\": null,\n  \"curves\": null,\n  \"remarks\": null,\n");
}

const std::string loaded_header = "Load (%), Bandwidth (GB/s), Access latency (ns)";

TEST(LoadedPoints, AreThoseOfTheFileWhoseFiguresAreKnown) {
    const auto curves = load_curves_of(
        result_of(loaded_header + "\n0.0, 0.000, 100.000\n75.0, , \n80.0, , 150.000\n100.0, 16.000, 200.000\n"));
    ASSERT_EQ(curves.size(), 1U);
    const auto& points = curves[0];
    EXPECT_FALSE(points[0].write_percent.has_value());
    ASSERT_EQ(points.size(), 2U);
    EXPECT_EQ(points[1].load_percent, 100);
    EXPECT_EQ(points[1].bytes_per_ns, 16);
    EXPECT_EQ(points[1].latency_ns, 200);
    EXPECT_THROW(static_cast<void>(load_curves_of(result_of(loaded_header + "\n50.0, , \n"))), Error);
}

TEST(LoadedPoints, OfASecondRowAheadOfTheLoadAreAwakeWhateverTheFirstHas) {
    const auto are_awake = [](const std::string& rows) {
        std::string awake;
        const auto curves = load_curves_of(result_of(loaded_header + "\n" + rows));
        for (const LoadRow& point : curves.front())
            awake += is_awake(point) ? 'a' : '-';
        return awake;
    };
    EXPECT_EQ(are_awake("0, 0, 100\n0, 0, 90\n50, 8, 110\n0, 0, 100\n"), "-a--");
    EXPECT_EQ(are_awake("0, , \n0, 0, 90\n50, 8, 110\n0, 0, 100\n"), "a--") << "the first was disturbed";
    EXPECT_EQ(are_awake("0, 0, 100\n50, 8, 110\n0, 0, 100\n"), "---") << "as older files are";
    EXPECT_EQ(are_awake("0, 0, 100\n50, , \n0, 0, 100\n"), "--") << "the load was disturbed";
}

TEST(LoadedPoints, AreAwakeWhereTheNotesOfTheFileSaySoWhateverTheirPlace) {
    const auto curves = load_curves_of(
        result_of(loaded_header +
                  ", Visits (%), Visits, Batches, Set aside, Notes\n0, 0, 100, 1, 3, 48, 0, \n"
                  "0, 0, 101, 1, 3, 48, 0, \n0, 0, 90, 1, 3, 47, 1, awake preempted\n50, 8, 110, 1, 3, 48, 0, \n"));
    std::vector<double> awake_ns;
    for (const LoadRow& point : curves.front()) {
        if (is_awake(point))
            awake_ns.push_back(*point.latency_ns);
    }
    EXPECT_EQ(awake_ns, std::vector{90.0});
}

TEST(LoadedPoints, OfSeveralSharesOfWritesAreCurvesOfTheirOwn) {
    const auto curves = load_curves_of(
        result_of(loaded_header + ", Writes (%)\n0, 0, 100, 0\n0, 0, 90, 0\n50, 8, 110, 0\n0, 0, 100, 0\n"
                                  "0, 0, 101, 50\n0, 0, 91, 50\n50, 7, 120, 50\n0, 0, 100, 50\n0, , , 100\n"));
    ASSERT_EQ(curves.size(), 2U) << "one has no point";
    EXPECT_EQ(curves[0].front().write_percent, 0U);
    EXPECT_EQ(curves[1].front().write_percent, 50U);
    ASSERT_EQ(curves[1].size(), 4U);
    EXPECT_FALSE(is_awake(curves[1][0]));
    EXPECT_TRUE(is_awake(curves[1][1]));
    EXPECT_FALSE(is_awake(curves[1][2]) || is_awake(curves[1][3]));
    EXPECT_EQ(curves[1][2].latency_ns, 120);
}

} // namespace
} // namespace memtest

#include "memtest/kinds/translation.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"
#include "memtest/chain/cycle.hpp"
#include "memtest/kinds/levels.hpp"
#include "memtest/kinds/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>

namespace memtest {
namespace {

using Type = Column::Type;

constexpr Column ns_column(std::string_view name, std::string_view member, std::string_view meaning) {
    return {.name = name, .member = member, .meaning = meaning};
}

constexpr Column needed(Column column) {
    column.needed = true;
    return column;
}

double reach_in_kib(std::size_t of_pages, double page_bytes) {
    return static_cast<double>(of_pages) * page_bytes / static_cast<double>(kib);
}

Finding tlb_finding(const TlbReport& report, std::size_t place) {
    const Tlb& tlb = report.translation.tlbs[place];
    const std::string name = level_name(static_cast<int>(place) + 1);
    const Members members{{"level", name},
                          {"entries_low", tlb.entries_low},
                          {"entries", tlb.entries},
                          {"entries_high", tlb.entries_high},
                          {"reach_kib", figure(reach_in_kib(tlb.entries, report.page_bytes), significant(10))},
                          {"hit_ns", figure(tlb.hit_ns)},
                          {"miss_ns", figure(tlb.miss_ns)},
                          {"confidence", word_of(tlb.confidence)}};
    Members values = members;
    if (report.core_ghz)
        values.set("hit_cycles", figure(tlb.hit_ns * *report.core_ghz));
    return {fmt::format("tlb {}", name), {Code::tlb, std::move(values)}, {{"tlbs", List{members}}}};
}

Finding beyond_finding(const Translation& translation) {
    List beyond;
    for (const CostAtPages& cost : translation.beyond)
        beyond.emplace_back(Members{{"pages", cost.pages}, {"translation_ns", figure(cost.ns)}});
    const Members members{{"beyond", std::move(beyond)}};
    return {translation.tlbs.size() == 1 ? "beyond tlb L1" : "walk", {Code::page_walks, members}, members};
}

/// Leaves out the sizes of more pages than the cost is known for, if the others reach memory: page walks cost more the
/// less of the page tables the caches hold. Warns of such sizes. @return whether some are still there
bool leave_out_untold_sizes(Result& sweep, const TlbReport& report) {
    const double told_bytes = static_cast<double>(report.most_pages) * report.page_bytes;
    Result told = sweep;
    auto& rows = std::get<std::vector<Row>>(told.rows);
    const auto left_out =
        std::erase_if(rows, [&](const Row& row) { return static_cast<double>(row.size_bytes) > told_bytes; });
    if (left_out == 0)
        return false;
    const std::vector<LevelReport> levels = report_levels(told, true);
    const bool is_enough = !levels.empty() && std::ranges::all_of(levels, [](const LevelReport& thread) {
        return thread.hierarchy.memory.has_value();
    });
    if (is_enough) {
        if (told.run.end && told.run.end->complete())
            told.run.end->measured = told.run.end->planned = rows.size() / levels.size();
        sweep = std::move(told);
    }
    sweep.warnings.push_back({Code::translation_untold, {{"told_to_bytes", told_bytes}, {"are_left_out", is_enough}}});
    return !is_enough;
}

} // namespace

std::optional<double> cost_percent(const TranslationCost& cost) {
    return cost.cost_ns ? std::optional(100 * *cost.cost_ns / cost.huge_pages_ns) : std::nullopt;
}

const KindOf<TlbRow>
    tlb_kind({.command = "tlb",
              .findings = {{"tlbs"}, {"beyond"}, {"remarks"}},
              .parts = {{"tlb", "tlb", "address translation"}}},
             {member_field<&TlbRow::pages, TlbRow>({.name = "Pages",
                                                    .member = "pages",
                                                    .meaning = "pages in use",
                                                    .type = Type::count,
                                                    .lowest = 1,
                                                    .needed = true}),
              member_field<&TlbRow::reach_kib, TlbRow>({.name = "Reach (KiB)",
                                                        .member = "reach_kib",
                                                        .meaning = "size of these pages",
                                                        .digits = significant(10),
                                                        .lowest = 0.001,
                                                        .needed = true,
                                                        .unit_bytes = kib}),
              member_field<&TlbRow::spread_ns, TlbRow>(
                  needed(ns_column("Spread (ns)", "spread_ns", "time of an access with one line in each page"))),
              member_field<&TlbRow::packed_ns, TlbRow>(needed(ns_column("Packed (ns)", "packed_ns",
                                                                        "the same with as many lines in few pages"))),
              member_field<&TlbRow::translation_ns, TlbRow>({.name = "Translation (ns)",
                                                             .member = "translation_ns",
                                                             .meaning = "the difference: what translation adds",
                                                             .lowest = -1e12})});

const KindOf<TranslationCost> translation_kind(
    {.command = "translation", .findings = {{"remarks"}}, .rows = "translation", .measured = false},
    {member_field<&TranslationCost::thread, TranslationCost>(
         {.name = "Thread", .member = "thread", .meaning = "number of the thread, from 0", .type = Type::count}),
     {{.name = "Mem size (MiB)",
       .member = "",
       .meaning = "size of the memory that is walked",
       .digits = decimals(5),
       .highest = 1e14,
       .unit_bytes = mib},
      [](const TranslationCost& cost) { return Value(cost.size_bytes / mib); }},
     {{.name = "", .member = "size_bytes", .meaning = "the exact size", .type = Type::count, .highest = 1.8e19},
      [](const TranslationCost& cost) { return Value(static_cast<std::uint64_t>(std::llround(cost.size_bytes))); }},
     member_field<&TranslationCost::small_pages_ns, TranslationCost>(ns_column("Small pages (ns)", "small_pages_ns",
                                                                               "latency with small pages")),
     member_field<&TranslationCost::huge_pages_ns, TranslationCost>(ns_column("Huge pages (ns)", "huge_pages_ns",
                                                                              "latency with huge pages")),
     member_field<&TranslationCost::cost_ns, TranslationCost>(
         ns_column("Translation (ns)", "translation_ns", "the difference; empty where noise explains it")),
     {{.name = "Translation (%)",
       .member = "translation_percent",
       .meaning = "the difference relative to the latency with huge pages",
       .digits = decimals(1)},
      [](const TranslationCost& cost) { return as_value(cost_percent(cost), exact); }}});

TlbRow tlb_row(const TranslationPoint& point, std::size_t page_bytes) {
    const TranslationRound round = smallest_of(point);
    return {.pages = point.pages,
            .reach_kib = reach_in_kib(point.pages, static_cast<double>(page_bytes)),
            .spread_ns = round.spread_ns,
            .packed_ns = round.packed_ns,
            .translation_ns = round.translation_ns()};
}

Findings tlb_findings(const TlbReport& report) {
    const auto& tlbs = report.translation.tlbs;
    Findings findings{.told = true};
    for (std::size_t place = 0; place < tlbs.size(); ++place)
        findings.list.push_back(tlb_finding(report, place));
    findings.list.push_back(tlbs.empty() ? remark({Code::no_tlb_edge, {{"pages", report.most_pages}}})
                                         : beyond_finding(report.translation));
    if (tlbs.size() == 1)
        findings.list.push_back(remark({Code::no_second_tlb_edge, {{"pages", report.most_pages}}}));
    if (!report.translation.disturbed_pages.empty())
        findings.list.push_back(remark({Code::pages_not_quoted, {{"pages", report.translation.disturbed_pages}}}));
    if (report.splits_huge_pages)
        findings.list.push_back(remark(Notice(Code::huge_pages_split)));
    return findings;
}

TlbReport read_tlb(const Result& tlb) {
    TlbReport report{.translation = {}, .core_ghz = tlb.run.core_clock_ghz};
    std::vector<TranslationPoint> points;
    for (const TlbRow& row : tlb.rows_of<TlbRow>()) {
        const auto of_pages = static_cast<std::size_t>(row.pages);
        if (!points.empty() && of_pages <= points.back().pages)
            throw usage_error(fmt::format("{}: row {} has {} pages, not more than the row before", tlb.name,
                                          points.size() + 1, of_pages));
        points.push_back({.pages = of_pages, .rounds = {{row.spread_ns, row.packed_ns}}});
        report.page_bytes = row.reach_kib * static_cast<double>(kib) / static_cast<double>(row.pages);
    }
    report.translation = read_translation(points, 1 / report.core_ghz.value_or(usual_ghz));
    report.most_pages = points.back().pages;
    return report;
}

Findings stored_tlb_findings(const Result& tlb) {
    Findings findings = tlb_findings(read_tlb(tlb));
    for (const Notice& remark : tlb.remarks) {
        std::erase_if(findings.list, [&remark](const Finding& finding) {
            const Code code = finding.notice.code;
            const Members& values = finding.notice.values;
            switch (remark.code) {
            case Code::no_tlb_edge:
                return true;
            case Code::no_second_tlb_edge:
                return (code == Code::tlb && values["level"] != level_name(1)) || finding.key == "walk";
            case Code::pages_not_quoted:
                return code == Code::page_walks && std::ranges::any_of(values["beyond"].list(), [&](const Value& cost) {
                           return std::ranges::count(remark.values["pages"].list(), cost["pages"]) > 0;
                       });
            default:
                return false;
            }
        });
    }
    return findings;
}

bool subtract_translation(Result& sweep, const Result& tlb) {
    const auto refused = [&](std::string_view why) {
        return usage_error(fmt::format("{} cannot be subtracted from {}: {}", tlb.name, sweep.name, why));
    };
    if (sweep.run.order.value_or(Order::random) != Order::random)
        throw refused("it has no random order; sweep with --random");
    if (sweep.run.tlb_locality_bytes)
        throw refused("--tlb-locality already kept translation out; give the sweep alone");
    if (sweep.run.pages_got && tlb.run.pages_got && pages_differ(*sweep.run.pages_got, *tlb.run.pages_got))
        throw refused(fmt::format("its pages are {}, not {}; measure both with the same --pages",
                                  text_of(*sweep.run.pages_got), text_of(*tlb.run.pages_got)));
    const TlbReport report = read_tlb(tlb);
    std::vector<Row> rows = sweep.rows_of<Row>();
    for (Row& row : rows) {
        constexpr double most_share = 0.8; // the slowest page walks, in a virtual machine, take two thirds
        if (!row.latency_ns)
            continue;
        const auto size_bytes = static_cast<double>(row.size_bytes);
        const double cost_ns = cost_in_random_sweep_ns(report.translation, size_bytes / report.page_bytes);
        if (cost_ns > most_share * *row.latency_ns)
            throw refused(fmt::format("it adds {:.1f} ns at {}, where an access takes {:.1f} ns: it was disturbed, or "
                                      "is of another machine; measure it again",
                                      cost_ns, rounded_size(size_bytes), *row.latency_ns));
        const double share_left = 1 - cost_ns / *row.latency_ns;
        *row.latency_ns *= share_left;
        if (row.latency_cycles)
            *row.latency_cycles *= share_left;
    }
    sweep.rows = std::move(rows);
    const bool are_split = std::ranges::count(tlb.remarks, Code::huge_pages_split, &Notice::code) > 0;
    if (are_split) // lines a huge page apart do not show what the rest of the page costs
        sweep.warnings.emplace_back(Code::page_walks_remain);
    const bool has_untold_sizes = leave_out_untold_sizes(sweep, report);
    return !are_split && !has_untold_sizes && !why_incomplete(tlb);
}

void withhold_costs(std::vector<TranslationCost>& costs, const Result& small_pages, const Result& huge_pages,
                    const std::optional<WalkCost>& walk) {
    std::map<int, CostDoubts> doubts; // by thread
    for (const Result* sweep : {&small_pages, &huge_pages}) {
        for (const ThreadCurve& curve : curves_of(*sweep)) {
            if (!curve.points.empty())
                doubts[curve.thread].sweeps.push_back(read_levels(curve.points, *sweep));
        }
    }
    for (TranslationCost& cost : costs)
        withhold_cost(cost, doubts[cost.thread], walk);
}

Findings translation_findings(std::span<const TranslationCost> costs, bool noise_is_told) {
    const auto told =
        std::ranges::count_if(costs, [](const TranslationCost& cost) { return cost.cost_ns.has_value(); });
    const auto reversed = std::ranges::count_if(costs, &TranslationCost::reversed);
    Findings findings{.told = true};
    findings.list.push_back(
        {"cost",
         {Code::costs_known,
          {{"known", static_cast<std::uint64_t>(told)},
           {"of", costs.size()},
           {"within_noise", static_cast<std::uint64_t>(std::ranges::count(costs, Withheld::explained_by_noise,
                                                                          &TranslationCost::withheld))}}}});
    if (reversed > 0) {
        List names;
        for (const TranslationCost& cost : costs) {
            if (cost.reversed)
                names.emplace_back(rounded_size(cost.size_bytes));
        }
        findings.list.push_back(remark(
            {Code::huge_pages_slower, {{"sizes", static_cast<std::uint64_t>(reversed)}, {"names", std::move(names)}}}));
    }
    for (const Withheld why : {Withheld::at_end_of_level, Withheld::above_walk, Withheld::disturbed}) {
        if (const auto sizes = std::ranges::count(costs, why, &TranslationCost::withheld); sizes > 0)
            findings.list.push_back(
                remark({Code::withheld_costs, {{"sizes", static_cast<std::uint64_t>(sizes)}, {"why", word_of(why)}}}));
    }
    if (!noise_is_told)
        findings.list.push_back(remark(Notice(Code::noise_assumed)));
    return findings;
}

} // namespace memtest

#include "memtest/kinds/tlb.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"
#include "memtest/kinds/figures.hpp"
#include "memtest/kinds/levels.hpp"
#include "memtest/result/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace memtest {
namespace {

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

/// What misses in the first TLB add, as the table has it; empty if it is not known.
std::string cost_of_misses(const TlbReport& report) {
    const Translation& translation = report.translation;
    if (translation.tlbs.empty() || translation.beyond.empty())
        return "";
    std::string walks;
    std::string before;
    for (const CostAtPages& cost : translation.beyond) {
        const std::string ns = ns_text(cost.ns);
        walks += fmt::format("{}{} in {}", walks.empty() ? "" : " and", ns == before ? "" : " " + ns,
                             rounded_size(static_cast<double>(cost.pages) * report.page_bytes));
        before = ns;
    }
    if (translation.beyond.back().pages == report.most_pages)
        walks += "; larger sizes were not measured";
    const std::string_view on_guest =
        report.is_guest && report.page_bytes < static_cast<double>(mib)
            ? " 'memtest tlb --pages thp' may show that the host splits huge pages, so that they save less."
            : "";
    return translation.tlbs.size() == 1
               ? fmt::format("In this run a miss in the first TLB added{}.{}", walks, on_guest)
               : fmt::format(
                     "In this run a miss in the first TLB added {} if the second had the page; else a page walk "
                     "added{}.{}",
                     ns_text(translation.tlbs[1].hit_ns), walks, on_guest);
}

Answer answer_of_tlb(const Result& tlb) {
    TlbReport report = confirmed_tlb(tlb);
    report.splits_huge_pages = std::ranges::count(tlb.remarks, Code::huge_pages_split, &Notice::code) > 0;
    Answer answer = answer_of(report);
    answer.notes = tlb.remarks;
    return answer;
}

/// The entries of the first TLB, hits of the second, and what translation adds beyond both: at the most pages, and at a
/// quarter. It is too noisy nearer than twice the pages that the last TLB may hold.
void add_translation(FigureList& list, const Result& tlb) {
    const Translation found = confirmed_tlb(tlb).translation;
    for (std::size_t place = 0; place < found.tlbs.size(); ++place) {
        const Tlb& one = found.tlbs[place];
        const std::string name = fmt::format("{} TLB", level_name(static_cast<int>(place) + 1));
        constexpr double least_ns = 0.1; // of less, chance decides
        const double hit_ns = std::max(one.hit_ns, least_ns);
        if (place == 0) // hits of it cost nothing, and the edge of a second is no single step
            list.add({.name = name + " entries",
                      .quantity = Quantity::tlb_entries,
                      .value = static_cast<double>(one.entries),
                      .range = FigureRange{std::max(static_cast<double>(one.entries_low), 1.0),
                                           static_cast<double>(one.entries_high)}});
        else if (one.hit_ns > 0)
            list.add({.name = name + " hit",
                      .quantity = Quantity::tlb_hit,
                      .value = hit_ns,
                      .noise = list.beside_others(least_ns / 3 / hit_ns)});
    }
    if (found.walks.empty())
        return;
    const auto& rows = tlb.rows_of<TlbRow>();
    for (const TlbRow& row : rows) {
        constexpr std::size_t far_beyond = 2;
        const bool is_wanted = row.pages == rows.back().pages || 4 * row.pages == rows.back().pages;
        const std::size_t most_held = found.tlbs.back().entries_high;
        if (is_wanted && row.pages >= most_held)
            list.add({.name = fmt::format("page walk at {}", rounded_size(row.reach_kib * static_cast<double>(kib))),
                      .quantity = Quantity::page_walk,
                      .value = row.translation_ns.value_or(0),
                      .doubt = std::ranges::count(found.disturbed_pages, row.pages) > 0 ? Why::disturbed
                               : row.pages < far_beyond * most_held                     ? Why::noise
                                                                                        : Why::none});
    }
}

} // namespace

const KindOf<TlbRow> tlb_kind(
    {.command = "tlb",
     .findings = {{"tlbs"}, {"beyond"}},
     .parts = {{"tlb", "tlb", "address translation"}},
     .answer = answer_of_tlb,
     .add_figures = add_translation},
    {column_of<&TlbRow::pages>("Pages", "pages", "pages in use", {.lowest = 1, .needed = true}),
     column_of<&TlbRow::reach_kib>("Reach (KiB)", "reach_kib", "size of these pages",
                                   {.digits = significant(10), .lowest = 0.001, .needed = true, .unit_bytes = kib}),
     column_of<&TlbRow::spread_ns>("Spread (ns)", "spread_ns", "time of an access with one line in each page",
                                   {.needed = true}),
     column_of<&TlbRow::packed_ns>("Packed (ns)", "packed_ns", "the same with as many lines in few pages",
                                   {.needed = true}),
     column_of<&TlbRow::translation_ns>("Translation (ns)", "translation_ns", "the difference: what translation adds",
                                        {.lowest = -1e12})});

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
    std::vector<TranslationPoint> points;
    double page_bytes = 0;
    for (const TlbRow& row : tlb.rows_of<TlbRow>()) {
        const auto of_pages = static_cast<std::size_t>(row.pages);
        if (!points.empty() && of_pages <= points.back().pages)
            throw usage_error(fmt::format("{}: row {} has {} pages, not more than the row before", tlb.name,
                                          points.size() + 1, of_pages));
        points.push_back({.pages = of_pages, .rounds = {{row.spread_ns, row.packed_ns}}});
        page_bytes = row.reach_kib * static_cast<double>(kib) / static_cast<double>(row.pages);
    }
    return read_tlb(points, page_bytes, tlb.run);
}

TlbReport read_tlb(TranslationCurve points, double page_bytes, const RunDescription& run) {
    TlbReport report{.translation = read_translation(points, 1 / run.core_clock_ghz.value_or(usual_ghz)),
                     .page_bytes = page_bytes,
                     .most_pages = points.back().pages,
                     .core_ghz = run.core_clock_ghz,
                     .is_guest = run.virtual_machine.value_or(false)};
    std::vector<Tlb>& tlbs = report.translation.tlbs;
    // Beside another guest on the core of a Zen 3, 1280 to 1792 of 2048 entries were left, with a clear edge.
    if (report.is_guest && tlbs.size() > 1)
        tlbs.back().confidence = std::max(tlbs.back().confidence, Confidence::fair);
    return report;
}

Answer answer_of(const TlbReport& report) {
    Answer answer;
    TextTable& table = answer.table;
    table = {.rows = {{"TLB", "Entries", "Reach", "Adds", "Confidence"}}, .right = "lrrrl"};
    for (std::size_t place = 0; place < report.translation.tlbs.size(); ++place) {
        const Tlb& found = report.translation.tlbs[place];
        table.rows.push_back({level_name(static_cast<int>(place) + 1),
                              found.entries_low + 1 == found.entries_high
                                  ? fmt::format("{}", found.entries)
                                  : fmt::format("{} ({} to {})", found.entries, found.entries_low, found.entries_high),
                              report.splits_huge_pages // the entries hold less
                                  ? ""
                                  : rounded_size(static_cast<double>(found.entries) * report.page_bytes),
                              place == 0 ? "" : ns_text(found.hit_ns), std::string(word_of(found.confidence))});
    }
    const bool is_of_walks = report.translation.tlbs.size() > 1; // else it may be a TLB that holds all pages
    for (const CostAtPages& cost : report.translation.beyond) {
        if (table.rows.size() > 1)
            table.rows.push_back({fmt::format("{} at {} pages", is_of_walks ? "Walk" : "Miss", cost.pages), "",
                                  rounded_size(static_cast<double>(cost.pages) * report.page_bytes), ns_text(cost.ns),
                                  ""});
    }
    if (const std::string sentence = cost_of_misses(report); !sentence.empty())
        answer.sentences.push_back(sentence);
    return answer;
}

TlbReport confirmed_tlb(const Result& tlb) {
    TlbReport report = read_tlb(tlb);
    Translation& translation = report.translation;
    for (const Notice& remark : tlb.remarks) {
        std::vector<std::size_t> pages;
        if (remark.code == Code::no_tlb_edge) {
            translation = {};
        } else if (remark.code == Code::no_second_tlb_edge && translation.tlbs.size() > 1) {
            translation = {.tlbs = {translation.tlbs.front()}, .beyond = {}};
        } else if (remark.code == Code::pages_not_quoted && read_value(remark.values["pages"], pages)) {
            std::erase_if(translation.beyond,
                          [&](const CostAtPages& cost) { return std::ranges::count(pages, cost.pages) > 0; });
            translation.disturbed_pages = std::move(pages);
        }
    }
    return report;
}

} // namespace memtest

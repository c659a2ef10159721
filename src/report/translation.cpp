#include "memtest/report/translation.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"
#include "memtest/chain/cycle.hpp"
#include "memtest/report/levels.hpp"
#include "memtest/report/sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

namespace memtest {
namespace {

using Type = Column::Type;

constexpr std::array tlb_columns{
    Column{.name = "Pages", .member = "pages", .type = Type::count, .lowest = 1, .needed = true},
    Column{.name = "Reach (KiB)",
           .member = "reach_kib",
           .digits = significant(10),
           .lowest = 0.001,
           .needed = true,
           .unit_bytes = kib},
    Column{.name = "Spread (ns)", .member = "spread_ns", .needed = true},
    Column{.name = "Packed (ns)", .member = "packed_ns", .needed = true},
    Column{.name = "Translation (ns)", .member = "translation_ns", .lowest = -1e12}};

namespace tlb_column {
enum Place : std::size_t { pages, reach_kib, spread_ns, packed_ns };
}

constexpr std::array tlb_members{FindingMember{"tlbs"}, FindingMember{"beyond"}, FindingMember{"remarks"}};

constexpr std::array translation_columns{
    Column{.name = "Thread", .member = "thread", .type = Type::count},
    Column{.name = "Mem size (MiB)", .member = "", .digits = decimals(5), .highest = 1e14, .unit_bytes = mib},
    Column{.name = "", .member = "size_bytes", .type = Type::count, .highest = 1.8e19},
    Column{.name = "Small pages (ns)", .member = "small_pages_ns"},
    Column{.name = "Huge pages (ns)", .member = "huge_pages_ns"},
    Column{.name = "Translation (ns)", .member = "translation_ns"},
    Column{.name = "Translation (%)", .member = "translation_percent", .digits = decimals(1)}};

constexpr std::array translation_members{FindingMember{"remarks"}};

double reach_in_kib(std::size_t of_pages, double page_bytes) {
    return static_cast<double>(of_pages) * page_bytes / static_cast<double>(kib);
}

std::string describe_entries(const Tlb& tlb) {
    if (tlb.entries_low + 1 == tlb.entries_high)
        return fmt::format("{} entries", tlb.entries);
    return fmt::format("{} to {} entries, best estimate {}", tlb.entries_low, tlb.entries_high, tlb.entries);
}

Finding tlb_finding(const TlbReport& report, std::size_t place) {
    const Tlb& tlb = report.translation.tlbs[place];
    const double reach = reach_in_kib(tlb.entries, report.page_bytes);
    const std::string cycles = report.core_ghz ? fmt::format(" ({:.0f} cycles)", tlb.hit_ns * *report.core_ghz) : "";
    const std::string hit = place == 0 ? "" : fmt::format(", +{:.1f} ns{}", tlb.hit_ns, cycles);
    return {fmt::format("tlb {}", level_name(place)),
            fmt::format("{} (reach {}){}, confidence {}", describe_entries(tlb),
                        rounded_size(reach * static_cast<double>(kib)), hit, word_of(tlb.confidence)),
            {{"tlbs", Value::List{Value::Members{{"level", level_name(place)},
                                                 {"entries_low", tlb.entries_low},
                                                 {"entries", tlb.entries},
                                                 {"entries_high", tlb.entries_high},
                                                 {"reach_kib", {reach, significant(10)}},
                                                 {"hit_ns", {tlb.hit_ns, decimals(3)}},
                                                 {"miss_ns", {tlb.miss_ns, decimals(3)}},
                                                 {"confidence", word_of(tlb.confidence)}}}}}};
}

Finding beyond_finding(const Translation& translation) {
    Value::List beyond;
    for (const CostAtPages& cost : translation.beyond)
        beyond.emplace_back(Value::Members{{"pages", cost.pages}, {"translation_ns", {cost.ns, decimals(3)}}});
    return {translation.tlbs.size() == 1 ? "beyond tlb L1" : "walk",
            fmt::format("+{:.1f} ns at twice the reach, +{:.1f} ns at {} pages", translation.beyond.front().ns,
                        translation.beyond.back().ns, translation.beyond.back().pages),
            {{"beyond", std::move(beyond)}}};
}

} // namespace

const Kind tlb_kind{.verb = "tlb", .columns = tlb_columns, .findings = tlb_members};

const Kind translation_kind{.verb = "translation",
                            .columns = translation_columns,
                            .findings = translation_members,
                            .rows = "translation",
                            .measured = false};

ResultRow tlb_row(const TranslationPoint& point, std::size_t page_bytes) {
    const TranslationRound round = smallest_of(point);
    return {{point.pages, reach_in_kib(point.pages, static_cast<double>(page_bytes)), round.spread_ns, round.packed_ns,
             round.translation_ns()}};
}

Findings tlb_findings(const TlbReport& report) {
    const auto& tlbs = report.translation.tlbs;
    Findings findings{.told = true};
    for (std::size_t place = 0; place < tlbs.size(); ++place)
        findings.list.push_back(tlb_finding(report, place));
    findings.list.push_back(
        tlbs.empty()
            ? remark(fmt::format("no edge up to {} pages: no TLB ends there, or something other than translation takes "
                                 "the time, as under an emulator",
                                 report.most_pages))
            : beyond_finding(report.translation));
    if (tlbs.size() == 1)
        findings.list.push_back(remark(fmt::format("no second edge up to {} pages: behind the first TLB come page "
                                                   "walks, or a TLB that holds them all",
                                                   report.most_pages)));
    if (!report.translation.disturbed_pages.empty())
        findings.list.push_back(remark(fmt::format("disturbed and not quoted: the cost at {} pages; measure again",
                                                   fmt::join(report.translation.disturbed_pages, ", "))));
    if (report.splits_huge_pages)
        findings.list.push_back(remark("huge pages are translated as small ones and save no page walks, as where the "
                                       "host of a virtual machine splits them"));
    return findings;
}

TlbReport read_tlb(const Result& tlb) {
    TlbReport report{.translation = {}, .core_ghz = tlb.run.core_clock_ghz};
    std::vector<TranslationPoint> points;
    for (const ResultRow& row : tlb.rows) {
        const auto of_pages = static_cast<std::size_t>(*row.number(tlb_column::pages));
        if (!points.empty() && of_pages <= points.back().pages)
            throw usage_error(fmt::format("{}: row {} has {} pages, not more than the row before", tlb.name,
                                          points.size() + 1, of_pages));
        points.push_back(
            {.pages = of_pages, .rounds = {{*row.number(tlb_column::spread_ns), *row.number(tlb_column::packed_ns)}}});
        report.page_bytes =
            *row.number(tlb_column::reach_kib) * static_cast<double>(kib) / *row.number(tlb_column::pages);
    }
    report.translation = read_translation(points, 1 / report.core_ghz.value_or(usual_ghz));
    report.most_pages = points.back().pages;
    return report;
}

bool take_translation_off(Result& sweep, const Result& tlb) {
    const auto refused = [&](std::string_view why) {
        return usage_error(fmt::format("{} cannot be taken off {}: {}", tlb.name, sweep.name, why));
    };
    if (sweep.run.order.value_or(Order::random) != Order::random)
        throw refused("it has no random order; sweep with --random");
    if (sweep.run.tlb_locality_bytes)
        throw refused("--tlb-locality already kept translation out; give the sweep alone");
    if (sweep.run.pages_got && tlb.run.pages_got && pages_differ(*sweep.run.pages_got, *tlb.run.pages_got))
        throw refused(fmt::format("its pages are {}, not {}; measure both with the same --pages",
                                  text_of(*sweep.run.pages_got), text_of(*tlb.run.pages_got)));
    const TlbReport report = read_tlb(tlb);
    std::vector<ResultRow> rows = sweep.rows;
    for (ResultRow& row : rows) {
        constexpr double most_share = 0.8; // page walks at their worst, of a virtual machine, take two thirds
        const auto latency_ns = row.number(sweep_column::latency_ns);
        if (!latency_ns)
            continue;
        const double cost_ns = cost_in_random_sweep_ns(report.translation, size_of(row) / report.page_bytes);
        if (cost_ns > most_share * *latency_ns)
            throw refused(fmt::format("it tells of {:.1f} ns at {}, where an access takes {:.1f} ns: it was disturbed, "
                                      "or is of another machine; measure it again",
                                      cost_ns, rounded_size(size_of(row)), *latency_ns));
        for (const std::size_t column : {sweep_column::latency_ns, sweep_column::cycles}) {
            if (const auto number = row.number(column))
                row.values[column] = *number * (1 - cost_ns / *latency_ns);
        }
    }
    sweep.rows = std::move(rows);
    return !why_incomplete(tlb);
}

std::vector<ResultRow> translation_rows(std::span<const TranslationCost> costs) {
    std::vector<ResultRow> rows;
    for (const TranslationCost& cost : costs)
        rows.push_back({{cost.thread, cost.size_bytes / mib, std::llround(cost.size_bytes), cost.small_pages_ns,
                         cost.huge_pages_ns, cost.cost_ns,
                         cost.cost_ns ? std::optional(100 * *cost.cost_ns / cost.huge_pages_ns) : std::nullopt}});
    return rows;
}

Findings translation_findings(std::span<const TranslationCost> costs, bool noise_is_told) {
    const auto told =
        std::ranges::count_if(costs, [](const TranslationCost& cost) { return cost.cost_ns.has_value(); });
    const auto reversed = std::ranges::count_if(costs, &TranslationCost::reversed);
    Findings findings{.told = true};
    findings.list.push_back({"cost", fmt::format("known at {} of {} sizes; at the others noise explains the difference",
                                                 told, costs.size())});
    if (reversed > 0)
        findings.list.push_back(remark(fmt::format("at {} huge pages were slower by more than noise explains; "
                                                   "something else differed, sweep again",
                                                   counted(static_cast<std::uint64_t>(reversed), "size"))));
    if (const auto doubtful = std::ranges::count_if(costs, &TranslationCost::doubtful); doubtful > 0)
        findings.list.push_back(remark(
            fmt::format("doubtful at {}: the latencies differ twice as much as at the sizes beside {}; sweep again",
                        counted(static_cast<std::uint64_t>(doubtful), "size"), doubtful == 1 ? "it" : "them")));
    if (!noise_is_told)
        findings.list.push_back(remark("not all sizes say how noisy they were: an ordinary noise is assumed; sweep "
                                       "with --stats"));
    return findings;
}

} // namespace memtest

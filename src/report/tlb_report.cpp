#include "memtest/report/tlb_report.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"
#include "memtest/report/json_text.hpp"
#include "memtest/report/levels_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace memtest {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of_reach(std::size_t pages, std::size_t page_bytes) {
    return fmt::format("{:.10g}", static_cast<double>(pages) * static_cast<double>(page_bytes) / kib);
}

std::string describe_entries(const Tlb& tlb) {
    if (tlb.entries_low + 1 == tlb.entries_high)
        return fmt::format("{} entries", tlb.entries);
    return fmt::format("{} to {} entries, best estimate {}", tlb.entries_low, tlb.entries_high, tlb.entries);
}

std::string in_cycles(double ns, std::optional<double> core_ghz) {
    return core_ghz ? fmt::format(" ({:.0f} cycles)", ns * *core_ghz) : "";
}

std::string describe_tlb(const TlbReport& report, std::size_t place) {
    const Tlb& tlb = report.translation.tlbs[place];
    const std::string hit =
        place == 0 ? "" : fmt::format(", +{:.1f} ns{}", tlb.hit_ns, in_cycles(tlb.hit_ns, report.core_ghz));
    return fmt::format("{} (reach {} KiB){}, confidence {}", describe_entries(tlb),
                       text_of_reach(tlb.entries, report.page_bytes), hit, word_of(tlb.confidence));
}

std::string describe_beyond(const Translation& translation) {
    return fmt::format("+{:.1f} ns at twice the reach, +{:.1f} ns at {} pages", translation.beyond.front().ns,
                       translation.beyond.back().ns, translation.beyond.back().pages);
}

std::vector<std::string> remarks_on(const TlbReport& report) {
    std::vector<std::string> remarks;
    if (report.translation.tlbs.empty())
        remarks.push_back(fmt::format("no edge up to {} pages: no TLB ends there, or something other than translation "
                                      "takes the time, as under an emulator",
                                      report.most_pages));
    if (report.translation.tlbs.size() == 1)
        remarks.push_back(fmt::format("no second edge up to {} pages: behind the first TLB come page walks, or a TLB "
                                      "that holds them all",
                                      report.most_pages));
    if (!report.translation.disturbed_pages.empty())
        remarks.push_back(fmt::format("disturbed and not quoted: the cost at {} pages; measure again",
                                      fmt::join(report.translation.disturbed_pages, ", ")));
    if (report.splits_huge_pages)
        remarks.emplace_back("huge pages are translated as small ones and save no page walks, as where the host of a "
                             "virtual machine splits them");
    return remarks;
}

Json tlb_object(const TlbReport& report, std::size_t place) {
    const Tlb& tlb = report.translation.tlbs[place];
    return {{"level", level_name(place)},
            {"entries_low", tlb.entries_low},
            {"entries", tlb.entries},
            {"entries_high", tlb.entries_high},
            {"reach_kib", json_value(text_of_reach(tlb.entries, report.page_bytes))},
            {"hit_ns", json_number(tlb.hit_ns, 3)},
            {"miss_ns", json_number(tlb.miss_ns, 3)},
            {"confidence", word_of(tlb.confidence)}};
}

} // namespace

std::vector<std::string> tlb_row(const TranslationPoint& point, std::size_t page_bytes) {
    const TranslationRound round = smallest_of(point);
    return {fmt::format("{}", point.pages), text_of_reach(point.pages, page_bytes), fixed(round.spread_ns, 3),
            fixed(round.packed_ns, 3), fixed(round.translation_ns(), 3)};
}

KeyedLines tlb_lines(const TlbReport& report) {
    const Translation& translation = report.translation;
    KeyedLines lines;
    for (std::size_t place = 0; place < translation.tlbs.size(); ++place)
        lines.emplace_back(fmt::format("tlb {}", level_name(place)), describe_tlb(report, place));
    if (!translation.tlbs.empty())
        lines.emplace_back(translation.tlbs.size() == 1 ? "beyond tlb L1" : "walk", describe_beyond(translation));
    for (const std::string& remark : remarks_on(report))
        lines.emplace_back("remark", remark);
    return lines;
}

std::string tlb_members(const std::optional<TlbReport>& report) {
    if (!report)
        return json_members({{"tlbs", nullptr}, {"beyond", nullptr}, {json_remarks, nullptr}});
    Json tlbs = Json::array();
    for (std::size_t place = 0; place < report->translation.tlbs.size(); ++place)
        tlbs.push_back(tlb_object(*report, place));
    Json beyond = Json::array();
    for (const CostAtPages& cost : report->translation.beyond)
        beyond.push_back({{"pages", cost.pages}, {"translation_ns", json_number(cost.ns, 3)}});
    return json_members({{"tlbs", tlbs}, {"beyond", beyond}, {json_remarks, remarks_on(*report)}});
}

} // namespace memtest

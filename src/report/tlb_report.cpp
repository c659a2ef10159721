#include "memtest/report/tlb_report.hpp"

#include "memtest/report/levels_report.hpp"

#include <fmt/format.h>

namespace memtest {
namespace {

double reach_kib(std::size_t pages, std::size_t page_bytes) {
    return static_cast<double>(pages) * static_cast<double>(page_bytes) / 1024;
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
    return fmt::format("{} (reach {:.10g} KiB){}, confidence {}", describe_entries(tlb),
                       reach_kib(tlb.entries, report.page_bytes), hit, word_of(tlb.confidence));
}

std::string describe_beyond(const Translation& translation) {
    return fmt::format("+{:.1f} ns at twice the reach, +{:.1f} ns at {} pages", translation.beyond.front().ns,
                       translation.beyond.back().ns, translation.beyond.back().pages);
}

} // namespace

std::string tlb_row(const TranslationPoint& point, std::size_t page_bytes) {
    const TranslationRound round = smallest_of(point);
    return fmt::format("{}, {:.10g}, {:.3f}, {:.3f}, {:.3f}\n", point.pages, reach_kib(point.pages, page_bytes),
                       round.spread_ns, round.packed_ns, round.translation_ns());
}

KeyedLines tlb_lines(const TlbReport& report) {
    const Translation& translation = report.translation;
    KeyedLines lines;
    for (std::size_t place = 0; place < translation.tlbs.size(); ++place)
        lines.emplace_back(fmt::format("tlb {}", level_name(place)), describe_tlb(report, place));
    if (translation.tlbs.empty())
        lines.emplace_back("remark", fmt::format("no edge up to {} pages: no TLB ends there, or translation is not "
                                                 "what takes the time, as under an emulator",
                                                 report.most_pages));
    if (translation.tlbs.size() == 1) {
        lines.emplace_back("beyond tlb L1", describe_beyond(translation));
        lines.emplace_back("remark", fmt::format("no second edge up to {} pages: the first TLB is followed by one that "
                                                 "holds them all, or by page walks",
                                                 report.most_pages));
    }
    if (translation.tlbs.size() > 1)
        lines.emplace_back("walk", describe_beyond(translation));
    if (report.splits_huge_pages)
        lines.emplace_back("remark", "the huge pages are translated in small ones, as where the host of a virtual "
                                     "machine splits them: they take no page walks out");
    return lines;
}

} // namespace memtest

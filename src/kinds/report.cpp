#include "memtest/kinds/report.hpp"

#include "memtest/base/error.hpp"
#include "memtest/kinds/translation.hpp"
#include "memtest/result/result_taker.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace memtest {
namespace {

/// Subtracts translation from a sweep if possible. @return whether that is the full cost
bool subtract_if_possible(const Result* tlb, Result& sweep) {
    try {
        return tlb != nullptr && have_same_pages(sweep, *tlb) && subtract_translation(sweep, *tlb);
    } catch (const Error&) { // it was disturbed
        return false;
    }
}

} // namespace

void check_report(const StoredFile& file) {
    if (!file.is_report)
        throw usage_error(
            fmt::format("{}: holds {}, and a report is needed here", file.name, described(*file.results.front().kind)));
}

bool have_same_pages(const Result& a, const Result& b) {
    return a.run.pages_got && b.run.pages_got && !pages_differ(*a.run.pages_got, *b.run.pages_got);
}

std::string core_kinds_of(const Result& part) {
    return part.run.core_kinds ? fmt::format("{}", fmt::join(*part.run.core_kinds, " and ")) : "";
}

std::vector<Result> parts_of(const StoredFile& report, std::string_view section) {
    std::vector<Result> parts;
    std::ranges::copy_if(report.results, std::back_inserter(parts),
                         [&](const Result& part) { return section_of_part(part.part) == section; });
    return parts;
}

const Result* huge_pages_of(const StoredFile& report) {
    const Result* small = find_part(report.results, "sweep");
    const Result* huge = find_part(report.results, "huge");
    return huge == nullptr || (small != nullptr && have_same_pages(*huge, *small)) ? nullptr : huge;
}

const Result* sweep_of_levels(const StoredFile& report) {
    const Result* huge = huge_pages_of(report);
    return huge != nullptr ? huge : find_part(report.results, "sweep");
}

std::optional<BestSweep> best_sweep_of(const StoredFile& report) {
    const Result* sweep = sweep_of_levels(report);
    if (sweep == nullptr)
        return std::nullopt;
    BestSweep best{.sweep = *sweep, .levels = {}};
    best.translation_is_off =
        huge_pages_of(report) == nullptr && subtract_if_possible(find_part(report.results, "tlb"), best.sweep);
    best.levels = report_levels(best.sweep, best.translation_is_off).front();
    return best;
}

std::vector<TranslationCost> translation_costs_of(const StoredFile& report) {
    const Result* small = find_part(report.results, "sweep");
    const Result* huge = huge_pages_of(report);
    return small == nullptr || huge == nullptr ? std::vector<TranslationCost>()
                                               : translation_costs(*small, *huge, find_part(report.results, "tlb"));
}

} // namespace memtest

#include "memtest/kinds/report_parts.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/insight/translation.hpp"
#include "memtest/kinds/loaded.hpp"
#include "memtest/kinds/matrix.hpp"
#include "memtest/kinds/prefetch.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/kinds/tail.hpp"
#include "memtest/kinds/translation.hpp"
#include "memtest/result/result_taker.hpp"
#include "memtest/result/run_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <variant>

namespace memtest {
namespace {

/// What there is once.
using Place = std::optional<Result> ReportResults::*;
/// What there may be several of, with a number behind the name.
using SeveralPlaces = std::vector<Result> ReportResults::*;

struct PlaceOfPart {
    std::string_view start; ///< of its name
    std::variant<Place, SeveralPlaces> place;
};

/// In the order of the file.
constexpr std::array<PlaceOfPart, 10> places{{{"sweep", &ReportResults::small_pages},
                                              {"huge", &ReportResults::huge_pages},
                                              {"kind", &ReportResults::other_kinds},
                                              {"parallel", &ReportResults::parallel},
                                              {"tlb", &ReportResults::tlb},
                                              {"cores", &ReportResults::cores},
                                              {"loaded", &ReportResults::loaded},
                                              {"tail", &ReportResults::tail},
                                              {"nodes", &ReportResults::nodes},
                                              {"prefetch", &ReportResults::prefetch}}};

std::optional<WalkCost> most_of_walk(const std::optional<Result>& tlb) {
    if (!tlb)
        return std::nullopt;
    const TlbReport report = read_tlb(*tlb);
    if (report.translation.beyond.empty())
        return std::nullopt;
    WalkCost walk;
    for (const CostAtPages& cost : report.translation.beyond) {
        walk.ns = std::max(walk.ns, cost.ns);
        walk.to_bytes = std::max(walk.to_bytes, static_cast<double>(cost.pages) * report.page_bytes);
    }
    return walk;
}

} // namespace

bool have_same_pages(const Result& a, const Result& b) {
    return a.run.pages_got && b.run.pages_got && !pages_differ(*a.run.pages_got, *b.run.pages_got);
}

bool ReportResults::has_huge_pages() const {
    return huge_pages && (!small_pages || !have_same_pages(*huge_pages, *small_pages));
}

std::string ReportResults::plot_of(std::string_view part) const {
    const auto found = plots.find(part);
    return found == plots.end() ? "" : found->second;
}

void put_part(ReportResults& results, Result part) {
    require(kind_of_part(part.part) == part.kind, "a part of a report is of its kind");
    const auto* const known =
        std::ranges::find_if(places, [&](const PlaceOfPart& place) { return part.part.starts_with(place.start); });
    if (const Place* const place = std::get_if<Place>(&known->place)) {
        results.** place = std::move(part);
        return;
    }
    std::vector<Result>& several = results.*std::get<SeveralPlaces>(known->place);
    const auto there = std::ranges::find(several, part.part, &Result::part);
    (there == several.end() ? several.emplace_back() : *there) = std::move(part);
}

bool is_shown(const TranslationCost& cost) {
    const double fours = std::log2(cost.size_bytes / (64 * kib)) / 2;
    return fours >= 0 && fours == std::floor(fours);
}

std::vector<TranslationCost> translation_costs_of(const ReportResults& results) {
    if (!results.small_pages || !results.has_huge_pages())
        return {};
    std::vector<TranslationCost> costs =
        translation_costs(figures_of(*results.small_pages), figures_of(*results.huge_pages));
    withhold_costs(costs, *results.small_pages, *results.huge_pages, most_of_walk(results.tlb));
    return costs;
}

ReportResults report_of(StoredFile file) {
    if (!file.is_report)
        throw usage_error(
            fmt::format("{}: holds {}, and a report is needed here", file.name, described(*file.results.front().kind)));
    ReportResults results{};
    for (Result& part : file.results)
        put_part(results, std::move(part));
    results.missing = std::move(file.missing);
    return results;
}

std::vector<const Result*> parts_of(const ReportResults& results) {
    std::vector<const Result*> parts;
    for (const PlaceOfPart& known : places) {
        if (const Place* const place = std::get_if<Place>(&known.place); place != nullptr) {
            if (const std::optional<Result>& part = results.**place)
                parts.push_back(&*part);
        } else {
            for (const Result& part : results.*std::get<SeveralPlaces>(known.place))
                parts.push_back(&part);
        }
    }
    return parts;
}

} // namespace memtest

#include "memtest/report/report_parts.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/insight/translation.hpp"
#include "memtest/report/json.hpp"
#include "memtest/report/loaded.hpp"
#include "memtest/report/matrix.hpp"
#include "memtest/report/output_file.hpp"
#include "memtest/report/prefetch.hpp"
#include "memtest/report/run_description.hpp"
#include "memtest/report/sweep.hpp"
#include "memtest/report/tail.hpp"
#include "memtest/report/translation.hpp"

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

struct PartOfReport {
    std::string_view name;
    std::string_view section; ///< the word by which it is chosen
    std::string_view words;
    const Kind* kind;
    std::variant<Place, SeveralPlaces> place;

    [[nodiscard]] bool is_called(std::string_view text) const {
        if (std::holds_alternative<Place>(place))
            return text == name;
        return text.starts_with(name) && parse_number<unsigned>(text.substr(name.size()));
    }
};

/// In the order of the file.
const std::array<PartOfReport, 10> parts_of_report{
    {{"sweep", "levels", "sweep with small pages", &sweep_kind, &ReportResults::small_pages},
     {"huge", "levels", "sweep with huge pages", &sweep_kind, &ReportResults::huge_pages},
     {"kind", "kinds", "sweep on another kind of core", &sweep_kind, &ReportResults::other_kinds},
     {"parallel", "parallel", "parallel chains", &sweep_kind, &ReportResults::parallel},
     {"tlb", "tlb", "address translation", &tlb_kind, &ReportResults::tlb},
     {"cores", "cores", "core-to-core latency", &cores_kind, &ReportResults::cores},
     {"loaded", "loaded", "latency under load", &loaded_kind, &ReportResults::loaded},
     {"tail", "tail", "latency distribution", &tail_kind, &ReportResults::tail},
     {"nodes", "nodes", "latency and bandwidth between nodes", &nodes_kind, &ReportResults::nodes},
     {"prefetch", "prefetch", "prefetchers", &prefetch_kind, &ReportResults::prefetch}}};

const PartOfReport* part_called(std::string_view name) {
    const auto* const found =
        std::ranges::find_if(parts_of_report, [&](const PartOfReport& part) { return part.is_called(name); });
    return found == parts_of_report.end() ? nullptr : found;
}

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

const Kind* kind_of_part(std::string_view name) {
    const PartOfReport* const part = part_called(name);
    return part == nullptr ? nullptr : part->kind;
}

std::vector<std::pair<std::string, const Kind*>> patterns_of_parts() {
    std::vector<std::pair<std::string, const Kind*>> patterns;
    for (const PartOfReport& part : parts_of_report) {
        const bool is_single = std::holds_alternative<Place>(part.place);
        patterns.emplace_back(fmt::format("^{}{}$", part.name, is_single ? "" : "[0-9]+"), part.kind);
    }
    return patterns;
}

std::string part_in_words(std::string_view name) {
    const auto* const part = std::ranges::find_if(
        parts_of_report, [&](const PartOfReport& known) { return known.is_called(name) || known.section == name; });
    return std::string(part == parts_of_report.end() ? name : part->words);
}

std::vector<std::string_view> report_sections() {
    std::vector<std::string_view> words;
    for (const PartOfReport& part : parts_of_report) {
        if (std::ranges::count(words, part.section) == 0)
            words.push_back(part.section);
    }
    return words;
}

std::string_view section_of_part(std::string_view name) {
    const PartOfReport* const part = part_called(name);
    require(part != nullptr, "a part of a report has a section");
    return part->section;
}

void put_part(ReportResults& results, Result part) {
    const PartOfReport* const known = part_called(part.part);
    require(known != nullptr && known->kind == part.kind, "a part of a report is of its kind");
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

std::vector<const Result*> parts_of(const ReportResults& results) {
    std::vector<const Result*> parts;
    for (const PartOfReport& known : parts_of_report) {
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

ReportWriter::ReportWriter(OutputFile& output) : output_(output) {
    output_.write(fmt::format("{{\n  \"schema\": {},\n  \"verb\": \"report\",\n  \"parts\": {{", schema_version));
}

void ReportWriter::part(std::string_view name, std::string_view document) {
    std::string text = fmt::format("{}\n    {}: ", std::exchange(has_parts_, true) ? "," : "", dumped(name));
    for (const char c : trimmed(document)) { // strings have no line ends
        text += c;
        if (c == '\n')
            text += "    ";
    }
    output_.write(text);
}

void ReportWriter::end(const std::vector<MissingPart>& missing) {
    const auto line = [](const MissingPart& part) {
        return "\n    " + dumped(Members{{"part", part.part}, {"reason", part.reason}});
    };
    output_.write(
        fmt::format("\n  }},\n  \"missing\": [{}{}]\n}}\n", joined(missing, ",", line), missing.empty() ? "" : "\n  "));
}

} // namespace memtest

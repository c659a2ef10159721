#include "memtest/kinds/report.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/kinds/loaded.hpp"
#include "memtest/kinds/translation.hpp"
#include "memtest/result/result_reader.hpp"
#include "memtest/result/result_taker.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

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

void add_levels(MachineInBrief& machine, const LevelReport& levels) {
    for (const LevelRow& level : level_rows(levels)) {
        if (level.is_memory())
            machine.memory_ns = level.latency_ns;
        else if (const auto capacity = level.capacity_kib())
            machine.caches_kib.push_back(*capacity);
    }
}

void add_load(MachineInBrief& machine, const Result& loaded) {
    const LoadCurve curve = read_load_curve(load_curves_of(loaded).front());
    if (curve.knee && curve.reaches_full_load)
        machine.knee_gb_s = curve.knee->bytes_per_ns;
}

void add_tail(MachineInBrief& machine, const Result& tail) {
    std::uint64_t largest = 0;
    for (const PercentileRow& row : tail.rows_of<PercentileRow>()) {
        if (row.load_percent <= 0 && row.size_bytes > largest) {
            largest = row.size_bytes;
            machine.p99_9_ns = row.p99_9_ns;
        }
    }
}

void add_pairs(MachineInBrief& machine, const Result& cores) {
    for (const CoresRow& row : cores.rows_of<CoresRow>()) {
        if (!row.latency_ns)
            continue;
        machine.nearest_ns = std::min(machine.nearest_ns.value_or(*row.latency_ns), *row.latency_ns);
        machine.farthest_ns = std::max(machine.farthest_ns.value_or(*row.latency_ns), *row.latency_ns);
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

Result chosen_or_sweep(StoredFile file, const Kind* kind, const std::optional<std::string>& part) {
    const Result* sweep = file.is_report && !part ? sweep_of_levels(file) : nullptr;
    return sweep != nullptr ? *sweep : chosen_result(std::move(file), kind, part);
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
    return small == nullptr || huge == nullptr ? std::vector<TranslationCost>() : translation_costs(*small, *huge);
}

MachineInBrief in_brief(const StoredFile& report, std::string name) {
    MachineInBrief machine{.name = std::move(name)};
    if (const auto best = best_sweep_of(report)) {
        add_levels(machine, best->levels);
        machine.sweep = *sweep_of_levels(report);
    }
    if (const Result* loaded = find_part(report.results, "loaded"))
        add_load(machine, *loaded);
    if (const Result* tail = find_part(report.results, "tail"))
        add_tail(machine, *tail);
    if (const Result* cores = find_part(report.results, "cores"))
        add_pairs(machine, *cores);
    return machine;
}

TextTable table_of(std::span<const MachineInBrief> machines) {
    std::size_t caches = 0;
    for (const MachineInBrief& machine : machines)
        caches = std::max(caches, machine.caches_kib.size());
    TextTable table{.rows = {{"Machine"}}, .right = "l" + std::string(caches + 5, 'r')};
    for (int number = 1; number <= static_cast<int>(caches); ++number)
        table.rows.front().push_back(level_name(number));
    for (const char* const name : {"Memory", "Knee", "p99.9", "Near", "Far"})
        table.rows.front().emplace_back(name);
    for (const MachineInBrief& machine : machines) {
        std::vector<std::string> cells{machine.name};
        for (std::size_t place = 0; place < caches; ++place)
            cells.push_back(place < machine.caches_kib.size()
                                ? rounded_size(machine.caches_kib[place] * static_cast<double>(kib))
                                : "");
        for (const auto& figure :
             {machine.memory_ns, machine.knee_gb_s, machine.p99_9_ns, machine.nearest_ns, machine.farthest_ns})
            cells.push_back(fixed(figure, 1));
        table.rows.push_back(std::move(cells));
    }
    return table;
}

} // namespace memtest

#include "memtest/report/levels.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"
#include "memtest/measure/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace memtest {
namespace {

/// What caches and memory have in common.
struct Figures {
    double latency_ns;
    double from_bytes;
    double to_bytes;
};

/// The cache at this place; null for memory.
const Level* cache_at(const LevelReport& report, std::size_t place) {
    return place < report.hierarchy.caches.size() ? &report.hierarchy.caches[place] : nullptr;
}

Figures figures_at(const LevelReport& report, std::size_t place) {
    if (const Level* cache = cache_at(report, place))
        return {cache->latency_ns, cache->from_bytes, cache->to_bytes};
    const Memory& memory = *report.hierarchy.memory;
    return {memory.latency_ns, memory.from_bytes, memory.to_bytes};
}

std::string name_at(const LevelReport& report, std::size_t place) {
    return cache_at(report, place) == nullptr ? "memory" : level_name(place);
}

std::optional<ReportedCache> reported_at(const LevelReport& report, std::size_t place) {
    return place < report.compared.size() ? report.compared[place].reported : std::nullopt;
}

using Type = Column::Type;
using Group = ColumnGroup;

constexpr Column number(std::string_view name, std::string_view member, Digits digits) {
    return {.name = name, .member = member, .digits = digits, .highest = 1e20};
}

constexpr std::array columns{
    Column{.name = "Thread", .member = "thread", .type = Type::count, .group = Group::threads},
    Column{.name = "Level", .member = "level", .type = Type::word},
    number("Capacity low (KiB)", "capacity_low_kib", significant(10)),
    number("Capacity high (KiB)", "capacity_high_kib", significant(10)),
    number("Capacity best (KiB)", "capacity_best_kib", decimals(0)),
    number("Latency (ns)", "latency_ns", decimals(3)),
    number("Latency (cycles)", "latency_cycles", decimals(2)),
    number("From (MiB)", "from_mib", decimals(5)),
    number("To (MiB)", "to_mib", decimals(5)),
    Column{.name = "Confidence", .member = "confidence", .type = Type::word},
    Column{.name = "Reported (KiB)", .member = "reported_kib", .type = Type::count, .highest = 1e20}};

constexpr std::array findings{FindingMember{"remarks"}};

std::optional<double> in_kib(std::optional<double> bytes) {
    return bytes ? std::optional(*bytes / static_cast<double>(kib)) : std::nullopt;
}

ResultRow row_of(const LevelReport& report, std::size_t place) {
    const Figures figures = figures_at(report, place);
    const auto reported = reported_at(report, place);
    ResultRow row{{report.thread, name_at(report, place), Value(), Value(), Value(), figures.latency_ns,
                   cycles_at(report, place), figures.from_bytes / mib, figures.to_bytes / mib, Value(),
                   reported ? Value(reported->size_bytes / kib) : Value()}};
    if (const Level* cache = cache_at(report, place)) {
        row.values[2] = in_kib(cache->capacity_low_bytes);
        row.values[3] = in_kib(cache->capacity_high_bytes);
        row.values[4] = in_kib(cache->capacity_bytes);
        row.values[9] = word_of(cache->confidence);
    }
    return row;
}

std::string describe_level(const LevelReport& report, std::size_t place) {
    const Level* cache = cache_at(report, place);
    std::string text;
    if (cache != nullptr) {
        const std::string low = text_of(in_kib(cache->capacity_low_bytes), significant(10));
        const std::string high = text_of(in_kib(cache->capacity_high_bytes), significant(10));
        text = fmt::format("capacity {}{}{} KiB, ", high.empty() ? "at least " : "", low,
                           high.empty() || low == high ? "" : " to " + high);
        if (cache->capacity_bytes)
            text += fmt::format("best estimate {} KiB, ", text_of(in_kib(cache->capacity_bytes), decimals(0)));
    }
    const Figures figures = figures_at(report, place);
    text += fmt::format("latency {:.2f} ns", figures.latency_ns);
    if (const auto cycles = cycles_at(report, place))
        text += fmt::format(", {:.1f} cycles", *cycles);
    text += fmt::format(", from {:.5f} to {:.5f} MiB", figures.from_bytes / mib, figures.to_bytes / mib);
    if (cache != nullptr)
        text += fmt::format(", confidence {}", word_of(cache->confidence));
    if (const auto reported = reported_at(report, place))
        text += fmt::format(", reported {}", human_size(reported->size_bytes));
    return text;
}

bool is_found(const ReportedCache& cache, const LevelReport& report) {
    return std::ranges::any_of(report.compared, [&](const CacheComparison& compared) {
        return compared.reported && compared.reported->level == cache.level;
    });
}

/// Whether the sweep stays in so few pages at a time that hardly any access misses the first TLB.
bool keeps_translation_out(const RunDescription& run) {
    constexpr std::uint64_t held_by_any_tlb = 16; // pages
    std::uint64_t page_bytes = 4096;              // where it is not known
    if (run.pages_got && !run.pages_got->empty() && run.pages_got->front().page_bytes != 0)
        page_bytes = run.pages_got->front().page_bytes;
    return run.tlb_locality_bytes && *run.tlb_locality_bytes <= held_by_any_tlb * page_bytes;
}

/// What to do where the largest reported cache may serve part of memory, as one thread shows less of it or nothing.
std::string advice_on_memory(const ReportedCache& cache, const LevelReport& report) {
    constexpr double step_of_sizes = 1.5; // a sweep may end so far below its max size
    const std::uint64_t enough_bytes = last_caches_to_memory * cache.size_bytes;
    const std::optional<Memory>& memory = report.hierarchy.memory;
    const bool is_largest = std::ranges::none_of(
        report.reported, [&cache](const ReportedCache& other) { return other.size_bytes > cache.size_bytes; });
    if (!is_largest || !memory || step_of_sizes * memory->to_bytes > static_cast<double>(enough_bytes))
        return "";
    return fmt::format("; if it is shared, it may serve part of memory: sweep to {}",
                       human_size(std::bit_ceil(enough_bytes)));
}

Findings findings_of(std::span<const LevelReport> reports, bool with_levels) {
    Findings told{.told = !reports.empty()};
    for (const LevelReport& report : reports) {
        const bool is_named = reports.size() > 1 && report.thread != 0;
        const std::string prefix = is_named ? fmt::format("thread {} ", report.thread) : "";
        for (std::size_t place = 0; with_levels && place < count_levels(report); ++place)
            told.list.push_back({fmt::format("{}level {}", prefix, name_at(report, place)),
                                 describe_level(report, place),
                                 {{"levels", Value::List{row_members(levels_kind, row_of(report, place))}}}});
        for (const std::string& sentence : remarks_on(report))
            told.list.push_back(
                {fmt::format("{}{}", prefix, remark_key),
                 sentence,
                 {{"remarks", Value::List{Value::Members{{"thread", report.thread}, {"remark", sentence}}}}}});
    }
    return told;
}

} // namespace

const Kind levels_kind{.verb = "levels",
                       .columns = columns,
                       .findings = findings,
                       .rows = "levels",
                       .measured = false,
                       .findings_first = true};

std::string level_name(std::size_t place) {
    return fmt::format("L{}", place + 1);
}

std::size_t count_levels(const LevelReport& report) {
    return report.hierarchy.caches.size() + (report.hierarchy.memory ? 1 : 0);
}

std::optional<double> cycles_at(const LevelReport& report, std::size_t place) {
    const Figures figures = figures_at(report, place);
    std::vector<double> all;
    std::vector<double> within;
    for (const SizeClock& clock : report.clocks) {
        all.push_back(clock.ghz);
        if (clock.size_bytes >= figures.from_bytes && clock.size_bytes <= figures.to_bytes)
            within.push_back(clock.ghz);
    }
    if (all.empty())
        return std::nullopt;
    return figures.latency_ns * median(within.empty() ? all : within);
}

Hierarchy read_levels(Curve curve, const RunDescription& run, bool translation_is_off) {
    return infer_levels(curve, run.order,
                        translation_is_off || keeps_translation_out(run) ? without_translation() : LevelRules{});
}

LevelReport report_levels(const ThreadCurve& curve, const RunDescription& run, bool translation_is_off) {
    LevelReport report{.thread = curve.thread,
                       .hierarchy = read_levels(curve.points, run, translation_is_off),
                       .clocks = curve.clocks,
                       .reported = run.caches.value_or(std::vector<ReportedCache>{})};
    if (!report.reported.empty())
        report.compared = compare_with_reported(report.hierarchy.caches, report.reported);
    return report;
}

std::vector<LevelReport> report_levels(const Result& sweep, bool translation_is_off) {
    std::vector<LevelReport> reports;
    for (const ThreadCurve& curve : curves_of(sweep))
        reports.push_back(report_levels(curve, sweep.run, translation_is_off));
    return reports;
}

std::vector<std::string> remarks_on(const LevelReport& report) {
    std::vector<std::string> remarks;
    for (const Remark remark : report.hierarchy.remarks)
        remarks.emplace_back(word_of(remark));
    for (std::size_t place = 0; place < report.compared.size(); ++place) {
        if (report.compared[place].much_smaller)
            remarks.push_back(fmt::format("{} is much smaller than the system reports: it is shared or partitioned, or "
                                          "the report is of the machine below a virtual one{}",
                                          level_name(place),
                                          advice_on_memory(*report.compared[place].reported, report)));
    }
    for (const ReportedCache& cache : report.reported) {
        if (!is_found(cache, report))
            remarks.push_back(fmt::format("the system reports an L{} of {}, which the curve does not show{}",
                                          cache.level, human_size(cache.size_bytes), advice_on_memory(cache, report)));
    }
    return remarks;
}

std::vector<ResultRow> level_rows(std::span<const LevelReport> reports) {
    std::vector<ResultRow> rows;
    for (const LevelReport& report : reports) {
        for (std::size_t place = 0; place < count_levels(report); ++place)
            rows.push_back(row_of(report, place));
    }
    return rows;
}

Findings level_remarks(std::span<const LevelReport> reports) {
    return findings_of(reports, false);
}

Findings level_findings(std::span<const LevelReport> reports) {
    return findings_of(reports, true);
}

} // namespace memtest

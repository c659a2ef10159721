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

namespace memtest {
namespace {

using Type = Column::Type;
using Group = ColumnGroup;

constexpr Column figure(std::string_view name, std::string_view member, Digits digits, std::uint64_t unit_bytes = 0) {
    return {.name = name, .member = member, .digits = digits, .highest = 1e20, .unit_bytes = unit_bytes};
}

constexpr std::array level_columns{
    Column{.name = "Thread", .member = "thread", .type = Type::count, .group = Group::threads},
    Column{.name = "Level", .member = "level", .type = Type::word},
    figure("Capacity low (KiB)", "capacity_low_kib", significant(10), kib),
    figure("Capacity high (KiB)", "capacity_high_kib", significant(10), kib),
    figure("Capacity best (KiB)", "capacity_best_kib", decimals(0), kib),
    figure("Latency (ns)", "latency_ns", decimals(3)),
    figure("Latency (cycles)", "latency_cycles", decimals(2)),
    figure("From (MiB)", "from_mib", decimals(5), mib),
    figure("To (MiB)", "to_mib", decimals(5), mib),
    Column{.name = "Confidence", .member = "confidence", .type = Type::word},
    Column{
        .name = "Reported (KiB)", .member = "reported_kib", .type = Type::count, .highest = 1e20, .unit_bytes = kib}};

constexpr std::array level_members{FindingMember{"remarks"}};

std::optional<double> in_kib(std::optional<double> bytes) {
    return bytes ? std::optional(*bytes / static_cast<double>(kib)) : std::nullopt;
}

/// The latency in cycles of the clock at which the sizes from one to another were measured; nothing where that is not
/// known.
std::optional<double> in_cycles(const LevelReport& report, double latency_ns, double from_bytes, double to_bytes) {
    std::vector<double> all;
    std::vector<double> within;
    for (const SizeClock& clock : report.clocks) {
        all.push_back(clock.ghz);
        if (clock.size_bytes >= from_bytes && clock.size_bytes <= to_bytes)
            within.push_back(clock.ghz);
    }
    if (all.empty())
        return std::nullopt;
    return latency_ns * median(within.empty() ? all : within);
}

/// The row of a cache or of memory, without what caches alone have.
ResultRow row_of(const LevelReport& report, const std::string& name, const auto& level) {
    return {{report.thread, name, Value(), Value(), Value(), level.latency_ns,
             in_cycles(report, level.latency_ns, level.from_bytes, level.to_bytes), level.from_bytes / mib,
             level.to_bytes / mib, Value(), Value()}};
}

std::string describe(const ResultRow& row) {
    using namespace level_column;
    const auto size = [&](Place place) {
        const auto number = row.number(place);
        return number ? rounded_size(*number * static_cast<double>(level_columns.at(place).unit_bytes)) : "";
    };
    const std::string low = size(capacity_low_kib);
    const std::string high = size(capacity_high_kib);
    std::string words;
    if (row[confidence].is_known())
        words = low.empty() ? "capacity not known, "
                            : fmt::format("capacity {}{}{}, ", high.empty() ? "at least " : "", low,
                                          high.empty() || low == high ? "" : " to " + high);
    if (row[capacity_best_kib].is_known())
        words += fmt::format("best estimate {}, ", size(capacity_best_kib));
    words += fmt::format("latency {:.2f} ns", *row.number(latency_ns));
    if (const auto number = row.number(cycles))
        words += fmt::format(", {:.1f} cycles", *number);
    words += fmt::format(", from {} to {}", size(from_mib), size(to_mib));
    if (row[confidence].is_known())
        words += fmt::format(", confidence {}", row[confidence].text());
    if (row[reported_kib].is_known())
        words += fmt::format(", reported {}", size(reported_kib));
    return words;
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

/// Whether most of the memory is in pages smaller than a way of a first cache may be.
bool is_in_small_pages(const RunDescription& run) {
    constexpr std::uint64_t smallest_way = 16 << 10;
    if (!run.pages_got || run.pages_got->empty())
        return false;
    const PagesGot& pages = run.pages_got->front();
    return pages.page_bytes != 0 && pages.page_bytes < smallest_way && pages.transparent_percent < 50;
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

} // namespace

const Kind levels_kind{.verb = "levels",
                       .columns = level_columns,
                       .findings = level_members,
                       .rows = "levels",
                       .measured = false,
                       .findings_first = true};

std::string level_name(std::size_t place) {
    return fmt::format("L{}", place + 1);
}

Hierarchy read_levels(Curve curve, const RunDescription& run, bool translation_is_off) {
    return infer_levels(curve, run.order,
                        translation_is_off || keeps_translation_out(run) ? without_translation() : LevelRules{},
                        is_in_small_pages(run));
}

LevelReport report_levels(const ThreadCurve& curve, const RunDescription& run, bool translation_is_off) {
    LevelReport report{.thread = curve.thread,
                       .hierarchy = read_levels(curve.points, run, translation_is_off),
                       .clocks = curve.clocks,
                       .reported = run.caches.value_or(std::vector<ReportedCache>{})};
    if (!report.reported.empty())
        report.compared = compare_with_reported(report.hierarchy.caches, report.reported);
    if (!curve.points.empty())
        report.largest_bytes = curve.points.back().size_bytes;
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
        remarks.emplace_back(sentence_of(remark));
    for (std::size_t place = 0; place < report.compared.size(); ++place) {
        if (report.compared[place].much_smaller)
            remarks.push_back(fmt::format("{} is much smaller than the system reports: it is shared or partitioned, or "
                                          "the report is of the machine below a virtual one{}",
                                          level_name(place),
                                          advice_on_memory(*report.compared[place].reported, report)));
    }
    for (const ReportedCache& cache : report.reported) {
        if (!is_found(cache, report) && static_cast<double>(cache.size_bytes) < report.largest_bytes)
            remarks.push_back(fmt::format("the system reports an L{} of {}, which the curve does not show{}",
                                          cache.level, human_size(cache.size_bytes), advice_on_memory(cache, report)));
    }
    return remarks;
}

std::vector<ResultRow> level_rows(const LevelReport& report) {
    std::vector<ResultRow> rows;
    for (const Level& cache : report.hierarchy.caches) {
        const std::size_t place = rows.size();
        std::vector<Value>& values = rows.emplace_back(row_of(report, level_name(place), cache)).values;
        values[level_column::capacity_low_kib] = in_kib(cache.capacity_low_bytes);
        values[level_column::capacity_high_kib] = in_kib(cache.capacity_high_bytes);
        values[level_column::capacity_best_kib] = in_kib(cache.capacity_bytes);
        values[level_column::confidence] = word_of(cache.confidence);
        if (place < report.compared.size() && report.compared[place].reported)
            values[level_column::reported_kib] = report.compared[place].reported->size_bytes / kib;
    }
    if (report.hierarchy.memory)
        rows.push_back(row_of(report, "memory", *report.hierarchy.memory));
    return rows;
}

Findings level_findings(std::span<const LevelReport> reports, bool with_levels) {
    Findings told{.told = !reports.empty()};
    for (const LevelReport& report : reports) {
        const bool is_named = reports.size() > 1 && report.thread != 0;
        const std::string prefix = is_named ? fmt::format("thread {} ", report.thread) : "";
        for (const ResultRow& row : with_levels ? level_rows(report) : std::vector<ResultRow>())
            told.list.push_back({fmt::format("{}level {}", prefix, row[level_column::level].text()),
                                 describe(row),
                                 {{"levels", Value::List{row_members(levels_kind, row)}}}});
        for (const std::string& sentence : remarks_on(report))
            told.list.push_back(
                {fmt::format("{}{}", prefix, remark_key),
                 sentence,
                 {{"remarks", Value::List{Value::Members{{"thread", report.thread}, {"remark", sentence}}}}}});
    }
    return told;
}

} // namespace memtest

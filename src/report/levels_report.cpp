#include "memtest/report/levels_report.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"
#include "memtest/measure/statistics.hpp"
#include "memtest/report/json_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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

// In KiB; empty where it is not known.

std::string low_text(const Level& cache) {
    return cache.capacity_low_bytes ? fmt::format("{:.10g}", *cache.capacity_low_bytes / kib) : "";
}

std::string high_text(const Level& cache) {
    return cache.capacity_high_bytes ? fmt::format("{:.10g}", *cache.capacity_high_bytes / kib) : "";
}

std::string best_text(const Level& cache) {
    return cache.capacity_bytes ? fmt::format("{:.0f}", *cache.capacity_bytes / kib) : "";
}

std::string confidence_text(const Level& cache) {
    return std::string(word_of(cache.confidence));
}

std::string describe_level(const LevelReport& report, std::size_t place) {
    const Level* cache = cache_at(report, place);
    std::string text;
    if (cache != nullptr) {
        const std::string low = low_text(*cache);
        const std::string high = high_text(*cache);
        text = low.empty() ? "capacity not known, "
                           : fmt::format("capacity {}{}{} KiB, ", high.empty() ? "at least " : "", low,
                                         high.empty() || low == high ? "" : " to " + high);
        if (cache->capacity_bytes)
            text += fmt::format("best estimate {} KiB, ", best_text(*cache));
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

std::string thread_prefix(const LevelReport& report, bool several_threads) {
    return several_threads && report.thread != 0 ? fmt::format("thread {} ", report.thread) : "";
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

/// One column of the levels, in CSV and in JSON.
struct LevelColumn {
    std::string_view name;                                             ///< in the header of the CSV
    std::string_view member;                                           ///< in JSON
    std::string (*text)(const LevelReport& report, std::size_t place); ///< empty where it is not known
};

/// A column that memory leaves empty. @tparam text_of_cache its text for a cache
template<std::string (*text_of_cache)(const Level&)>
constexpr LevelColumn cache_column(std::string_view name, std::string_view member) {
    return {name, member, [](const LevelReport& report, std::size_t place) {
                const Level* cache = cache_at(report, place);
                return cache == nullptr ? std::string() : text_of_cache(*cache);
            }};
}

constexpr std::array level_columns{
    LevelColumn{"Level", "level", name_at},
    cache_column<low_text>("Capacity low (KiB)", "capacity_low_kib"),
    cache_column<high_text>("Capacity high (KiB)", "capacity_high_kib"),
    cache_column<best_text>("Capacity best (KiB)", "capacity_best_kib"),
    LevelColumn{
        "Latency (ns)", "latency_ns",
        [](const LevelReport& report, std::size_t place) { return fixed(figures_at(report, place).latency_ns, 3); }},
    LevelColumn{"Latency (cycles)", "latency_cycles",
                [](const LevelReport& report, std::size_t place) { return fixed(cycles_at(report, place), 2); }},
    LevelColumn{"From (MiB)", "from_mib",
                [](const LevelReport& report, std::size_t place) {
                    return fixed(figures_at(report, place).from_bytes / mib, 5);
                }},
    LevelColumn{"To (MiB)", "to_mib",
                [](const LevelReport& report, std::size_t place) {
                    return fixed(figures_at(report, place).to_bytes / mib, 5);
                }},
    cache_column<confidence_text>("Confidence", "confidence"),
    LevelColumn{"Reported (KiB)", "reported_kib",
                [](const LevelReport& report, std::size_t place) {
                    const auto reported = reported_at(report, place);
                    return reported ? fmt::format("{}", reported->size_bytes / kib) : "";
                }},
};

using Json = nlohmann::ordered_json;

Json level_object(const LevelReport& report, std::size_t place) {
    Json object{{"thread", report.thread}};
    for (const LevelColumn& column : level_columns)
        object[std::string(column.member)] = json_value(column.text(report, place));
    return object;
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
                        translation_is_off || keeps_translation_out(run) ? without_translation() : LevelRules{},
                        is_in_small_pages(run));
}

LevelReport report_levels(int thread, Curve curve, const RunDescription& run, std::vector<SizeClock> clocks,
                          bool translation_is_off) {
    LevelReport report{.thread = thread,
                       .hierarchy = read_levels(curve, run, translation_is_off),
                       .clocks = std::move(clocks),
                       .reported = run.caches.value_or(std::vector<ReportedCache>{})};
    if (!report.reported.empty())
        report.compared = compare_with_reported(report.hierarchy.caches, report.reported);
    return report;
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

KeyedLines level_lines(const LevelReport& report, bool several_threads) {
    const std::string prefix = thread_prefix(report, several_threads);
    KeyedLines lines;
    for (std::size_t place = 0; place < count_levels(report); ++place)
        lines.emplace_back(fmt::format("{}level {}", prefix, name_at(report, place)), describe_level(report, place));
    for (const std::string& remark : remarks_on(report))
        lines.emplace_back(prefix + "remark", remark);
    return lines;
}

std::string levels_csv(std::span<const LevelReport> reports) {
    const bool several = reports.size() > 1;
    std::string remarks;
    std::string rows;
    for (const LevelReport& report : reports) {
        for (const std::string& remark : remarks_on(report))
            remarks += fmt::format("# {}remark: {}\n", thread_prefix(report, several), remark);
        for (std::size_t place = 0; place < count_levels(report); ++place) {
            const auto text_of = [&](const LevelColumn& column) { return column.text(report, place); };
            rows += fmt::format("{}{}\n", several ? fmt::format("{}, ", report.thread) : "",
                                joined(level_columns, ", ", text_of));
        }
    }
    return fmt::format("{}{}{}\n{}", remarks, several ? "Thread, " : "",
                       joined(level_columns, ", ", &LevelColumn::name), rows);
}

std::string levels_members(std::span<const LevelReport> reports) {
    if (reports.empty())
        return json_members({{json_levels, nullptr}, {json_remarks, nullptr}});
    Json levels = Json::array();
    Json remarks = Json::array();
    for (const LevelReport& report : reports) {
        for (std::size_t place = 0; place < count_levels(report); ++place)
            levels.push_back(level_object(report, place));
        for (const std::string& remark : remarks_on(report))
            remarks.push_back({{"thread", report.thread}, {"remark", remark}});
    }
    return json_members({{json_levels, levels}, {json_remarks, remarks}});
}

std::string levels_json(std::span<const LevelReport> reports) {
    return fmt::format("{{\n  \"{}\": {},\n{}\n}}\n", json_schema, schema_version, levels_members(reports));
}

} // namespace memtest

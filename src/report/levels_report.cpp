#include "memtest/report/levels_report.hpp"

#include "memtest/base/units.hpp"
#include "memtest/measure/statistics.hpp"
#include "memtest/report/reported_caches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace memtest {
namespace {

std::string in_cycles(double latency_ns, std::optional<double> core_ghz, std::string_view format) {
    return core_ghz ? fmt::format(fmt::runtime(format), latency_ns * *core_ghz) : "";
}

std::string capacity(const Level& level, std::string_view between) {
    const double low = level.capacity_low_bytes / kib;
    const double high = level.capacity_high_bytes / kib;
    return low == high ? fmt::format("{:.10g}", low) : fmt::format("{:.10g}{}{:.10g}", low, between, high);
}

std::string compared_with_reported(const LevelReport& report, std::size_t place) {
    if (place >= report.compared.size() || !report.compared[place].reported)
        return "";
    const CacheComparison& cache = report.compared[place];
    return fmt::format(", reported {}{}", human_size(cache.reported->size_bytes),
                       cache.much_smaller ? " (much larger: shared, partitioned or of the machine below a virtual one)"
                                          : "");
}

std::string describe_level(const LevelReport& report, std::size_t place) {
    const Level& level = report.hierarchy.caches[place];
    return fmt::format("capacity {} KiB, best estimate {:.0f} KiB, latency {:.2f} ns{}, from {:.5f} to {:.5f} MiB, "
                       "confidence {}{}",
                       capacity(level, " to "), level.capacity_bytes / kib, level.latency_ns,
                       in_cycles(level.latency_ns, report.core_ghz, ", {:.1f} cycles"), level.from_bytes / mib,
                       level.to_bytes / mib, word_of(level.confidence), compared_with_reported(report, place));
}

std::string describe_memory(const LevelReport& report) {
    const Memory& memory = *report.hierarchy.memory;
    return fmt::format("latency {:.2f} ns{}, from {:.5f} to {:.5f} MiB", memory.latency_ns,
                       in_cycles(memory.latency_ns, report.core_ghz, ", {:.1f} cycles"), memory.from_bytes / mib,
                       memory.to_bytes / mib);
}

/// The caches that the system reports and the curve does not show.
std::vector<ReportedCache> not_found(const LevelReport& report) {
    std::vector<ReportedCache> missing;
    for (const ReportedCache& cache : report.reported) {
        const bool found = std::ranges::any_of(report.compared, [&](const CacheComparison& compared) {
            return compared.reported && compared.reported->level == cache.level;
        });
        if (!found)
            missing.push_back(cache);
    }
    return missing;
}

std::string sentence_on(const ReportedCache& cache) {
    return fmt::format("the system reports an L{} of {}, which the curve does not show", cache.level,
                       human_size(cache.size_bytes));
}

std::string confidences(const Hierarchy& hierarchy) {
    std::string text;
    for (std::size_t place = 0; place < hierarchy.caches.size(); ++place)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", level_name(place),
                            word_of(hierarchy.caches[place].confidence));
    return text;
}

/// What stands ahead of a key when there are several threads.
std::string thread_prefix(const LevelReport& report, bool several_threads) {
    return several_threads && report.thread != 0 ? fmt::format("thread {} ", report.thread) : "";
}

} // namespace

std::string_view sentence_on(Remark remark) {
    switch (remark) {
    case Remark::too_few_points:
        return "too few sizes to tell any level; sweep from 512 B to several times the last cache";
    case Remark::no_edge:
        return "one latency throughout: the sweep stays inside one level, or a prefetcher hides the others; --random "
               "shows "
               "them";
    case Remark::memory_not_reached:
        return "the sweep ends before memory is reached; sweep to at least eight times the last cache";
    case Remark::prefetched:
        break;
    }
    return "the prefetcher follows the stride, so that the levels far from the core cannot be told; --random shows "
           "them";
}

std::string level_name(std::size_t place) {
    return fmt::format("L{}", place + 1);
}

LevelReport report_levels(int thread, Curve curve, SweepOrder order, std::optional<double> core_ghz,
                          std::string_view caches) {
    LevelReport report{.thread = thread, .hierarchy = infer_levels(curve, order), .core_ghz = core_ghz};
    report.reported = parse_caches(caches);
    if (!report.reported.empty())
        report.compared = compare_with_reported(report.hierarchy.caches, report.reported);
    return report;
}

std::optional<double> core_ghz_over(std::vector<double> clocks_of_rows_ghz) {
    return clocks_of_rows_ghz.empty() ? std::nullopt : std::optional(median(std::move(clocks_of_rows_ghz)));
}

SweepOrder sweep_order_of(std::string_view word) {
    if (word == memtest::word_of(Order::random))
        return SweepOrder::random;
    if (word == memtest::word_of(Order::backward) || word == memtest::word_of(Order::forward))
        return SweepOrder::stride;
    return SweepOrder::unknown;
}

Description level_lines(const LevelReport& report, bool several_threads) {
    const std::string prefix = thread_prefix(report, several_threads);
    Description lines;
    for (std::size_t place = 0; place < report.hierarchy.caches.size(); ++place)
        lines.emplace_back(prefix + "level " + level_name(place), describe_level(report, place));
    if (report.hierarchy.memory)
        lines.emplace_back(prefix + "level memory", describe_memory(report));
    for (const Remark remark : report.hierarchy.remarks)
        lines.emplace_back(prefix + "remark", sentence_on(remark));
    for (const ReportedCache& cache : not_found(report))
        lines.emplace_back(prefix + "remark", sentence_on(cache));
    return lines;
}

std::string levels_csv(std::span<const LevelReport> reports) {
    const bool several = reports.size() > 1;
    std::string text;
    const auto to_text = std::back_inserter(text);
    for (const LevelReport& report : reports) {
        const std::string prefix = thread_prefix(report, several);
        for (const Remark remark : report.hierarchy.remarks)
            fmt::format_to(to_text, "# {}remark: {}\n", prefix, sentence_on(remark));
        for (const ReportedCache& cache : not_found(report))
            fmt::format_to(to_text, "# {}remark: {}\n", prefix, sentence_on(cache));
        if (!report.hierarchy.caches.empty())
            fmt::format_to(to_text, "# {}confidence: {}\n", prefix, confidences(report.hierarchy));
        for (std::size_t place = 0; place < report.compared.size(); ++place) {
            if (const std::string compared = compared_with_reported(report, place); !compared.empty())
                fmt::format_to(to_text, "# {}{}: found {} KiB{}\n", prefix, level_name(place),
                               capacity(report.hierarchy.caches[place], " to "), compared);
        }
    }
    text += several ? "Thread, " : "";
    text += "Level, Capacity (KiB), Latency (ns), Latency (cycles), From (MiB), To (MiB)\n";
    for (const LevelReport& report : reports) {
        const auto row = [&](const std::string& name, const std::string& size, double ns, double from, double to) {
            fmt::format_to(to_text, "{}{}, {}, {:.3f}, {}, {:.5f}, {:.5f}\n",
                           several ? fmt::format("{}, ", report.thread) : "", name, size, ns,
                           in_cycles(ns, report.core_ghz, "{:.2f}"), from / mib, to / mib);
        };
        for (std::size_t place = 0; place < report.hierarchy.caches.size(); ++place) {
            const Level& level = report.hierarchy.caches[place];
            row(level_name(place), capacity(level, "-"), level.latency_ns, level.from_bytes, level.to_bytes);
        }
        if (const auto& memory = report.hierarchy.memory)
            row("memory", "", memory->latency_ns, memory->from_bytes, memory->to_bytes);
    }
    return text;
}

} // namespace memtest

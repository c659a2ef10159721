#pragma once

#include "memtest/insight/levels.hpp"
#include "memtest/insight/reported.hpp"
#include "memtest/report/run_description.hpp"
#include "memtest/report/run_lines.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// The core's clock while a size was measured.
struct SizeClock {
    double size_bytes = 0;
    double ghz = 0;
};

/// The hierarchy that one thread's rows show.
struct LevelReport {
    int thread = 0;
    Hierarchy hierarchy;
    std::vector<SizeClock> clocks = {};         ///< for latencies in cycles
    std::vector<ReportedCache> reported = {};   ///< the caches that the system reports
    std::vector<CacheComparison> compared = {}; ///< the caches found, beside those
};

/// Reads the hierarchy off a curve, as the run's order and --tlb-locality ask for.
/// @param translation_is_off its cost was taken off the latencies
[[nodiscard]] Hierarchy read_levels(Curve curve, const RunDescription& run, bool translation_is_off = false);

/// The same for one thread, beside the caches that the system reported.
[[nodiscard]] LevelReport report_levels(int thread, Curve curve, const RunDescription& run,
                                        std::vector<SizeClock> clocks, bool translation_is_off = false);

/// The latency in cycles of the clock at which its sizes were measured; nothing where that is not known.
/// @param place of a cache, or behind the last for memory
[[nodiscard]] std::optional<double> cycles_at(const LevelReport& report, std::size_t place);

/// "L1" for the first cache.
[[nodiscard]] std::string level_name(std::size_t place);

/// What is worth knowing about the hierarchy, in sentences.
[[nodiscard]] std::vector<std::string> remarks_on(const LevelReport& report);

/// How many levels are known: the caches, and memory where it was reached.
[[nodiscard]] std::size_t count_levels(const LevelReport& report);

/// Keys and values of `#` lines: a `level ...` for each level, and a `remark` for each remark.
/// @param several_threads the keys then name the thread
[[nodiscard]] KeyedLines level_lines(const LevelReport& report, bool several_threads);

/// The levels of one or more threads as CSV, remarks in `#` lines ahead.
[[nodiscard]] std::string levels_csv(std::span<const LevelReport> reports);

/// The members `levels` and `remarks` of a JSON document, without a comma behind them: an object for each level or
/// remark of each thread; null for both where there are no reports.
[[nodiscard]] std::string levels_members(std::span<const LevelReport> reports);

/// The levels of one or more threads as a JSON document.
[[nodiscard]] std::string levels_json(std::span<const LevelReport> reports);

} // namespace memtest

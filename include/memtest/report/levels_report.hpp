#pragma once

#include "memtest/insight/levels.hpp"
#include "memtest/insight/reported.hpp"
#include "memtest/report/description.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// The hierarchy that one thread's rows show, with what is known beside it.
struct LevelReport {
    int thread = 0;
    Hierarchy hierarchy;
    std::optional<double> core_ghz = std::nullopt; ///< to give latencies in cycles
    std::vector<ReportedCache> reported = {};      ///< the caches that the system reports
    std::vector<CacheComparison> compared = {};    ///< the caches found beside those that the system reports
};

/// Reads a thread's hierarchy off its curve.
/// @param caches the `caches` line of the description, empty where there is none
[[nodiscard]] LevelReport report_levels(int thread, Curve curve, SweepOrder order, std::optional<double> core_ghz,
                                        std::string_view caches);

/// The core's clock over a thread's rows, each of which has its own: their median; none where none is known.
[[nodiscard]] std::optional<double> core_ghz_over(std::vector<double> clocks_of_rows_ghz);

/// What kind of order a `# order:` line names.
[[nodiscard]] SweepOrder sweep_order_of(std::string_view word);

/// "L1" for the first cache.
[[nodiscard]] std::string level_name(std::size_t place);

/// The sentence of the output for a remark.
[[nodiscard]] std::string_view sentence_on(Remark remark);

/// One `# level ...` line per level, and one for each remark.
/// @param several_threads the keys then name the thread
[[nodiscard]] Description level_lines(const LevelReport& report, bool several_threads);

/// The levels of one or more threads as CSV, remarks and confidence in `#` lines ahead. What is not known is empty.
[[nodiscard]] std::string levels_csv(std::span<const LevelReport> reports);

} // namespace memtest

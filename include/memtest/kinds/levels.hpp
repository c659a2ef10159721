#pragma once

#include "memtest/insight/levels.hpp"
#include "memtest/kinds/sweep_curves.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/result/answer.hpp"
#include "memtest/result/result_writer.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memtest {

/// The hierarchy that one thread's rows show.
struct LevelReport {
    int thread = 0;
    Hierarchy hierarchy;
    std::optional<double> core_ghz = std::nullopt;                  ///< for latencies in cycles
    std::vector<ReportedCache> reported = {};                       ///< plausible caches that the system reports
    bool is_busy = false;                                           ///< others used the machine, or a cache, meanwhile
    std::size_t sizes = 0;                                          ///< of the curve
    std::size_t disturbed_sizes = 0;                                ///< of these
    double largest_bytes = std::numeric_limits<double>::infinity(); ///< of the curve
    double slowest_ns = std::numeric_limits<double>::infinity();    ///< of the curve
    double sizes_per_doubling = 0;                                  ///< of the curve
    bool in_small_pages = false;                                    ///< so that page walks are part of latencies
    bool in_guest = false;
    bool has_host_walks = false; ///< the host's page walks may be part of latencies
};

/// A level as `memtest levels` prints it. Memory has no capacity. A reported cache that the curve does not show has no
/// latency.
struct LevelRow {
    int thread = 0;
    std::string level; ///< "L1", "memory"
    std::optional<double> capacity_low_kib, capacity_high_kib, capacity_best_kib;
    std::optional<double> latency_ns;
    std::optional<double> latency_cycles; ///< of the thread's core clock
    std::optional<double> from_mib;       ///< the sizes that the latency comes from
    std::optional<double> to_mib;
    std::optional<Confidence> capacity_confidence;
    std::optional<Confidence> latency_confidence;
    std::optional<std::uint64_t> reported_kib;
    std::optional<double> contested_to_kib; ///< Level::contested_to_bytes, told to people

    /// The best estimate, or the middle of the range; std::nullopt if that is open.
    [[nodiscard]] std::optional<double> capacity_kib() const;
    [[nodiscard]] bool is_memory() const { return level == "memory"; }
    [[nodiscard]] bool is_shown() const { return latency_ns.has_value(); } ///< by the curve
};

/// What `memtest levels` prints: a row for each level of each thread, and remarks.
extern const KindOf<LevelRow> levels_kind;

/// Infers the hierarchy from a curve of a sweep, given its order and --tlb-locality. Names no level from the size on at
/// which the sweep warns that the prefetcher follows the stride.
/// @param translation_is_off the cost of translation was subtracted from the latencies
[[nodiscard]] Hierarchy read_levels(Curve curve, const Result& sweep, bool translation_is_off = false);

/// The same for one thread, next to the caches that the system reported.
[[nodiscard]] LevelReport report_levels(const ThreadCurve& curve, const Result& sweep, bool translation_is_off = false);

/// The levels of every thread of a sweep.
[[nodiscard]] std::vector<LevelReport> report_levels(const Result& sweep, bool translation_is_off = false);

/// "L1".
[[nodiscard]] std::string level_name(int number);

/// What is worth knowing about the hierarchy.
[[nodiscard]] std::vector<Notice> remarks_on(const LevelReport& report);

/// The levels of a thread: the caches, those that are only reported among them, and memory if it was reached.
[[nodiscard]] std::vector<LevelRow> level_rows(const LevelReport& report);

/// The levels of one or more threads, and remarks on them; the keys name the thread if there are several. Not told if
/// there are no reports. @param with_levels else only the remarks, as rows hold the levels
[[nodiscard]] Findings level_findings(std::span<const LevelReport> reports, bool with_levels = true);

/// The levels of each thread for people, a row for each.
[[nodiscard]] TextTable level_table(std::span<const LevelReport> reports);

/// The levels that a sweep shows, with the remarks on them.
/// @param translation_is_off the cost of translation was subtracted from the latencies
[[nodiscard]] Answer answer_of_levels(const Result& sweep, bool translation_is_off = false);

/// Writes the levels of one or more threads as rows, with the remarks. @throws Error like OutputFile::write
void write_levels(OutputFile& output, const std::vector<LevelReport>& reports, Format format);

} // namespace memtest

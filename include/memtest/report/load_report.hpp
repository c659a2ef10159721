#pragma once

#include "memtest/insight/load_curve.hpp"
#include "memtest/measure/load_batch.hpp"
#include "memtest/report/table_report.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memtest {

/// Those without --stats come first.
inline constexpr std::array<TableColumn, 8> load_columns{{{"Load (%)", "load_percent"},
                                                          {"Bandwidth (GB/s)", "bandwidth_gb_s"},
                                                          {"Access latency (ns)", "latency_ns"},
                                                          {"Visits (%)", "visits_percent"},
                                                          {"Visits", "visits"},
                                                          {"Batches", "batches"},
                                                          {"Set aside", "batches_set_aside"},
                                                          {"Notes", "notes"}}};

inline constexpr TableKind load_table{.verb = "loaded", .columns = std::span(load_columns).first<3>()};
inline constexpr TableKind load_table_with_stats{.verb = "loaded", .columns = load_columns};

/// The fields of a row.
[[nodiscard]] std::vector<std::string> load_fields(const LoadRow& row, bool stats);

/// How the loaders work and what counts as bandwidth, in sentences. @param bytes of each loader's memory
[[nodiscard]] std::vector<std::string> load_sentences(const LoadPattern& pattern, std::size_t bytes);

/// What the rows tell, in `# key: value` lines.
[[nodiscard]] KeyedLines load_lines(const LoadCurve& curve);

/// The same as members of a JSON document, each null where there is no curve.
[[nodiscard]] std::string load_members(const LoadPattern& pattern, const std::optional<LoadCurve>& curve);

} // namespace memtest

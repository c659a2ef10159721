#pragma once

#include "memtest/insight/load_curve.hpp"
#include "memtest/result/result.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace memtest {

/// What `memtest loaded` measures: latency by the bandwidth that load threads take.
extern const KindOf<LoadRow> loaded_kind;

/// Why the row is empty; std::nullopt if it is not. @param several whether there are several curves
[[nodiscard]] std::optional<Notice> warning_on(const LoadRow& row, bool several);

/// How the load threads work and what counts as bandwidth, in sentences. @param write_percents the share of lines that
/// each curve's load threads write
/// @param bytes memory of each load thread
[[nodiscard]] std::vector<std::string> load_sentences(std::size_t line_bytes,
                                                      const std::vector<unsigned>& write_percents, std::size_t bytes);

/// The idle latency, the peak and the knee, whether the machine changed, and whether being awake makes a difference.
[[nodiscard]] Findings loaded_findings(const LoadCurve& curve);

/// The same for each curve if there are several, named by what its load threads write.
/// @param curves those that were measured to their end, in the order of write_percents
[[nodiscard]] Findings loaded_findings(const std::vector<unsigned>& write_percents,
                                       const std::vector<LoadCurve>& curves);

/// The curves of a stored result that have points: one, or one for each share of writes. Points are the rows with
/// latency and bandwidth, in the order of the file. @throws Error (usage) if there are none
[[nodiscard]] std::vector<std::vector<LoadRow>> load_curves_of(const Result& loaded);

} // namespace memtest

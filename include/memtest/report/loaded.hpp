#pragma once

#include "memtest/insight/load_curve.hpp"
#include "memtest/measure/load_batch.hpp"
#include "memtest/report/result.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace memtest {

/// What `memtest loaded` measures: latency by the bandwidth that others take.
extern const Kind loaded_kind;

/// The load of the others, of their peak, for every kind that has it.
inline constexpr Column load_column{
    .name = "Load (%)", .member = "load_percent", .digits = decimals(1), .needed = true};

[[nodiscard]] ResultRow loaded_row(const LoadRow& row);

/// How the loaders work and what counts as bandwidth, in sentences. @param bytes of each loader's memory
[[nodiscard]] std::vector<std::string> load_sentences(const LoadPattern& pattern, std::size_t bytes);

/// The idle latency, the peak and the knee.
[[nodiscard]] Findings loaded_findings(const LoadCurve& curve);

/// The same behind what the loaders wrote; that alone without a curve.
[[nodiscard]] Findings loaded_findings(const LoadPattern& pattern, const std::optional<LoadCurve>& curve);

/// The points of a stored result, in the order of the file, without unknown ones.
/// @throws Error (usage) where there are none
[[nodiscard]] std::vector<LoadPoint> points_of(const Result& loaded);

} // namespace memtest

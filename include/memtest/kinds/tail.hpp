#pragma once

#include "memtest/measure/tail_sweep.hpp"
#include "memtest/result/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memtest {

/// What `memtest tail` measures: the latency distribution of single loads.
extern const KindOf<PercentileRow> tail_kind;

/// The time of an access, of a sample of a group of them, in whole steps of the resolution and without digits beyond
/// it; std::nullopt for less than half a step.
[[nodiscard]] std::optional<double> rounded_ns(std::uint64_t ticks, const TickScale& scale, std::size_t group);

[[nodiscard]] PercentileRow tail_row(const TailRow& row, const TickScale& scale);

/// At rows whose load threads were more than 10 % of their peak from the load that the row names.
[[nodiscard]] std::optional<Notice> warning_on_missed_loads(const Result& tail);

/// The counter, what its readings cost, and remarks. @param cost_ns of two readings, by visit
[[nodiscard]] Findings tail_findings(const Result& tail, const TickScale& scale, const std::vector<double>& cost_ns);

} // namespace memtest

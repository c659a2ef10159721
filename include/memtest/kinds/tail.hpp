#pragma once

#include "memtest/insight/tail.hpp"
#include "memtest/result/result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memtest {

/// What `memtest tail` measures: the latency distribution of single loads.
extern const KindOf<PercentileRow> tail_kind;

[[nodiscard]] PercentileRow tail_row(const TailRow& row, const TickScale& scale);

/// At rows whose load threads were more than 10 % of their peak from the load that the row names.
[[nodiscard]] std::optional<Notice> warning_on_missed_loads(const Result& tail);

/// The counter, what its readings cost, and remarks. @param cost_ns of two readings, by visit
[[nodiscard]] Findings tail_findings(const Result& tail, const TickScale& scale, const std::vector<double>& cost_ns);

/// A step of the counter: "0.385 ns", "1000 ns".
[[nodiscard]] std::string step_text(double ns);

} // namespace memtest

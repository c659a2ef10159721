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

/// What the samples of `memtest tail` show, collected as they come.
struct TailReport {
    TickScale scale;
    bool virtual_machine = false;
    std::vector<double> cost_ns{}; ///< of two readings, by visit
    List grouped = {};             ///< rows in which a sample is a group of loads

    std::size_t loaded = 0;       ///< rows under load that have a bandwidth
    std::size_t missed_loads = 0; ///< of these, rows more than 10 % of the peak from the load they name
    double most_missed = 0;       ///< percent of the peak

    void take(const TailRow& row);

    [[nodiscard]] std::optional<Notice> warning_on_missed_loads() const;
};

/// The counter, what its readings cost, and remarks.
[[nodiscard]] Findings tail_findings(const TailReport& report);

/// A step of the counter: "0.385 ns", "1000 ns".
[[nodiscard]] std::string step_text(double ns);

} // namespace memtest

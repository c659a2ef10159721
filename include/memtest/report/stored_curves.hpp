#pragma once

#include "memtest/insight/curve.hpp"
#include "memtest/insight/latency_curve.hpp"
#include "memtest/report/levels_report.hpp"
#include "memtest/report/sweep_file.hpp"

#include <vector>

namespace memtest {

/// The curve of one thread of a stored sweep; rows without a latency are left out.
[[nodiscard]] std::vector<CurvePoint> curve_of_thread(const StoredSweep& sweep, int thread);

/// The figures for `compare`; rows without a latency are left out.
[[nodiscard]] std::vector<SizeFigure> figures_of(const StoredSweep& sweep);

/// The core's clock during a thread's rows: from their cycles, else from the description, if any.
[[nodiscard]] std::vector<SizeClock> clocks_of_thread(const StoredSweep& sweep, int thread);

/// The levels of every thread of a stored sweep.
[[nodiscard]] std::vector<LevelReport> report_levels(const StoredSweep& sweep);

} // namespace memtest

#pragma once

#include "memtest/insight/curve.hpp"
#include "memtest/insight/latency_curve.hpp"
#include "memtest/report/levels_report.hpp"
#include "memtest/report/sweep_file.hpp"

#include <optional>
#include <vector>

namespace memtest {

/// The curve of one thread of a stored sweep; rows without a latency are left out.
[[nodiscard]] std::vector<CurvePoint> curve_of_thread(const StoredSweep& sweep, int thread);

/// What `compare` needs of the rows; those without a latency are left out.
[[nodiscard]] std::vector<SizeFigure> figures_of(const StoredSweep& sweep);

/// The core's clock of a thread of a stored sweep: from its cycles, else from its description, else not known.
[[nodiscard]] std::optional<double> core_ghz_of(const StoredSweep& sweep, int thread);

/// The levels of every thread of a stored sweep.
[[nodiscard]] std::vector<LevelReport> report_levels(const StoredSweep& sweep);

} // namespace memtest

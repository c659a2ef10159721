#pragma once

#include "memtest/cli/load_plan.hpp"
#include "memtest/cli/measuring.hpp"
#include "memtest/insight/load_curve.hpp"
#include "memtest/measure/load_sweep.hpp"

#include <functional>
#include <vector>

namespace memtest {

/// The options on its command line. @throws Error (usage)
[[nodiscard]] LoadOptions options_of_loaded(const CommandLine& line);

/// What is measured on this machine.
struct LoadedRun : LoadedTeam {
    LoadSweep sweep;                      ///< of each curve, without its share of writes
    std::vector<unsigned> write_percents; ///< a curve for each
};

/// @param choose like plan_loaded_team
[[nodiscard]] LoadedRun plan_loaded(const LoadOptions& options, const Machine& machine,
                                    const ChainChoice& choose = nullptr);

/// Measures the curve of a share of writes and appends its rows. @throws MachineBusy if no step has a figure
using CurveMeasurement = std::function<void(unsigned write_percent, std::vector<LoadRow>& rows)>;

/// Measures all curves unless interrupted. One of several without a figure under load costs a warning and no other.
/// @param curves receives them @throws MachineBusy if all are without a figure
void measure_curves(MeasuredResult& result, const std::vector<unsigned>& write_percents, std::vector<LoadCurve>& curves,
                    const CurveMeasurement& measure);

} // namespace memtest

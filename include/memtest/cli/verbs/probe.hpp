#pragma once

#include "memtest/cli/measuring.hpp"
#include "memtest/cli/options.hpp"
#include "memtest/measure/row.hpp"

#include <functional>
#include <vector>

namespace memtest {

/// What another command does with a sweep that is measured for it.
struct SweepUse {
    std::function<void(const RunDescription&)> check = nullptr; ///< before measuring; throws Error to refuse it
    /// Changes the rows before they are written, including those of an interrupted sweep.
    std::function<void(std::vector<Row>&, MeasuredResult&)> improve = nullptr;
};

/// Measures a sweep into the file that the options name.
ExitStatus measure_sweep(const Options& options, const CommandLine& line, const SweepUse& use = {});

} // namespace memtest

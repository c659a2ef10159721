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

/// What is measured once the rows of a sweep are known.
enum class CheckAfter {
    none,
    prefetching,     ///< whether a prefetcher follows the stride
    foreseen_chains, ///< whether one follows the random order
};

/// @param is_disturbed whether other work disturbed the run: then nothing is claimed about the processor
[[nodiscard]] CheckAfter check_after(const TeamPlan& team, bool is_disturbed, bool is_interrupted);

/// Measures a sweep into the file that the options name.
ExitStatus measure_sweep(const Options& options, const CommandLine& line, const SweepUse& use = {});

} // namespace memtest

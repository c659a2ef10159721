#pragma once

#include "memtest/measure/team.hpp"

namespace memtest {

/// What is measured once the rows of a sweep are known.
enum class CheckAfter {
    none,
    prefetching,     ///< whether a prefetcher follows the stride
    foreseen_chains, ///< whether one follows the random order
};

/// @param is_disturbed whether other work disturbed the run: then nothing is claimed about the processor
[[nodiscard]] CheckAfter check_after(const TeamPlan& team, bool is_disturbed, bool is_interrupted);

} // namespace memtest

#pragma once

#include "memtest/measure/sweep.hpp"
#include "memtest/measure/team.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memtest {

/// A max size that is below the default because memory is short.
struct LoweredSize {
    std::size_t from_bytes = 0;
    std::uint64_t available_bytes = 0;
};

/// A planned run on this machine.
struct RunPlan {
    Sweep sweep;
    TeamPlan team;
    std::vector<int> awake;    ///< processors of other cores to keep awake
    std::size_t max_bytes = 0; ///< the largest size that may be tested
    std::optional<LoweredSize> lowered = std::nullopt;
};

} // namespace memtest

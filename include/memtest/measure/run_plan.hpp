#pragma once

#include "memtest/measure/sweep.hpp"
#include "memtest/measure/team.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace memtest {

/// A planned run on this machine.
struct RunPlan {
    Sweep sweep;
    TeamPlan team;
    std::vector<int> awake; ///< processors of other cores to keep awake
    LargestSize largest;
};

} // namespace memtest

#pragma once

#include "memtest/insight/level_rules.hpp"
#include "memtest/insight/level_search.hpp"

#include <cstddef>
#include <vector>

namespace memtest {

/// How sure it is that a level is there at all, and what is claimed of it.
struct LevelConfidence {
    Confidence existence = Confidence::low;
    Confidence capacity = Confidence::low; ///< never surer than its existence
    Confidence latency = Confidence::low;  ///< at least fair if it repeats at three sizes
};

/// How many of these points were disturbed or are contested.
[[nodiscard]] std::size_t count_disturbed(Curve points);

[[nodiscard]] std::vector<LevelConfidence> confidences(const FoundLevels& found, const SearchedCurve& curve,
                                                       const LevelRules& rules);

} // namespace memtest

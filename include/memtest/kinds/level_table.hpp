#pragma once

#include "memtest/kinds/levels.hpp"
#include "memtest/result/answer.hpp"

#include <span>

namespace memtest {

/// The levels of each thread, a row for each.
[[nodiscard]] TextTable level_table(std::span<const LevelReport> reports);

/// The levels that a sweep shows, with the remarks on them.
/// @param translation_is_off the cost of translation was subtracted from the latencies
[[nodiscard]] Answer answer_of_levels(const Result& sweep, bool translation_is_off = false);

} // namespace memtest

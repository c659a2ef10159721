#pragma once

#include "memtest/insight/translation.hpp"

#include <span>
#include <string>

namespace memtest {

/// The costs at each size as CSV, and `#` lines that sum them up. Fields are empty where noise hides the cost.
/// @param noise_is_told by the sweeps themselves; else it is assumed
[[nodiscard]] std::string translation_csv(std::span<const TranslationCost> costs, bool noise_is_told);

/// The same as a JSON document, with null for an empty field.
[[nodiscard]] std::string translation_json(std::span<const TranslationCost> costs, bool noise_is_told);

} // namespace memtest

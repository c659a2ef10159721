#pragma once

#include "memtest/base/error.hpp"
#include "memtest/cli/option_table.hpp"

#include <string>
#include <vector>

namespace memtest {

/// Every option of `memtest translation`.
[[nodiscard]] std::vector<OptionText> translation_option_texts();

/// `memtest translation SMALL HUGE`: what address translation costs at each size. @param arguments without the verb
/// @throws Error
ExitStatus run_translation(const std::vector<std::string>& arguments);

} // namespace memtest

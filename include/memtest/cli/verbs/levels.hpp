#pragma once

#include "memtest/base/error.hpp"
#include "memtest/cli/option_table.hpp"

#include <string>
#include <vector>

namespace memtest {

/// Every option of `memtest levels`.
[[nodiscard]] std::vector<OptionText> levels_option_texts();

/// What `memtest levels --help` prints.
[[nodiscard]] std::string levels_help();

/// `memtest levels FILE`, `memtest levels --fit FILE`, `memtest levels SMALL HUGE`. @param arguments without the verb
/// @throws Error
ExitStatus run_levels(const std::vector<std::string>& arguments);

} // namespace memtest

#pragma once

#include "memtest/base/error.hpp"
#include "memtest/cli/option_table.hpp"

#include <string>
#include <vector>

namespace memtest {

/// Every option of `memtest plot`.
[[nodiscard]] std::vector<OptionText> plot_option_texts();

/// What `memtest plot --help` prints.
[[nodiscard]] std::string plot_help();

/// `memtest plot FILE...`: draws sweeps with gnuplot, or prints the program for it. @param arguments without the verb
/// @throws Error
ExitStatus run_plot(const std::vector<std::string>& arguments);

} // namespace memtest

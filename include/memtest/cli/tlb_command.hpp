#pragma once

#include "memtest/cli/option_table.hpp"
#include "memtest/error.hpp"

#include <string>
#include <vector>

namespace memtest {

/// The texts of the options of `memtest tlb`.
[[nodiscard]] std::vector<OptionText> tlb_option_texts();

/// The text that `memtest tlb --help` prints.
[[nodiscard]] std::string tlb_help();

/// Runs `memtest tlb` with the arguments behind the verb. @throws Error
ExitStatus run_tlb(const std::vector<std::string>& arguments);

} // namespace memtest

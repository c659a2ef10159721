#pragma once

#include "memtest/base/error.hpp"
#include "memtest/cli/option_table.hpp"

#include <string>
#include <vector>

namespace memtest {

/// Every option of `memtest tlb`.
[[nodiscard]] std::vector<OptionText> tlb_option_texts();

/// What `memtest tlb --help` prints.
[[nodiscard]] std::string tlb_help();

/// `memtest tlb [options]`. @param arguments without the verb @throws Error
ExitStatus run_tlb(const std::vector<std::string>& arguments);

} // namespace memtest

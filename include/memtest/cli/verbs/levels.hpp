#pragma once

#include "memtest/base/error.hpp"
#include "memtest/cli/option_table.hpp"

#include <string>
#include <vector>

namespace memtest {

/// Every option of `memtest levels`.
[[nodiscard]] std::vector<OptionText> levels_option_texts();

/// `memtest levels FILE`: the levels, or with --fit modelled latencies. @param arguments without the verb @throws Error
ExitStatus run_levels(const std::vector<std::string>& arguments);

} // namespace memtest

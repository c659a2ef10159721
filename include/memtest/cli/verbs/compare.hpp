#pragma once

#include "memtest/base/error.hpp"
#include "memtest/cli/option_table.hpp"

#include <string>
#include <vector>

namespace memtest {

/// Every option of `memtest compare`.
[[nodiscard]] std::vector<OptionText> compare_option_texts();

/// `memtest compare BASE... NEW`: judges the last sweep against the others. @param arguments without the verb
/// @return success when it is not slower, slower, or cannot_tell @throws Error
ExitStatus run_compare(const std::vector<std::string>& arguments);

} // namespace memtest

#pragma once

#include "memtest/base/error.hpp"
#include "memtest/cli/option_table.hpp"

#include <string>
#include <vector>

namespace memtest {

/// Every option of `memtest loaded`.
[[nodiscard]] std::vector<OptionText> loaded_option_texts();

/// `memtest loaded [options]`. @param arguments without the verb @throws Error
ExitStatus run_loaded(const std::vector<std::string>& arguments);

} // namespace memtest

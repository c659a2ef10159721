#pragma once

#include "memtest/cli/option_table.hpp"
#include "memtest/cli/probe/options.hpp"

#include <span>
#include <string>
#include <vector>

namespace memtest {

/// Every option of the probe.
[[nodiscard]] std::span<const Option<ProbeOptions>> probe_options();

/// Reads the probe's command line (without the program's name) and checks it as far as that needs no machine. With
/// --version nothing else is checked. @throws Error (usage)
[[nodiscard]] ProbeOptions parse_probe_options(const std::vector<std::string>& arguments);

/// Their names and texts.
[[nodiscard]] std::vector<OptionText> probe_option_texts();

} // namespace memtest

#pragma once

#include <string>

namespace memtest {

/// Completion of memtest's command line, from the option tables of its verbs.
[[nodiscard]] std::string bash_completion();
[[nodiscard]] std::string zsh_completion();

} // namespace memtest

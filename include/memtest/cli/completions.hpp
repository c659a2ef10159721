#pragma once

#include <string>

namespace memtest {

/// Completion of memtest's command line for bash and for zsh, made from the option tables that parsing and --help use.
[[nodiscard]] std::string bash_completion();
[[nodiscard]] std::string zsh_completion();

} // namespace memtest

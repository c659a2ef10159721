#pragma once

#include <string>

namespace memtest {

/// The man page memtest(1), made from the option tables that parsing and --help use.
[[nodiscard]] std::string man_page();

/// Completion for bash and for zsh, made from the same tables.
[[nodiscard]] std::string bash_completion();
[[nodiscard]] std::string zsh_completion();

} // namespace memtest

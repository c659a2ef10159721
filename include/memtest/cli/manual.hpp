#pragma once

#include <string>
#include <string_view>

namespace memtest {

// Texts for the build to install, from the tables of the commands and their options.

/// A man page from its text in src/cli/manual. That is roff but for `bold`, _italic_, items and literal lines; each
/// line `@...@` stands for what the tables hold: the beginning of a page, its options, columns, codes or keys.
/// @throws Error for a line that stands for nothing
[[nodiscard]] std::string man_page(std::string_view text);

[[nodiscard]] std::string bash_completion();
[[nodiscard]] std::string zsh_completion();

} // namespace memtest

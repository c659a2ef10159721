#pragma once

#include <string>
#include <string_view>

namespace memtest {

// Texts for the build to install, from the tables of the commands and their options.

/// A man page. Replaces each line @...@ of its text with what the tables hold: the beginning of a page, its options,
/// columns, codes or keys. @param text of a file in src/cli/manual @throws Error for a line that stands for nothing
[[nodiscard]] std::string man_page(std::string_view text);

[[nodiscard]] std::string bash_completion();
[[nodiscard]] std::string zsh_completion();

} // namespace memtest

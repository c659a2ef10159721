#pragma once

#include <string>
#include <string_view>

namespace memtest {

// Texts for the build to install, from the tables of the commands and their options.

/// The man page memtest(1). Fills in the version, the options and the keys of a run.
/// @param text of src/cli/manual.man.in
[[nodiscard]] std::string man_page(std::string_view text);

[[nodiscard]] std::string bash_completion();
[[nodiscard]] std::string zsh_completion();

/// The JSON Schema of the results of a command; "" stands for a sweep. Empty for any other.
[[nodiscard]] std::string json_schema(std::string_view verb);

} // namespace memtest

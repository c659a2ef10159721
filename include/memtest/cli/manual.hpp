#pragma once

#include <string>
#include <string_view>

namespace memtest {

/// The man page memtest(1): its text, with the version, the options and the keys of a run in their places, from the
/// tables that the program itself uses.
/// @param text that of src/cli/manual.man.in
[[nodiscard]] std::string man_page(std::string_view text);

} // namespace memtest

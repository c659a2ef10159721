#pragma once

#include <string>
#include <string_view>

namespace memtest {

/// The man page memtest(1). Fills in the version, the options and the keys of a run from the program's own tables.
/// @param text of src/cli/manual.man.in
[[nodiscard]] std::string man_page(std::string_view text);

} // namespace memtest

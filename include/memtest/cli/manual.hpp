#pragma once

#include <string>

namespace memtest {

/// The man page memtest(1), made from the option tables that parsing and --help use.
[[nodiscard]] std::string man_page();

} // namespace memtest

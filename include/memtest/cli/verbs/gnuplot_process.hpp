#pragma once

#include <string>

namespace memtest {

/// Lets gnuplot run a program, and returns what that wrote on standard output.
/// @throws Error when there is no gnuplot, or when it fails, with its own last words
[[nodiscard]] std::string run_gnuplot(const std::string& program);

} // namespace memtest

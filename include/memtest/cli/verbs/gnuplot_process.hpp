#pragma once

#include "memtest/report/gnuplot.hpp"

#include <string>

namespace memtest {

/// Lets gnuplot run a program, and returns what that wrote on standard output.
/// @throws Error when there is no gnuplot, or when it fails, with its own last words
[[nodiscard]] std::string run_gnuplot(const std::string& program);

/// The plot in characters, as wide as the terminal on standard output. @throws Error like run_gnuplot
[[nodiscard]] std::string drawn_in_characters(const SizePlot& plot);

/// Replaces the file by what gnuplot draws, once it has drawn all of it. @throws Error like run_gnuplot and OutputFile
void write_drawn(const std::string& program, const std::string& path);

} // namespace memtest

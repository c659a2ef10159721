#pragma once

#include "memtest/plot/curve_plot.hpp"

#include <string>

namespace memtest {

/// The plot in characters, as wide as the terminal on standard output.
/// @throws Error when gnuplot is missing, or fails (with its last line)
[[nodiscard]] std::string drawn_in_characters(const SizePlot& plot);

/// Replaces the file by gnuplot's drawing of a program, once that is whole.
/// @throws Error like drawn_in_characters and OutputFile
void write_drawn(const std::string& program, const std::string& path);

} // namespace memtest

#pragma once

#include "memtest/plot/curve_plot.hpp"

#include <string>

namespace memtest {

/// Runs a program in gnuplot and returns its standard output.
/// @throws Error when gnuplot is missing, or fails (with its last line)
[[nodiscard]] std::string run_gnuplot(const std::string& program);

/// The plot in characters, as wide as the terminal on standard output. @throws Error like run_gnuplot
[[nodiscard]] std::string drawn_in_characters(const SizePlot& plot);

/// Replaces the file by gnuplot's drawing, once that is whole. @throws Error like run_gnuplot and OutputFile
void write_drawn(const std::string& program, const std::string& path);

} // namespace memtest

#pragma once

#include "memtest/base/error.hpp"
#include "memtest/base/never_interrupted.hpp"
#include "memtest/show/curve_plot.hpp"

#include <atomic>
#include <chrono>
#include <string>

namespace memtest {

/// What ends a gnuplot that does not end on its own.
struct GnuplotLimits {
    const std::atomic<bool>& interrupted = never_interrupted;
    std::chrono::milliseconds time = std::chrono::minutes(1); ///< the first run may build the font cache
};

/// The standard output of gnuplot for a program. If a limit is reached or this process ends, gnuplot is killed.
/// @throws Error if gnuplot is missing, fails (with its last line), draws nothing, or is killed
[[nodiscard]] std::string run_gnuplot(const std::string& program, const GnuplotLimits& limits);

/// The plot in characters, as wide as the terminal on standard output. @throws Error like run_gnuplot
[[nodiscard]] std::string drawn_in_characters(const SizePlot& plot, const GnuplotLimits& limits);

/// Replaces the file with gnuplot's drawing of a program, once that is complete.
/// @throws Error like run_gnuplot and OutputFile
void write_drawn(const std::string& program, const std::string& path, const GnuplotLimits& limits);

} // namespace memtest

#pragma once

#include "memtest/result/plot_data.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace memtest {

/// What a plot is drawn on.
struct Canvas {
    std::string terminal;    ///< the line that chooses it
    bool text = false;       ///< made of characters, without colours, fonts and areas
    double width;            ///< of the frame, in pixels or characters, like all below
    double height;           ///< of the frame, without the space for a legend
    double size_label_width; ///< with the space between two
    double word_width;       ///< of a character of a level's words
    double words_height;     ///< of a level's words
    double tick_height;      ///< with the space between two
    double tick_width;       ///< the same on the horizontal axis
};

/// The commands that set the horizontal axis: of sizes, or of what the plot has across.
[[nodiscard]] std::string horizontal_axis(const SizePlot& plot, const Canvas& canvas);

/// The commands that set the vertical axis: logarithmic, which shows the step from L1 to L2 as well as the step to
/// memory, with room above the curves for the levels' words.
[[nodiscard]] std::string value_axis(const SizePlot& plot, const Canvas& canvas);

/// The number of rows of words above those of each level. Words that reach past the line of a preceding level go above
/// that line, which begins at its own words: so words cover neither each other nor a line.
[[nodiscard]] std::vector<std::size_t> places_of_words(const SizePlot& plot, const Canvas& canvas);

} // namespace memtest

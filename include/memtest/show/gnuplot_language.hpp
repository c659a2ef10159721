#pragma once

#include "memtest/base/words.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// The kinds of image that gnuplot draws, named by the file's extension.
enum class Image { png, svg, pdf };

template<>
inline constexpr std::array<Word<Image>, 3> word_table<Image>{
    {{Image::png, "png"}, {Image::svg, "svg"}, {Image::pdf, "pdf"}}};

/// A text as a string of the gnuplot language: escaped, and shortened to `most` characters.
[[nodiscard]] std::string gnuplot_string(std::string_view text, std::size_t most);

/// The lines as one string, each shortened separately.
[[nodiscard]] std::string gnuplot_lines(const std::vector<std::string>& lines, std::size_t most);

/// The command that sets a title of the lines that are not empty, each shortened to `most` characters.
[[nodiscard]] std::string title_command(std::vector<std::string> lines, std::size_t most);

/// The lines that set gnuplot's defaults and choose the kind of image, as in image_program, and its size in pixels.
[[nodiscard]] std::string terminal_line(std::optional<Image> image, int width, int height);

} // namespace memtest

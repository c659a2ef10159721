#include "memtest/show/curve_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <variant>

namespace memtest {
namespace {

constexpr std::size_t most_with_figures = 16; // cells in a row or column; smaller ones have no space for a figure
constexpr std::size_t most_named = 16;

// ColorBrewer's YlGnBu: from light to dark, so that the order survives colour blindness and black-and-white prints.
constexpr std::string_view palette =
    "set palette defined (0 \"#ffffd9\", 1 \"#c7e9b4\", 2 \"#7fcdbb\", 3 \"#41b6c4\", 4 \"#1d91c0\", 5 \"#225ea8\", "
    "6 \"#0c2c84\")\n";

double largest_of(const HeatMap& map) {
    double largest = 0;
    for (const auto& row : map.values) {
        for (const auto& value : row)
            largest = std::max(largest, value.value_or(0));
    }
    return largest;
}

bool has_figures(const HeatMap& map) {
    return std::max(map.rows.size(), map.columns.size()) <= most_with_figures;
}

std::string tics(std::string_view axis, const std::vector<std::string>& names) {
    const std::size_t step = (names.size() + most_named - 1) / most_named;
    std::string list;
    for (std::size_t i = 0; i < names.size(); i += step)
        list += fmt::format("{}{} {}", list.empty() ? "" : ", ", gnuplot_string(names[i], 24), i);
    return fmt::format("set {}tics ({})\n", axis, list);
}

std::string cells(const HeatMap& map) {
    std::string lines = "$cells << END\n";
    for (std::size_t row = 0; row < map.values.size(); ++row) {
        for (std::size_t column = 0; column < map.values[row].size(); ++column) {
            if (const auto& value = map.values[row][column])
                lines += fmt::format("{} {} {:.6g}\n", column, row, *value);
        }
    }
    return lines + "END\n";
}

/// The figures in the cells, light on dark cells.
std::string figures(double largest) {
    return fmt::format(
        ", \\\n     $cells using 1:2:(sprintf(\"%.{0}f\", $3)):($3 > {1:.6g} ? 0xffffff : 0x202020) with "
        "labels textcolor rgb variable notitle",
        largest < 10 ? 1 : 0, largest / 2);
}

std::string program_of_one(const HeatMap& map) {
    const double largest = largest_of(map);
    const double half_width = has_figures(map) ? 0.48 : 0.5; // few cells have a seam between them
    return fmt::format("set encoding utf8\n"
                       "set border 0\n"
                       "set tics scale 0 textcolor rgb \"#303030\"\n"
                       "{}"
                       "set xlabel {}\n"
                       "set ylabel {}\n"
                       "set cblabel {} offset 1\n"
                       "{}{}{}"
                       "set cbrange [0:{:.6g}]\n"
                       "set xrange [-0.5:{}.5]\n"
                       "set yrange [{}.5:-0.5]\n"
                       "set size ratio -1\n"
                       "{}"
                       "plot $cells using 1:2:({}):({}):3 with boxxyerror fillstyle solid 1 noborder palette "
                       "notitle{}\n",
                       title_command({map.title, map.subtitle}, 80), gnuplot_string(map.column_axis, 60),
                       gnuplot_string(map.row_axis, 60), gnuplot_string(map.quantity, 60), palette,
                       tics("x", map.columns), tics("y", map.rows), largest, map.columns.size() - 1,
                       map.rows.size() - 1, cells(map), half_width, half_width,
                       has_figures(map) ? figures(largest) : "");
}

} // namespace

std::string image_program(const HeatMap& map, std::optional<Image> image) {
    const auto maps = static_cast<int>(1 + map.beside.size());
    std::string program = terminal_line(image, 760 * maps, 680) +
                          (maps > 1 ? fmt::format("set multiplot layout 1,{}\n", maps) : "") + program_of_one(map);
    for (const HeatMap& other : map.beside)
        program += program_of_one(other);
    return program + (maps > 1 ? "unset multiplot\n" : "");
}

std::string image_program(const Plot& plot, std::optional<Image> image) {
    return std::visit([&](const auto& one) { return image_program(one, image); }, plot);
}

} // namespace memtest

#include "memtest/show/curve_plot.hpp"

#include "memtest/base/text.hpp"
#include "memtest/show/plot_axes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

// Okabe and Ito (2008): colours that colour-blind people can tell apart, without the yellow that is faint on white.
constexpr std::array<std::string_view, 7> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#e69f00", "#56b4e9", "#000000"};

// In characters: a title takes the width of an image, and two curves share a line of the legend.
constexpr std::size_t longest_title = 110;
constexpr std::size_t longest_name = 64;

constexpr std::string_view look_of_levels = "dashtype 2 linewidth 1.4 linecolor rgb \"#707070\"";

/// A plot in characters shows only a level's name, in the row where its line begins; the legend says more.
std::string levels(const SizePlot& plot, const Canvas& canvas) {
    const auto places = places_of_words(plot, canvas);
    std::string all;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const PlotLevel& level = plot.levels[i];
        const double top = 1 - static_cast<double>(places[i]) * canvas.words_height / canvas.height;
        const double line = canvas.text ? top - canvas.words_height / canvas.height : top - 0.03;
        if (level.has_line)
            all += fmt::format("set arrow from first {0:.6g}, graph 0 to first {0:.6g}, graph {1:.6g} nohead {2}\n",
                               level.ends_at_bytes, line, look_of_levels);
        all += fmt::format("set label {} at first {:.6g}, graph {:.6g} right {}noenhanced font \",10\" textcolor rgb "
                           "\"#404040\"\n",
                           canvas.text ? gnuplot_string(level.words.front(), 40) : gnuplot_lines(level.words, 40),
                           level.ends_at_bytes, top, canvas.text ? "" : "offset -0.7, -1 ");
    }
    return all;
}

bool has_band(const PlotCurve& curve) {
    return std::ranges::any_of(curve.points, [](const PlotPoint& point) { return point.low && point.high; });
}

bool has_bars(const PlotCurve& curve) {
    return std::ranges::any_of(curve.points, [](const PlotPoint& point) { return point.at_low && point.at_high; });
}

/// An unknown value becomes an empty line, which breaks the curve. A curve with bands has the range of each point.
std::string data(const PlotCurve& curve, std::size_t place) {
    std::string lines = fmt::format("$curve{} << END\n", place + 1);
    const bool with_range = has_band(curve);
    const bool with_range_across = has_bars(curve);
    for (const PlotPoint& point : curve.points) {
        if (point.value)
            lines += fmt::format("{:.15g} {:.6g}", point.at, *point.value);
        if (point.value && with_range)
            lines += fmt::format(" {:.6g} {:.6g}", point.low.value_or(*point.value), point.high.value_or(*point.value));
        if (point.value && with_range_across)
            lines += fmt::format(" {:.6g} {:.6g}", point.at_low.value_or(point.at), point.at_high.value_or(point.at));
        lines += '\n';
    }
    return lines + "END\n";
}

std::string title(std::string_view name) {
    return name.empty() ? "notitle" : fmt::format("title {} noenhanced", gnuplot_string(name, longest_name));
}

std::string_view colour_of(std::size_t place) {
    return colours.at(place % colours.size());
}

/// @param place among the curves that have a name
std::string look(const PlotCurve& curve, std::size_t place) {
    constexpr std::array<int, 5> shapes{7, 5, 9, 13, 11}; // gnuplot's filled ones
    const std::size_t round = place / colours.size();
    return fmt::format("dashtype {} linecolor rgb \"{}\" pointtype {} {}", round % 4 + 1, colour_of(place),
                       shapes.at(round % shapes.size()),
                       curve.points.size() > 80 ? "linewidth 1.2 pointsize 0.1" : "linewidth 1.8 pointsize 0.5");
}

// Of a plot in characters.
constexpr std::size_t letters = 26;                 // that mark points
constexpr std::string_view lines_drawn = "*#$%@&="; // of gnuplot's line types from 1 on

/// @param place among the curves that have a name
std::string look_in_text(std::size_t place) {
    return fmt::format("linetype {} pointtype {}", place % lines_drawn.size() + 1, place % letters + 1);
}

/// A plot in characters shows the range of a contested size as a bar.
std::string band(std::size_t number, std::size_t place, std::string_view name, bool has_bars, const Canvas& canvas) {
    if (has_bars && !canvas.text)
        return fmt::format(
            "$curve{} using 1:2:5:6:3:4 with xyerrorbars pointsize 0 linewidth 1 linecolor rgb \"{}\" {}", number,
            colour_of(place), title(name));
    if (canvas.text)
        return fmt::format("$curve{} using 1:($4 > $3 ? $2 : NaN):3:4 with yerrorbars {} notitle", number,
                           look_in_text(place));
    return fmt::format("$curve{} using 1:3:4 with filledcurves fillstyle transparent solid 0.25 noborder fillcolor rgb "
                       "\"{}\" {}",
                       number, colour_of(place), title(name));
}

/// What a legend says of the levels; empty if nothing.
std::string name_of_levels(const SizePlot& plot) {
    const bool is_doubtful = std::ranges::any_of(plot.levels, [](const PlotLevel& level) {
        return std::ranges::any_of(level.words, [](const std::string& word) { return word.ends_with('?'); });
    });
    if (plot.levels.empty() || (plot.levels_of.empty() && !is_doubtful))
        return "";
    constexpr std::size_t longest = longest_name - 28; // with the words around it, and the dots
    return (plot.levels_of.empty() ? "levels" : "levels of " + shortened(plot.levels_of, longest)) +
           (is_doubtful ? " (?: uncertain)" : "");
}

constexpr std::string_view what_bands_show = "contested, low to high";
constexpr std::string_view what_bars_show = "half of the batches";

std::string curves(const SizePlot& plot, const Canvas& canvas) {
    std::string text;
    std::vector<std::string> drawn;
    std::size_t named = 0;
    std::string_view name_of_bands = what_bands_show;
    std::string_view name_of_bars = what_bars_show;
    for (std::size_t i = 0; i < plot.curves.size(); ++i) {
        const PlotCurve& curve = plot.curves[i];
        text += data(curve, i);
        if (!curve.name.empty())
            ++named;
        const std::size_t place = std::max<std::size_t>(named, 1) - 1;
        if (has_band(curve))
            drawn.push_back(band(i + 1, place, std::exchange(has_bars(curve) ? name_of_bars : name_of_bands, ""),
                                 has_bars(curve), canvas));
        drawn.push_back(fmt::format("$curve{} using 1:2 with linespoints {}", i + 1,
                                    canvas.text ? look_in_text(place) : title(curve.name) + " " + look(curve, place)));
    }
    if (const std::string name = name_of_levels(plot); !name.empty() && !canvas.text)
        drawn.push_back(fmt::format("NaN with lines {} {}", title(name), look_of_levels));
    return text + "plot " + fmt::format("{}", fmt::join(drawn, ", \\\n     ")) + "\n";
}

/// A quiet frame, a thin grid, and a legend that never covers a curve.
std::string program(const SizePlot& plot, const Canvas& canvas, std::size_t longest_line) {
    return canvas.terminal +
           "set encoding utf8\n"
           "set border 3 linecolor rgb \"#808080\"\n" +
           (canvas.text ? "set tics nomirror scale 0\nset key off\n"
                        : "set tics nomirror scale 0.5 textcolor rgb \"#303030\"\n"
                          "set key below horizontal Left reverse\n"
                          "set grid xtics ytics linetype 1 linewidth 0.5 linecolor rgb \"#d8d8d8\"\n") +
           "set rmargin 4\n" +
           fmt::format("set xlabel {}{}\n", gnuplot_string(plot.across.empty() ? "memory size" : plot.across, 60),
                       canvas.text ? "" : ".\"\\n \"") +
           title_command({plot.title, plot.subtitle}, longest_line) + horizontal_axis(plot, canvas) +
           value_axis(plot, canvas) + levels(plot, canvas) + curves(plot, canvas);
}

} // namespace

std::string image_program(const SizePlot& plot, std::optional<Image> image) {
    constexpr int width = 1000;
    constexpr int height = 600;
    return program(plot,
                   {.terminal = terminal_line(image, width, height),
                    .width = 0.88 * width,
                    .height = height - 160, // titles, axis and a legend of one line
                    .size_label_width = 70,
                    .word_width = 7,
                    .words_height = 60,
                    .tick_height = 36,
                    .tick_width = 50},
                   longest_title);
}

std::string text_program(const SizePlot& plot, const TextArea& area) {
    const std::size_t above = plot.subtitle.empty() ? 2 : 3; // titles
    constexpr std::size_t below = 3;                         // labels, quantity and an empty line
    return program(plot,
                   {.terminal = fmt::format("set terminal dumb size {},{}\nset tmargin {}\nset bmargin {}\n",
                                            area.columns, area.lines, above, below),
                    .text = true,
                    .width = static_cast<double>(area.columns - 14),
                    .height = static_cast<double>(area.lines - above - below - 1),
                    .size_label_width = 9,
                    .word_width = 1,
                    .words_height = 1,
                    .tick_height = 1.2,
                    .tick_width = 7},
                   area.columns - 14);
}

std::vector<std::string> text_legend(const SizePlot& plot, std::size_t columns) {
    std::vector<std::string> lines;
    std::size_t place = 0;
    for (const PlotCurve& curve : plot.curves) {
        if (curve.name.empty())
            continue;
        lines.push_back(fmt::format("  {} {}  {}", static_cast<char>('A' + place % letters),
                                    lines_drawn[place % lines_drawn.size()], curve.name));
        ++place;
    }
    for (const bool of_bars : {false, true}) {
        const auto is_meant = [&](const PlotCurve& curve) { return has_band(curve) && has_bars(curve) == of_bars; };
        if (std::ranges::any_of(plot.curves, is_meant))
            lines.push_back(fmt::format("  Bars: {}", of_bars ? what_bars_show : what_bands_show));
    }
    if (!plot.levels.empty()) {
        const std::string name = name_of_levels(plot);
        lines.push_back(name.empty() ? "" : "  " + capitalised(name));
    }
    for (const PlotLevel& level : plot.levels)
        lines.push_back(
            fmt::format("  {:<8}{}", level.words.front(), fmt::join(level.words.begin() + 1, level.words.end(), ", ")));
    for (std::string& line : lines)
        line = shortened(escaped(line), columns - 3);
    return lines;
}

} // namespace memtest

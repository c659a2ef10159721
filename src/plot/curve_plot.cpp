#include "memtest/plot/curve_plot.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace memtest {
namespace {

// Okabe and Ito (2008), colours that all eyes tell apart, without the yellow that white paper swallows.
constexpr std::array<std::string_view, 7> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#e69f00", "#56b4e9", "#000000"};

// In characters: a title takes the width of an image, and two curves share a line of the legend.
constexpr std::size_t longest_title = 110;
constexpr std::size_t longest_name = 60;

/// What a plot is drawn on.
struct Canvas {
    std::string terminal; ///< the line that chooses it
    bool text = false;    ///< of characters, without colours, fonts and areas
    double width = 0;     ///< in pixels or characters, like all that follow
    double height = 0;
    double size_label_width = 0; ///< with the space between two
    double level_words_height = 0;
    double outside_height = 0; ///< titles, axis and a legend of one line
};

/// The smallest and the largest of some positive numbers.
struct Range {
    double low = std::numeric_limits<double>::infinity();
    double high = 0;

    void include(double number) {
        low = std::min(low, number);
        high = std::max(high, number);
    }
    [[nodiscard]] double ratio() const { return high / low; }
};

/// The bytes of the text's first character; 0 where that cannot be shown.
std::size_t length_of_first(std::string_view text) {
    const std::size_t length = utf8_length(text);
    const std::string_view first = text.substr(0, length);
    const bool is_control =
        length == 1 ? first[0] < ' ' || first[0] == 0x7f : first >= "\xc2\x80" && first < "\xc2\xa0";
    const bool is_no_character = // U+FFFE and the like
        length > 2 && (first.ends_with("\xbf\xbe") || first.ends_with("\xbf\xbf")) && (first[length - 3] & 0xf) == 0xf;
    return is_control || is_no_character ? 0 : length;
}

/// The range of what a member of the points is, where it is known.
template<auto member>
Range range_of(const SizePlot& plot) {
    Range range;
    for (const PlotCurve& curve : plot.curves) {
        for (const PlotPoint& point : curve.points) {
            if (const std::optional<double> number = point.*member)
                range.include(*number);
        }
    }
    return range;
}

/// A horizontal axis in powers of two, with as many labels as have room.
std::string size_axis(const SizePlot& plot, const Canvas& canvas) {
    const Range sizes = range_of<&PlotPoint::at>(plot);
    int first = static_cast<int>(std::floor(std::log2(sizes.low)));
    int last = static_cast<int>(std::ceil(std::log2(sizes.high)));
    if (first == last) {
        --first;
        ++last;
    }
    const int labels = static_cast<int>(0.88 * canvas.width / canvas.size_label_width);
    int step = 1;
    while ((last - first) / step > labels)
        step *= 2;
    std::string ticks;
    for (int power = first; power <= last; ++power) {
        const bool named = power % step == 0;
        ticks += fmt::format("{}\"{}\" {:.15g} {}", ticks.empty() ? "" : ", ",
                             named ? rounded_size(std::exp2(power)) : "", std::exp2(power), named ? 0 : 1);
    }
    const double edge = canvas.text ? 1.5 * (last - first) / canvas.width : 0.1; // else the axis hides the first point
    return fmt::format("set logscale x 2\nset xrange [{:.6g}:{:.6g}]\nset xtics ({})\n", std::exp2(first - edge),
                       std::exp2(last + edge), ticks);
}

/// A horizontal axis in even steps from 0.
std::string even_axis(const SizePlot& plot, const Canvas& canvas) {
    const double last = range_of<&PlotPoint::at>(plot).high;
    const double end = last > 0 ? last : 1;
    const double edge = (canvas.text ? 1.5 / canvas.width : 0.01) * end; // else the axis hides the first point
    return fmt::format("set xrange [{:.6g}:{:.6g}]\n", -edge, end + edge);
}

/// The largest of 1, 2 and 5 times a power of ten up to a number.
double round_below(double number) {
    const double decade = std::pow(10, std::floor(std::log10(number)));
    return number >= 5 * decade ? 5 * decade : number >= 2 * decade ? 2 * decade : decade;
}

/// The labels of a logarithmic axis, a dozen at most.
std::vector<double> value_ticks(const Range& range) {
    std::vector<double> ticks;
    if (range.ratio() < 2.5) { // so narrow that even steps read best
        const double step = round_below((range.high - range.low) / 2);
        const double first = std::ceil(range.low / step) * step;
        for (int n = 0; first + n * step <= range.high; ++n)
            ticks.push_back(first + n * step);
        return ticks;
    }
    const double decades = std::log10(range.ratio());
    const std::vector<double> digits = decades < 1   ? std::vector<double>{1, 1.5, 2, 3, 4, 5, 6, 8}
                                       : decades < 4 ? std::vector<double>{1, 2, 5}
                                                     : std::vector<double>{1};
    const int step = std::max(1, static_cast<int>(std::ceil(decades / 12)));
    for (int power = static_cast<int>(std::floor(std::log10(range.low))); power <= std::log10(range.high);
         power += step) {
        for (const double digit : digits)
            ticks.push_back(digit * std::pow(10, power));
    }
    std::erase_if(ticks, [&](double tick) { return tick < range.low || tick > range.high; });
    return ticks;
}

std::string tick_list(const Range& range) {
    return joined(value_ticks(range), ", ", [](double tick) { return fmt::format("{:.6g}", tick); });
}

/// A horizontal axis in powers of ten, with as many labels as have room.
std::string logarithmic_axis(const SizePlot& plot) {
    const Range range = range_of<&PlotPoint::at>(plot);
    return fmt::format("set format y \"%g\"\nset logscale x\nset xrange [{:.6g}:{:.6g}]\nset xtics ({})\n",
                       range.low / 1.1, range.high * 1.1, tick_list(range));
}

/// A logarithmic vertical axis, which shows the step from L1 to L2 as well as the step to memory. Leaves room above the
/// curves for the levels' words.
std::string value_axis(const SizePlot& plot, const Canvas& canvas) {
    Range range = range_of<&PlotPoint::value>(plot);
    range.low /= 1.1;
    range.high *= 1.1;
    const double inside = canvas.height - canvas.outside_height;
    const double above = plot.levels.empty() ? 0.0 : canvas.level_words_height / (inside - canvas.level_words_height);
    const double below = canvas.text ? 1.5 / inside : 0.0; // else the axis hides the lowest points
    const std::string label = canvas.text ? fmt::format("set format y {}\n", gnuplot_string("%g " + plot.unit, 40))
                                          : fmt::format("set ylabel {}\n", gnuplot_string(plot.quantity, 60));
    return fmt::format("set logscale y\nset yrange [{:.6g}:{:.6g}]\nset ytics ({})\n{}",
                       range.low * std::pow(range.ratio(), -below), range.high * std::pow(range.ratio(), above),
                       tick_list(range), label);
}

/// The lines as one string, each cut off for itself.
std::string gnuplot_lines(const std::vector<std::string>& lines, std::size_t most) {
    return joined(lines, ".\"\\n\".", [&](const std::string& line) { return gnuplot_string(line, most); });
}

std::string level_line(const PlotLevel& level) {
    return fmt::format("set arrow from first {0:.6g}, graph 0 to first {0:.6g}, graph 0.97 nohead dashtype 2 "
                       "linewidth 1.4 linecolor rgb \"#707070\"\n",
                       level.ends_at_bytes);
}

std::string level_words(const PlotLevel& level) {
    return fmt::format("set label {} at first {:.6g}, graph 1 right offset -0.7, -1 noenhanced font \",10\" "
                       "textcolor rgb \"#404040\"\n",
                       gnuplot_lines(level.words, 40), level.ends_at_bytes);
}

std::string levels(const SizePlot& plot) {
    std::string all;
    for (const PlotLevel& level : plot.levels)
        all += (level.has_line ? level_line(level) : "") + level_words(level);
    return all;
}

/// An unknown value becomes an empty line, which breaks the curve.
std::string data(const PlotCurve& curve, std::size_t place) {
    std::string lines = fmt::format("$curve{} << END\n", place + 1);
    for (const PlotPoint& point : curve.points)
        lines += point.value ? fmt::format("{:.15g} {:.6g}\n", point.at, *point.value) : "\n";
    return lines + "END\n";
}

std::string title(const PlotCurve& curve, const Canvas& canvas) {
    if (curve.name.empty())
        return "notitle";
    return fmt::format("title {} noenhanced",
                       gnuplot_string(canvas.text ? " " + curve.name : curve.name, longest_name));
}

/// @param place among the curves that have a name
std::string look(const PlotCurve& curve, std::size_t place) {
    constexpr std::array<int, 5> shapes{7, 5, 9, 13, 11}; // gnuplot's filled ones
    const std::size_t round = place / colours.size();
    return fmt::format(" dashtype {} linecolor rgb \"{}\" pointtype {} {}", round % 4 + 1,
                       colours.at(place % colours.size()), shapes.at(round % shapes.size()),
                       curve.points.size() > 80 ? "linewidth 1.2 pointsize 0.1" : "linewidth 1.8 pointsize 0.5");
}

std::string curves(const SizePlot& plot, const Canvas& canvas) {
    std::string text;
    for (std::size_t place = 0; place < plot.curves.size(); ++place)
        text += data(plot.curves[place], place);
    std::size_t named = 0;
    for (std::size_t place = 0; place < plot.curves.size(); ++place) {
        const PlotCurve& curve = plot.curves[place];
        if (!curve.name.empty())
            ++named;
        text +=
            fmt::format("{}$curve{} using 1:2 with linespoints {}{}", place == 0 ? "plot " : ", \\\n     ", place + 1,
                        title(curve, canvas), canvas.text ? "" : look(curve, std::max<std::size_t>(named, 1) - 1));
    }
    return text + "\n";
}

/// A quiet frame, a thin grid, and a legend that is never over a curve.
std::string program(const SizePlot& plot, const Canvas& canvas) {
    return canvas.terminal +
           "set encoding utf8\n"
           "set border 3 linecolor rgb \"#808080\"\n"
           "set tics nomirror scale 0.5 textcolor rgb \"#303030\"\n"
           "set key below horizontal Left reverse\n"
           "set rmargin 4\n" +
           fmt::format("set xlabel {}.\"\\n \"\n",
                       gnuplot_string(plot.across.empty() ? "memory size" : plot.across, 60)) +
           (canvas.text ? "" : "set grid xtics ytics linetype 1 linewidth 0.5 linecolor rgb \"#d8d8d8\"\n") +
           title_command({plot.title, plot.subtitle}, longest_title) +
           (plot.across.empty()          ? size_axis(plot, canvas)
            : plot.across_is_logarithmic ? logarithmic_axis(plot)
                                         : even_axis(plot, canvas)) +
           value_axis(plot, canvas) + levels(plot) + curves(plot, canvas);
}

} // namespace

std::string gnuplot_string(std::string_view text, std::size_t most) {
    std::string quoted;
    std::size_t characters = 0;
    while (!text.empty() && characters < most) {
        const std::size_t length = length_of_first(text);
        const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
        // The first three are special in double quotes; @ starts a macro.
        if (std::string_view("\"\\`@").find(character.front()) != std::string_view::npos)
            quoted += fmt::format("\\{:03o}", static_cast<unsigned>(character.front()));
        else
            quoted += length > 0 ? character : static_cast<unsigned char>(character.front()) < ' ' ? " " : "?";
        text.remove_prefix(character.size());
        ++characters;
    }
    return fmt::format("\"{}{}\"", quoted, text.empty() ? "" : "...");
}

std::string title_command(std::vector<std::string> lines, std::size_t most) {
    std::erase(lines, "");
    return fmt::format("set title {} noenhanced font \",13\"\n", gnuplot_lines(lines, most));
}

std::string terminal_line(std::optional<Image> image, int width, int height) {
    if (image == Image::svg)
        return fmt::format("set terminal svg size {},{} font \"sans-serif,11\" fontscale 1.2 background \"white\"\n",
                           width, height);
    if (image == Image::pdf)
        return fmt::format("set terminal pdfcairo size {}/72.0,{}/72.0 font \"Sans,11\" fontscale 1 linewidth 2\n",
                           width, height);
    return fmt::format("{}set terminal pngcairo size {},{} font \"Sans,11\"\n",
                       image ? "" : "if (GPVAL_TERM eq \"unknown\") ", width, height);
}

std::string image_program(const SizePlot& plot, std::optional<Image> image) {
    constexpr int width = 1000;
    constexpr int height = 600;
    return program(plot, {.terminal = terminal_line(image, width, height),
                          .width = width,
                          .height = height,
                          .size_label_width = 70,
                          .level_words_height = 66,
                          .outside_height = 160});
}

std::string text_program(const SizePlot& plot, const TextArea& area) {
    return program(plot, {.terminal = fmt::format("set terminal dumb size {},{}\n", area.columns, area.lines),
                          .text = true,
                          .width = static_cast<double>(area.columns),
                          .height = static_cast<double>(area.lines),
                          .size_label_width = 9,
                          .level_words_height = 4,
                          .outside_height = 9});
}

} // namespace memtest

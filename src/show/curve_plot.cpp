#include "memtest/show/curve_plot.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace memtest {
namespace {

// Okabe and Ito (2008): colours that colour-blind people can tell apart, without the yellow that is faint on white.
constexpr std::array<std::string_view, 7> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#e69f00", "#56b4e9", "#000000"};

// In characters: a title takes the width of an image, and two curves share a line of the legend.
constexpr std::size_t longest_title = 110;
constexpr std::size_t longest_name = 64;

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

// What a logarithmic axis shows: nothing that is not above 0, and no overflow at its ends.
constexpr double least_shown = 1e-30;
constexpr double most_shown = 1e30;

/// The min and max of those numbers that a logarithmic axis shows.
struct Range {
    double low = most_shown;
    double high = least_shown;

    void include(double number) {
        if (number >= least_shown && number <= most_shown) {
            low = std::min(low, number);
            high = std::max(high, number);
        }
    }
    [[nodiscard]] double ratio() const { return high / low; }
};

/// The range of some members of the points, where known; that of 1 if none is shown.
Range range_of(const SizePlot& plot, const auto&... members) {
    Range range;
    const auto include = [&](std::optional<double> number) {
        if (number)
            range.include(*number);
    };
    for (const PlotCurve& curve : plot.curves) {
        for (const PlotPoint& point : curve.points)
            (include(point.*members), ...);
    }
    return range.low <= range.high ? range : Range{.low = 1, .high = 1};
}

Range range_across(const SizePlot& plot) {
    return range_of(plot, &PlotPoint::at, &PlotPoint::at_low, &PlotPoint::at_high);
}

bool has_band(const PlotCurve& curve) {
    return std::ranges::any_of(curve.points, [](const PlotPoint& point) { return point.low && point.high; });
}

bool has_bars(const PlotCurve& curve) {
    return std::ranges::any_of(curve.points, [](const PlotPoint& point) { return point.at_low && point.at_high; });
}

/// The ends of the size axis, a little beyond the curves, so that the frame does not hide their ends.
Range ends_of_sizes(const Range& sizes, const Canvas& canvas) {
    const double doublings = std::max(std::log2(sizes.ratio()), 1.0);
    const double edge = canvas.text ? 1.5 * doublings / canvas.width : 0.1;
    const double alone = sizes.ratio() > 1 ? 0 : 1; // a single size is in the middle
    return {.low = sizes.low * std::exp2(-edge - alone), .high = sizes.high * std::exp2(edge + alone)};
}

/// A horizontal axis with labels at powers of two, as many as fit.
std::string size_axis(const SizePlot& plot, const Canvas& canvas) {
    const Range ends = ends_of_sizes(range_across(plot), canvas);
    const int first = static_cast<int>(std::ceil(std::log2(ends.low)));
    const int last = static_cast<int>(std::floor(std::log2(ends.high)));
    const int labels = static_cast<int>(canvas.width / canvas.size_label_width);
    int step = 1;
    while ((last - first) / step > labels)
        step *= 2;
    std::string ticks;
    for (int power = first; power <= last; ++power) {
        const bool named = power % step == 0;
        ticks += fmt::format("{}\"{}\" {:.15g} {}", ticks.empty() ? "" : ", ",
                             named ? rounded_size(std::exp2(power)) : "", std::exp2(power), named ? 0 : 1);
    }
    return fmt::format("set logscale x 2\nset xrange [{:.6g}:{:.6g}]\nset xtics ({})\n", ends.low, ends.high, ticks);
}

/// A horizontal axis in even steps from 0.
std::string even_axis(const SizePlot& plot, const Canvas& canvas) {
    const double end = range_across(plot).high;
    const double edge = (canvas.text ? 1.5 / canvas.width : 0.01) * end; // else the axis hides the first point
    return fmt::format("set format x \"%g\"\nset xrange [{:.6g}:{:.6g}]\n", -edge, end + edge);
}

/// The largest number of the form 1, 2 or 5 times a power of ten that is not above this one.
double round_below(double number) {
    const double decade = std::pow(10, std::floor(std::log10(number)));
    return number >= 5 * decade ? 5 * decade : number >= 2 * decade ? 2 * decade : decade;
}

std::vector<double> even_ticks(const Range& range) {
    std::vector<double> ticks;
    const double step = round_below((range.high - range.low) / 2);
    const double first = std::ceil(range.low / step) * step;
    for (int n = 0; first + n * step <= range.high; ++n)
        ticks.push_back(first + n * step);
    return ticks;
}

/// These digits in every n-th decade.
std::vector<double> decade_ticks(const Range& range, const std::vector<double>& digits, int decades) {
    std::vector<double> ticks;
    for (int power = static_cast<int>(std::floor(std::log10(range.low))); power <= std::log10(range.high);
         power += decades) {
        for (const double digit : digits)
            ticks.push_back(digit * std::pow(10, power));
    }
    std::erase_if(ticks, [&](double tick) { return tick < range.low || tick > range.high; });
    return ticks;
}

/// The ticks of a logarithmic axis, as many as fit. @param closest two ticks may be, as a share of the axis
std::vector<double> log_ticks(const Range& range, double closest) {
    const auto fits = [&](const std::vector<double>& ticks) {
        return std::ranges::adjacent_find(ticks, [&](double tick, double next) {
                   return std::log(next / tick) < closest * std::log(range.ratio());
               }) == ticks.end();
    };
    if (range.ratio() < 2.5) { // so narrow that even steps are easiest to read
        if (auto ticks = even_ticks(range); fits(ticks))
            return ticks;
    }
    for (const std::vector<double>& digits : {std::vector<double>{1, 1.5, 2, 3, 4, 5, 6, 8}, {1, 2, 5}, {1, 3}}) {
        if (auto ticks = decade_ticks(range, digits, 1); ticks.size() > 1 && fits(ticks))
            return ticks;
    }
    int decades = 1;
    while (!fits(decade_ticks(range, {1}, decades)))
        ++decades;
    return decade_ticks(range, {1}, decades);
}

std::string tick_list(const std::vector<double>& ticks, const std::string& unit) {
    return joined(ticks, ", ", [&](double tick) {
        return fmt::format("{} {:.6g}", gnuplot_string(plain_number(tick, 6) + unit, 40), tick);
    });
}

/// A horizontal axis with labels at round numbers.
std::string logarithmic_axis(const SizePlot& plot, const Canvas& canvas) {
    const Range range = range_across(plot);
    return fmt::format("set logscale x\nset xrange [{:.6g}:{:.6g}]\nset xtics ({})\n", range.low / 1.1,
                       range.high * 1.1, tick_list(log_ticks(range, canvas.tick_width / canvas.width), ""));
}

/// The number of rows of words above those of each level. Words that reach past the line of a preceding level go above
/// that line, which begins at its own words: so words cover neither each other nor a line.
std::vector<std::size_t> places_of_words(const SizePlot& plot, const Canvas& canvas) {
    const Range ends = ends_of_sizes(range_across(plot), canvas);
    const double doubling = canvas.width / std::log2(ends.high / ends.low);
    const auto begins_at = [&](const PlotLevel& level) {
        const std::string& longest =
            canvas.text ? level.words.front() : std::ranges::max(level.words, {}, std::ranges::size);
        return std::log2(level.ends_at_bytes / ends.low) * doubling -
               static_cast<double>(longest.size() + 2) * canvas.word_width;
    };
    std::vector<std::size_t> places(plot.levels.size());
    for (std::size_t i = places.size(); i-- > 0;) {
        const double line = std::log2(plot.levels[i].ends_at_bytes / ends.low) * doubling;
        for (std::size_t later = i + 1; later < places.size(); ++later) {
            if (begins_at(plot.levels[later]) < line)
                places[i] = std::max(places[i], places[later] + 1);
        }
    }
    return places;
}

/// The height of the levels' words above the curves.
double height_of_words(const SizePlot& plot, const Canvas& canvas) {
    const auto places = places_of_words(plot, canvas);
    return places.empty() ? 0 : static_cast<double>(*std::ranges::max_element(places) + 1) * canvas.words_height;
}

/// A logarithmic vertical axis, which shows the step from L1 to L2 as well as the step to memory. Leaves room above the
/// curves for the levels' words.
std::string value_axis(const SizePlot& plot, const Canvas& canvas) {
    Range range = range_of(plot, &PlotPoint::value, &PlotPoint::low, &PlotPoint::high);
    range.low /= 1.1;
    range.high *= 1.1;
    const double words = height_of_words(plot, canvas);
    const double inside = canvas.height - words;
    const double below = canvas.text ? 1.5 / inside : 0.0; // else the axis hides the lowest points
    const auto ticks = log_ticks(range, canvas.tick_height / inside);
    const std::string unit = canvas.text ? " " + plot.unit : "";
    std::size_t longest = 0;
    for (const double tick : ticks)
        longest = std::max(longest, plain_number(tick, 6).size() + unit.size());
    return fmt::format("set logscale y\nset yrange [{:.6g}:{:.6g}]\nset ytics ({})\n{}",
                       range.low * std::pow(range.ratio(), -below),
                       range.high * std::pow(range.ratio(), words / inside), tick_list(ticks, unit),
                       canvas.text ? fmt::format("set lmargin {}\n", longest + 2)
                                   : fmt::format("set ylabel {}\n", gnuplot_string(plot.quantity, 60)));
}

/// The lines as one string, each shortened separately.
std::string gnuplot_lines(const std::vector<std::string>& lines, std::size_t most) {
    return joined(lines, ".\"\\n\".", [&](const std::string& line) { return gnuplot_string(line, most); });
}

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

constexpr std::string_view what_bands_show = "contested sizes, lowest to highest";
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
           title_command({plot.title, plot.subtitle}, longest_line) +
           (plot.across.empty()          ? size_axis(plot, canvas)
            : plot.across_is_logarithmic ? logarithmic_axis(plot, canvas)
                                         : even_axis(plot, canvas)) +
           value_axis(plot, canvas) + levels(plot, canvas) + curves(plot, canvas);
}

} // namespace

std::string gnuplot_string(std::string_view text, std::size_t most) {
    std::string quoted;
    for (const char c : shortened(escaped(text), most)) {
        // The first three are special in double quotes; @ starts a macro.
        quoted += std::string_view("\"\\`@").find(c) == std::string_view::npos
                      ? std::string(1, c)
                      : fmt::format("\\{:03o}", static_cast<unsigned>(c));
    }
    return fmt::format("\"{}\"", quoted);
}

std::string title_command(std::vector<std::string> lines, std::size_t most) {
    std::erase(lines, "");
    return fmt::format("set title {} noenhanced font \",13\"\n", gnuplot_lines(lines, most));
}

std::string terminal_line(std::optional<Image> image, int width, int height) {
    const std::string defaults = "reset\n"; // a person's ~/.gnuplot is made for other plots
    if (image == Image::svg)
        return defaults +
               fmt::format("set terminal svg size {},{} font \"sans-serif,11\" fontscale 1.2 background \"white\"\n",
                           width, height);
    if (image == Image::pdf)
        return defaults +
               fmt::format("set terminal pdfcairo size {}/72.0,{}/72.0 font \"Sans,11\" fontscale 1 linewidth 2\n",
                           width, height);
    return defaults + fmt::format("{}set terminal pngcairo size {},{} font \"Sans,11\"\n",
                                  image ? "" : "if (GPVAL_TERM eq \"unknown\") ", width, height);
}

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

#include "memtest/show/plot_axes.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/show/gnuplot_language.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace memtest {
namespace {

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

/// The height of the levels' words above the curves.
double height_of_words(const SizePlot& plot, const Canvas& canvas) {
    const auto places = places_of_words(plot, canvas);
    return places.empty() ? 0 : static_cast<double>(*std::ranges::max_element(places) + 1) * canvas.words_height;
}

} // namespace

std::string horizontal_axis(const SizePlot& plot, const Canvas& canvas) {
    return plot.across.empty()          ? size_axis(plot, canvas)
           : plot.across_is_logarithmic ? logarithmic_axis(plot, canvas)
                                        : even_axis(plot, canvas);
}

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

} // namespace memtest

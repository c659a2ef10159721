#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace memtest {

/// How results are drawn.
struct PlotStyle {
    bool cycles = false;     ///< core cycles instead of ns
    bool ratio = false;      ///< how many times as fast as the first sweep, at the sizes of both
    bool levels = false;     ///< those of the first sweep's first thread
    bool has_labels = false; ///< given by the user: a label stands alone if it names a single curve
};

/// A point of a curve; an unknown value breaks the curve.
struct PlotPoint {
    double at = 0; ///< on the horizontal axis
    std::optional<double> value = {};
    std::optional<double> low = {}; ///< of a contested size: its range, drawn as a band if both are known
    std::optional<double> high = {};
    std::optional<double> at_low = {}; ///< its range across; if both are known, both ranges are drawn as bars
    std::optional<double> at_high = {};
};

struct PlotCurve {
    std::string name;                   ///< empty for one that looks like the curve before it and is not in the legend
    std::vector<PlotPoint> points = {}; ///< all finite, values and sizes positive; at least one value is known
};

/// A level of the hierarchy: a vertical line at its size, with its words to the left.
struct PlotLevel {
    std::vector<std::string> words; ///< its name first
    double ends_at_bytes = 0;
    bool has_line = true;
};

/// Curves over the memory size or another quantity.
struct SizePlot {
    std::string title;
    std::string subtitle = {}; ///< may be empty
    std::string quantity;      ///< of the vertical axis
    std::string unit;
    std::vector<PlotCurve> curves = {}; ///< at least one
    std::vector<PlotLevel> levels = {}; ///< by size
    std::string levels_of = {};         ///< the curve that they belong to; empty if there is only one
    std::string across = {};            ///< the quantity of the horizontal axis; empty for the size in bytes
    bool across_is_logarithmic = false; ///< else linear from 0, except for the size
};

/// A matrix shown in colours.
struct HeatMap {
    std::string title;
    std::string subtitle = {}; ///< may be empty
    std::string quantity;      ///< shown by the colours
    std::string row_axis;
    std::string column_axis;
    std::vector<std::string> rows = {};    ///< names, from the top
    std::vector<std::string> columns = {}; ///< names, from the left

    /// One for each row and column. Known values are positive and finite; at least one is known.
    std::vector<std::vector<std::optional<double>>> values = {};

    std::vector<HeatMap> beside = {}; ///< drawn to its right; these have none
};

/// What a result looks like.
using Plot = std::variant<SizePlot, HeatMap>;

} // namespace memtest

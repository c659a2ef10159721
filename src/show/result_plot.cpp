#include "memtest/show/result_plot.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/kinds/levels.hpp"
#include "memtest/kinds/loaded.hpp"
#include "memtest/kinds/matrix.hpp"
#include "memtest/kinds/prefetch.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/kinds/tail.hpp"
#include "memtest/machine/kinds.hpp"
#include "memtest/result/run_description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

/// A setting that may distinguish sweeps.
struct Setting {
    std::string_view key;
    std::string_view words; ///< around its value
    std::string_view usual; ///< the value that is not worth printing
};

constexpr std::size_t most_in_legend = 24; // more leave no space for the curves

constexpr std::array<Setting, 10> settings{{{"order", "{}", ""},
                                            {"link", "{}", "pointer"},
                                            {"line", "line {} B", "64"},
                                            {"stride", "stride {} B", ""},
                                            {"tlb locality", "TLB locality {} B", ""},
                                            {"parallel", "{} parallel chains", "1"},
                                            {"pages got", "pages {}", ""},
                                            {"node", "node {}", ""},
                                            {"awake", "processors {} awake", ""},
                                            {"cpu", "{}", ""}}};

void append(std::string& list, std::string_view text) {
    list += list.empty() || text.empty() ? "" : ", ";
    list += text;
}

std::string in_words(const Setting& setting, std::string_view value) {
    return fmt::format(fmt::runtime(setting.words), value);
}

/// The settings of sweeps, in words.
struct Differences {
    std::string shared;           ///< in which all are the same
    std::vector<std::string> own; ///< for each sweep, in which they differ
};

Differences differences_of(const std::vector<Result>& sweeps) {
    Differences result{.shared = "", .own = std::vector<std::string>(sweeps.size())};
    for (const Setting& setting : settings) {
        const RunKey& key = *std::ranges::find(run_keys(), setting.key, &RunKey::key);
        std::vector<std::string> values; // empty if a sweep does not state it
        for (const Result& sweep : sweeps)
            values.push_back(key.text(sweep.run).value_or(""));
        std::set<std::string> said(values.begin(), values.end());
        const bool do_all_say = said.erase("") == 0;
        if (do_all_say && said.size() == 1 && *said.begin() != setting.usual)
            append(result.shared, in_words(setting, *said.begin()));
        for (std::size_t i = 0; said.size() > 1 && i < values.size(); ++i)
            append(result.own[i], values[i].empty() ? "" : in_words(setting, values[i]));
    }
    return result;
}

/// The points of a thread, by size.
using Points = std::map<double, std::optional<double>>;

/// The points of every thread of a sweep.
using Threads = std::map<int, Points>;

bool has_values(const Points& points) {
    return std::ranges::any_of(points, [](const auto& point) { return point.second.has_value(); });
}

/// The latency of the base over that of the points, at the sizes that both have.
Points speed(const Points& base, const Points& points) {
    Points ratios;
    for (const auto& [size_bytes, value] : points) {
        const auto found = base.find(size_bytes);
        if (found != base.end())
            ratios[size_bytes] = found->second && value ? std::optional(*found->second / *value) : std::nullopt;
    }
    return ratios;
}

/// If a thread has several rows of one size, the min counts, since disturbances only add time.
Threads threads_of(const Result& sweep, bool cycles) {
    Threads threads;
    for (const Row& row : sweep.rows_of<Row>()) {
        const auto value = cycles ? row.latency_cycles : row.latency_ns;
        auto& kept = threads[row.thread][static_cast<double>(row.size_bytes)];
        if (value && (!kept || *value < *kept))
            kept = value;
    }
    std::erase_if(threads, [](const auto& thread) { return !has_values(thread.second); });
    if (threads.empty())
        throw usage_error(fmt::format("{} has no latency {}", sweep.name,
                                      cycles ? "in cycles; measure with --cycles" : "of any size"));
    return threads;
}

/// The speed of each thread relative to the same thread of the first sweep, else to the first thread there.
Threads relative_to(const Threads& first, const Threads& threads, const Result& sweep) {
    Threads ratios;
    for (const auto& [thread, points] : threads) {
        const auto same = first.find(thread);
        auto ratio = speed(same == first.end() ? first.begin()->second : same->second, points);
        if (has_values(ratio))
            ratios.emplace(thread, std::move(ratio));
    }
    if (ratios.empty())
        throw usage_error(
            fmt::format("{} shares no size with the first sweep; --ratio needs sizes that both have", sweep.name));
    return ratios;
}

/// The words of a level end at its capacity, or in the middle of its range; if the range is open, and for memory, at
/// the largest size that its latency comes from. Doubtful figures have a question mark. @pre the curve shows it
PlotLevel plot_level(const LevelRow& row, const PlotStyle& style) {
    auto end_kib = row.capacity_best_kib;
    if (!end_kib && row.capacity_low_kib && row.capacity_high_kib)
        end_kib = std::sqrt(*row.capacity_low_kib * *row.capacity_high_kib);
    PlotLevel plot{.words = {row.level},
                   .ends_at_bytes = end_kib ? *end_kib * kib : *row.to_mib * mib,
                   .has_line = !row.is_memory()};
    const auto mark = [](std::optional<Confidence> confidence) { return confidence == Confidence::low ? "?" : ""; };
    if (end_kib)
        plot.words.push_back(rounded_size(plot.ends_at_bytes) + mark(row.capacity_confidence));
    const auto value = style.cycles ? row.latency_cycles : row.latency_ns;
    if (value && (style.cycles || !style.ratio))
        plot.words.push_back(fmt::format("{} {}{}", plain_number(*value, 3), style.cycles ? "cycles" : "ns",
                                         mark(row.latency_confidence)));
    return plot;
}

/// The name of a thread's curve. If there are too many for a legend, the first of a sweep stands for all.
std::string name_of(int thread, const Threads& threads, const std::string& label, bool crowded) {
    if (threads.size() == 1)
        return label;
    if (!crowded)
        return fmt::format("{}, thread {}", label, thread);
    return thread == threads.begin()->first ? fmt::format("{}, {} threads", label, threads.size()) : "";
}

/// The range of each contested size, by its thread and size.
using Bands = std::map<std::pair<int, double>, LatencyBand>;

Bands bands_of(const Result& sweep) {
    Bands bands;
    for (const Row& row : sweep.rows_of<Row>()) {
        if (const auto band = contested_band_of(row))
            bands.insert_or_assign({row.thread, static_cast<double>(row.size_bytes)}, *band);
    }
    return bands;
}

/// The plot without its curves.
SizePlot empty_plot(const std::vector<std::string>& labels, const PlotStyle& style) {
    if (style.ratio)
        return {.title = "Speed relative to " + labels.front(), .quantity = "times as fast", .unit = "x"};
    if (style.cycles)
        return {.title = "Memory access latency", .quantity = "latency (core cycles)", .unit = "cycles"};
    return {.title = "Memory access latency", .quantity = "latency (ns)", .unit = "ns"};
}

/// The kinds of cores; empty if there is only one.
std::string joined_kinds(const RunDescription& run) {
    return run.core_kinds ? fmt::format("{}", fmt::join(*run.core_kinds, " and ")) : "";
}

/// The CPU model; empty if results differ in it.
std::string shared_cpu_model(const std::vector<Result>& results) {
    const auto& cpu = results.front().run.cpu_model;
    const bool is_shared =
        std::ranges::all_of(results, [&](const Result& result) { return result.run.cpu_model == cpu; });
    return is_shared ? cpu.value_or("") : "";
}

constexpr std::size_t most_ids = 1024; // more do not fit in an image

/// The ids on an axis, each with its place.
using Axis = std::map<int, std::size_t>;

/// Numbers the places in the order of the ids. @return their names, with the kind of each if several are here
std::vector<std::string> number(Axis& axis, const std::vector<CoreKind>& kinds) {
    std::vector<std::string> names;
    for (auto& [id, place] : axis) {
        place = names.size();
        names.push_back(fmt::format("{}", id));
        for (const CoreKind& kind : kinds) {
            if (std::ranges::count(kind.processors, id) > 0)
                names.back() += " " + kind.name;
        }
    }
    return names;
}

} // namespace

std::string plot_label(const std::filesystem::path& path) {
    return (path.extension() == ".csv" ? path.stem() : path.filename()).string();
}

SizePlot plot_sweeps(const std::vector<Result>& sweeps, const std::vector<std::string>& labels,
                     const PlotStyle& style) {
    SizePlot plot = empty_plot(labels, style);
    const Differences said = differences_of(sweeps);
    plot.subtitle = said.shared;
    std::vector<Threads> all;
    std::size_t curves = 0;
    for (const Result& sweep : sweeps) {
        all.push_back(threads_of(sweep, style.cycles));
        curves += all.back().size();
    }
    for (std::size_t i = 0; i < sweeps.size(); ++i) {
        const Bands bands = style.ratio || style.cycles ? Bands{} : bands_of(sweeps[i]);
        for (auto& [thread, points] : style.ratio ? relative_to(all.front(), all[i], sweeps[i]) : all[i]) {
            std::string name = name_of(thread, all[i], labels[i], curves > most_in_legend);
            append(name, name.empty() || style.has_labels ? "" : said.own[i]);
            PlotCurve& curve = plot.curves.emplace_back(PlotCurve{.name = std::move(name), .points = {}});
            for (const auto& [size_bytes, value] : points) {
                PlotPoint& point = curve.points.emplace_back(PlotPoint{.at = size_bytes, .value = value});
                if (const auto band = bands.find({thread, size_bytes}); band != bands.end()) {
                    point.low = band->second.low_ns;
                    point.high = band->second.high_ns;
                }
            }
        }
    }
    if (style.levels) {
        const Result& sweep = sweeps.front();
        for (const LevelRow& row : level_rows(report_levels(curves_of(sweep).front(), sweep))) {
            if (row.is_shown())
                plot.levels.push_back(plot_level(row, style));
        }
        if (plot.curves.size() > 1)
            plot.levels_of = plot.curves.front().name;
    }
    return plot;
}

SizePlot plot_loads(const std::vector<Result>& loads, const std::vector<std::string>& labels) {
    SizePlot plot{.title = "Memory access latency under load",
                  .subtitle = shared_cpu_model(loads),
                  .quantity = "latency (ns)",
                  .unit = "ns",
                  .across = "bandwidth of the load threads (GB/s)"};
    for (std::size_t i = 0; i < loads.size(); ++i) {
        const std::vector<LoadPoints> curves = load_curves_of(loads[i]);
        for (const LoadPoints& found : curves) {
            PlotCurve& curve = plot.curves.emplace_back(PlotCurve{.name = labels[i], .points = {}});
            if (curves.size() > 1)
                append(curve.name, fmt::format("writes {} %", found.write_percent.value_or(0)));
            // One point without load: with the load threads awake, as they are under load. A second one would be joined
            // to it by a line.
            const bool has_awake = std::ranges::any_of(found.points, &LoadPoint::awake);
            for (const LoadPoint& point : found.points) {
                if (point.load_percent > 0 || (has_awake ? point.awake : curve.points.empty()))
                    curve.points.push_back({.at = point.bytes_per_ns,
                                            .value = point.latency_ns,
                                            .low = point.latency_low_ns,
                                            .high = point.latency_high_ns,
                                            .at_low = point.bytes_per_ns_low,
                                            .at_high = point.bytes_per_ns_high});
            }
        }
    }
    return plot;
}

SizePlot plot_tails(const std::vector<Result>& tails, const std::vector<std::string>& labels, const PlotStyle& style) {
    SizePlot plot{.title = "Latency distribution of single loads",
                  .subtitle = shared_cpu_model(tails),
                  .quantity = "slower loads (%)",
                  .unit = "%%", // a tick is a format of gnuplot
                  .across = "latency (ns)",
                  .across_is_logarithmic = true};
    for (std::size_t i = 0; i < tails.size(); ++i) {
        const std::vector<TailCurve> curves = tail_curves(tails[i]);
        for (const TailCurve& tail : curves) {
            PlotCurve& curve = plot.curves.emplace_back();
            if (tails.size() > 1 || style.has_labels)
                curve.name = labels[i];
            if (curves.size() > 1 || !style.has_labels)
                append(curve.name, tail.name);
            for (const TailPoint& point : tail.points)
                curve.points.push_back({.at = point.ns, .value = point.slower_percent});
        }
    }
    return plot;
}

SizePlot plot_prefetchers(const std::vector<Result>& results, const std::vector<std::string>& labels) {
    SizePlot plot{.title = "Latency by stride, with prefetchers",
                  .subtitle = shared_cpu_model(results),
                  .quantity = "latency (ns)",
                  .unit = "ns",
                  .across = "stride (B)",
                  .across_is_logarithmic = true};
    for (std::size_t i = 0; i < results.size(); ++i) {
        std::map<std::pair<PageKind, Pattern>, Points> curves;
        for (const PatternFigure& figure : results[i].rows_of<PatternFigure>()) {
            const bool is_stride = figure.pattern == Pattern::forward || figure.pattern == Pattern::backward;
            if (is_stride && figure.stride_bytes)
                curves[{figure.pages, figure.pattern}][static_cast<double>(*figure.stride_bytes)] = figure.latency_ns;
        }
        for (const auto& [which, points] : curves) {
            PlotCurve& curve = plot.curves.emplace_back();
            if (results.size() > 1)
                curve.name = labels[i];
            append(curve.name, fmt::format("{}, {} pages", word_of(which.second), word_of(which.first)));
            for (const auto& [stride_bytes, ns] : points)
                curve.points.push_back({.at = stride_bytes, .value = ns});
        }
    }
    return plot;
}

HeatMap plot_matrix(const Result& matrix) {
    const std::vector<MatrixCell> cells = cells_of(matrix);
    Axis rows;
    Axis columns;
    for (const MatrixCell& cell : cells) {
        rows.try_emplace(cell.row);
        columns.try_emplace(cell.column);
    }
    const bool between_cores = matrix.kind == &cores_kind;
    if (between_cores) { // the same on both axes, even if each pair was measured in one direction
        rows.insert(columns.begin(), columns.end());
        columns = rows;
    }
    if (std::max(rows.size(), columns.size()) > most_ids)
        throw usage_error(
            fmt::format("{} has more than {} rows or columns; that many cannot be drawn", matrix.name, most_ids));
    if (std::ranges::none_of(cells, [](const MatrixCell& cell) { return cell.latency_ns.has_value(); }))
        throw usage_error(fmt::format("{} has no latency", matrix.name));

    const std::vector<CoreKind> kinds =
        between_cores && matrix.run.kinds_here ? *matrix.run.kinds_here : std::vector<CoreKind>{};
    const std::string_view line = matrix.run.clean_lines.value_or(false) ? " of a clean line" : "";
    HeatMap map{.title = between_cores ? fmt::format("Core-to-core latency{}", line) : "Latency from node to memory",
                .subtitle = matrix.run.cpu_model.value_or(""),
                .quantity = "latency (ns)",
                .row_axis = std::string(matrix.kind->columns()[0].name),
                .column_axis = std::string(matrix.kind->columns()[1].name),
                .rows = number(rows, kinds),
                .columns = number(columns, {}),
                .values = {}};
    map.values.assign(rows.size(), std::vector<std::optional<double>>(columns.size()));
    HeatMap bandwidth = map;
    bandwidth.title = "Bandwidth from memory to node";
    bandwidth.quantity = "bandwidth (GB/s)";
    for (const MatrixCell& cell : cells) {
        map.values[rows[cell.row]][columns[cell.column]] = cell.latency_ns;
        bandwidth.values[rows[cell.row]][columns[cell.column]] = cell.bytes_per_ns;
    }
    if (std::ranges::any_of(cells, [](const MatrixCell& cell) { return cell.bytes_per_ns.has_value(); }))
        map.beside.push_back(std::move(bandwidth));
    return map;
}

std::optional<SizePlot> plot_of_sweeps(const ReportResults& results) {
    std::vector<Result> sweeps;
    std::vector<std::string> labels;
    if (results.has_huge_pages()) { // the page shows its levels
        sweeps.push_back(*results.huge_pages);
        labels.emplace_back("huge");
    }
    if (results.small_pages) {
        sweeps.push_back(*results.small_pages);
        labels.emplace_back("small");
    }
    for (std::size_t i = 0; i < sweeps.size() && !results.other_kinds.empty(); ++i)
        labels[i] = fmt::format("{}, {}", joined_kinds(sweeps[i].run), labels[i]);
    for (const Result& sweep : results.other_kinds) {
        sweeps.push_back(sweep);
        labels.push_back(joined_kinds(sweep.run));
    }
    return sweeps.empty() ? std::nullopt : std::optional(plot_sweeps(sweeps, labels, {.levels = true}));
}

std::optional<SizePlot> plot_of_machines(const ReportResults& results) {
    std::vector<Result> sweeps;
    std::vector<std::string> labels;
    const auto add = [&](const std::optional<Result>& sweep, const std::string& name) {
        if (sweep) {
            sweeps.push_back(*sweep);
            labels.push_back(name);
        }
    };
    add(results.sweep_of_levels(), results.name);
    for (const MachineInBrief& machine : results.beside)
        add(machine.sweep, machine.name);
    if (results.beside.empty() || sweeps.empty())
        return std::nullopt;
    SizePlot plot = plot_sweeps(sweeps, labels, {});
    plot.title = "Memory access latency of the machines";
    return plot;
}

} // namespace memtest

#include "memtest/plot/sweep_plot.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"
#include "memtest/report/levels_report.hpp"
#include "memtest/report/run_keys.hpp"
#include "memtest/report/stored_curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

namespace memtest {
namespace {

/// A setting that may tell sweeps apart.
struct Setting {
    std::string_view key;
    std::string_view words; ///< around its value
    std::string_view usual; ///< the value that is not worth saying
};

constexpr std::size_t most_in_legend = 24; // more leave no room for the curves

constexpr std::array<Setting, 9> settings{{{"order", "{}", ""},
                                           {"link", "{}", "pointer"},
                                           {"line", "line {} B", "64"},
                                           {"stride", "stride {} B", ""},
                                           {"tlb locality", "TLB locality {} B", ""},
                                           {"parallel", "{} parallel chains", "1"},
                                           {"pages got", "pages {}", ""},
                                           {"node", "node {}", ""},
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
    std::string shared;           ///< in which all agree
    std::vector<std::string> own; ///< of each sweep, in which they differ
};

Differences differences_of(const std::vector<StoredSweep>& sweeps) {
    Differences result{.shared = "", .own = std::vector<std::string>(sweeps.size())};
    for (const Setting& setting : settings) {
        const RunKey& key = *std::ranges::find(run_keys(), setting.key, &RunKey::key);
        std::vector<std::string> values; // empty where a sweep does not say
        for (const StoredSweep& sweep : sweeps)
            values.push_back(key.text(sweep.run).value_or(""));
        auto said = values;
        std::erase(said, "");
        if (said.empty())
            continue;
        const bool differ = std::ranges::any_of(said, [&](const std::string& value) { return value != said.front(); });
        if (!differ && said.size() == values.size() && said.front() != setting.usual)
            append(result.shared, in_words(setting, said.front()));
        for (std::size_t i = 0; differ && i < values.size(); ++i)
            append(result.own[i], values[i].empty() ? "" : in_words(setting, values[i]));
    }
    return result;
}

/// The points of a thread by size. Of several of one size the smallest counts, since disturbances only add time.
std::vector<PlotPoint> points_of(const StoredSweep& sweep, int thread, bool cycles) {
    std::map<double, std::optional<double>> points;
    for (const StoredRow& row : sweep.rows) {
        if (row.thread != thread)
            continue;
        const auto& value = cycles ? row.cycles : row.latency_ns;
        auto& kept = points[row.size_bytes];
        if (value && (!kept || *value < *kept))
            kept = value;
    }
    std::vector<PlotPoint> sorted;
    for (const auto& [size_bytes, value] : points)
        sorted.push_back({.at = size_bytes, .value = value});
    return sorted;
}

bool has_values(const std::vector<PlotPoint>& points) {
    return std::ranges::any_of(points, [](const PlotPoint& point) { return point.value.has_value(); });
}

/// The time of the base over that of the points, at the sizes that both have.
std::vector<PlotPoint> speed(const std::vector<PlotPoint>& base, const std::vector<PlotPoint>& points) {
    std::vector<PlotPoint> ratios;
    for (const PlotPoint& point : points) {
        const auto found = std::ranges::find(base, point.at, &PlotPoint::at);
        if (found == base.end())
            continue;
        const bool known = found->value && point.value;
        ratios.push_back({.at = point.at, .value = known ? std::optional(*found->value / *point.value) : std::nullopt});
    }
    return ratios;
}

/// The points of every thread of a sweep.
using Threads = std::map<int, std::vector<PlotPoint>>;

Threads threads_of(const StoredSweep& sweep, bool cycles) {
    Threads threads;
    for (const int thread : sweep.threads()) {
        auto points = points_of(sweep, thread, cycles);
        if (has_values(points))
            threads.emplace(thread, std::move(points));
    }
    if (threads.empty())
        throw usage_error(fmt::format("{} has no latency {}", sweep.name,
                                      cycles ? "in cycles; measure with --cycles" : "of any size"));
    return threads;
}

/// The speed of each thread relative to the same thread of the first sweep, else to the first thread there.
Threads relative_to(const Threads& first, const Threads& threads, const StoredSweep& sweep) {
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

PlotLevel plot_level(std::string name, double latency_ns, std::optional<double> cycles, const SweepPlotStyle& style) {
    PlotLevel level{.words = {std::move(name)}};
    if (style.cycles && cycles)
        level.words.push_back(fmt::format("{:.3g} cycles", *cycles));
    else if (!style.cycles && !style.ratio)
        level.words.push_back(fmt::format("{:.3g} ns", latency_ns));
    return level;
}

/// The capacity of a cache, or the middle of its range; nothing for an open end.
std::optional<double> end_of(const Level& cache) {
    if (cache.capacity_bytes || !cache.capacity_high_bytes)
        return cache.capacity_bytes;
    return std::sqrt(*cache.capacity_low_bytes * *cache.capacity_high_bytes);
}

std::vector<PlotLevel> levels_of(const StoredSweep& sweep, const SweepPlotStyle& style) {
    const LevelReport report = report_levels(sweep).front();
    std::vector<PlotLevel> levels;
    for (const Level& cache : report.hierarchy.caches) {
        PlotLevel level =
            plot_level(level_name(levels.size()), cache.latency_ns, cycles_at(report, levels.size()), style);
        const auto end_bytes = end_of(cache);
        level.ends_at_bytes = end_bytes.value_or(cache.to_bytes);
        if (end_bytes)
            level.words.insert(level.words.begin() + 1, rounded_size(*end_bytes));
        levels.push_back(std::move(level));
    }
    if (const auto& memory = report.hierarchy.memory) {
        PlotLevel level = plot_level("memory", memory->latency_ns, cycles_at(report, levels.size()), style);
        level.ends_at_bytes = memory->to_bytes;
        level.has_line = false;
        levels.push_back(std::move(level));
    }
    return levels;
}

/// The name of a thread's curve. Where there are too many for a legend, the first of a sweep stands for all.
std::string name_of(int thread, const Threads& threads, const std::string& label, bool crowded) {
    if (threads.size() == 1)
        return label;
    if (!crowded)
        return fmt::format("{}, thread {}", label, thread);
    return thread == threads.begin()->first ? fmt::format("{}, {} threads", label, threads.size()) : "";
}

/// The plot without its curves.
SizePlot empty_plot(const std::vector<std::string>& labels, const SweepPlotStyle& style) {
    SizePlot plot;
    if (style.ratio)
        plot = {.title = "Speed relative to " + labels.front(), .quantity = "times as fast", .unit = "x"};
    else if (style.cycles)
        plot = {.title = "Memory access latency", .quantity = "latency (core cycles)", .unit = "cycles"};
    else
        plot = {.title = "Memory access latency", .quantity = "latency (ns)", .unit = "ns"};
    if (!style.title.empty())
        plot.title = style.title;
    return plot;
}

} // namespace

std::string sweep_label(std::string_view path) {
    path.remove_prefix(path.rfind('/') + 1); // npos + 1 is 0
    constexpr std::string_view ending = ".csv";
    if (path.size() > ending.size() && path.ends_with(ending))
        path.remove_suffix(ending.size());
    return std::string(path);
}

SizePlot plot_sweeps(const std::vector<StoredSweep>& sweeps, const std::vector<std::string>& labels,
                     const SweepPlotStyle& style) {
    SizePlot plot = empty_plot(labels, style);
    const Differences said = differences_of(sweeps);
    plot.subtitle = said.shared;
    std::vector<Threads> all;
    std::size_t curves = 0;
    for (const StoredSweep& sweep : sweeps) {
        all.push_back(threads_of(sweep, style.cycles));
        curves += all.back().size();
    }
    for (std::size_t i = 0; i < sweeps.size(); ++i) {
        for (auto& [thread, points] : style.ratio ? relative_to(all.front(), all[i], sweeps[i]) : all[i]) {
            std::string name = name_of(thread, all[i], labels[i], curves > most_in_legend);
            append(name, name.empty() ? "" : said.own[i]);
            plot.curves.push_back({.name = std::move(name), .points = points});
        }
    }
    if (style.levels)
        plot.levels = levels_of(sweeps.front(), style);
    return plot;
}

} // namespace memtest

#include "memtest/kinds/sweep_plot.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/kinds/levels.hpp"
#include "memtest/result/row_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
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
using Points = std::map<double, PlotPoint>;

/// The points of every thread of a sweep.
using Threads = std::map<int, Points>;

bool has_values(const Points& points) {
    return std::ranges::any_of(points, [](const auto& point) { return point.second.value.has_value(); });
}

/// The latency of the base over that of the points, at the sizes that both have.
Points speed(const Points& base, const Points& points) {
    Points ratios;
    for (const auto& [size_bytes, point] : points) {
        const auto found = base.find(size_bytes);
        if (found == base.end())
            continue;
        PlotPoint& ratio = ratios[size_bytes] = {.at = size_bytes};
        if (found->second.value && point.value)
            ratio.value = *found->second.value / *point.value;
    }
    return ratios;
}

/// If a thread has several rows of one size, the min counts, since disturbances only add time.
Threads threads_of(const Result& sweep, bool cycles) {
    Threads threads;
    for (const Row& row : sweep.rows_of<Row>()) {
        const auto value = cycles ? row.latency_cycles : row.latency_ns;
        PlotPoint& point = threads[row.thread][static_cast<double>(row.size_bytes)];
        point.at = static_cast<double>(row.size_bytes);
        if (value && (!point.value || *value < *point.value))
            point.value = value;
        if (const auto band = cycles ? std::nullopt : contested_band_of(row)) {
            point.low = band->low_ns;
            point.high = band->high_ns;
        }
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

/// The plot without its curves.
SizePlot empty_plot(const std::vector<std::string>& labels, const PlotStyle& style) {
    if (style.ratio)
        return {.title = "Speed relative to " + labels.front(), .quantity = "times as fast", .unit = "x"};
    if (style.cycles)
        return {.title = "Memory access latency", .quantity = "latency (core cycles)", .unit = "cycles"};
    return {.title = "Memory access latency", .quantity = "latency (ns)", .unit = "ns"};
}

} // namespace

Plot plot_sweeps(const std::vector<Result>& sweeps, const std::vector<std::string>& labels, const PlotStyle& style) {
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
        for (auto& [thread, points] : style.ratio ? relative_to(all.front(), all[i], sweeps[i]) : all[i]) {
            std::string name = name_of(thread, all[i], labels[i], curves > most_in_legend);
            append(name, name.empty() || style.has_labels ? "" : said.own[i]);
            PlotCurve& curve = plot.curves.emplace_back(PlotCurve{.name = std::move(name)});
            for (const auto& [size_bytes, point] : points)
                curve.points.push_back(point);
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

} // namespace memtest

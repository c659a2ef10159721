#include "memtest/kinds/sweep.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"
#include "memtest/kinds/figures.hpp"
#include "memtest/kinds/levels.hpp"
#include "memtest/result/row_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace memtest {

template<>
constexpr std::tuple member_fields<Visit>{MemberField{"place_bytes", &Visit::place_bytes, true},
                                          MemberField{"core_ghz", &Visit::core_ghz},
                                          MemberField{"batches_ns", &Visit::batch_ns}};

namespace {

constexpr Column stats_ns{.lowest = 0.001, .group = ColumnGroup::stats};
constexpr Column stats_percent{.digits = decimals(2), .highest = 1e6, .group = ColumnGroup::stats};
constexpr Column detail{.type = Column::Type::detail}; // which only JSON has

Value visits_of(const Row& row) {
    List visits;
    for (const Visit& visit : row.visits) {
        Members members{{"start_ms", figure(static_cast<double>(visit.start_ns) * 1e-6)}};
        members.set(as_value(visit).members());
        visits.emplace_back(std::move(members));
    }
    return visits;
}

/// The counters of a row by their words, in which JSON replaces the dashes.
Value counts_of(const Row& row, const std::vector<Counter>& counters) {
    Members counts;
    for (std::size_t i = 0; i < counters.size(); ++i) {
        std::string name(word_of(counters[i]));
        std::ranges::replace(name, '-', '_');
        counts.set(name, figure(row.counts_per_access.at(i), significant(6)));
    }
    return counts;
}

std::vector<Field<Row>> sweep_fields(const std::vector<Counter>& counters) {
    std::vector<Field<Row>> fields{
        column_of<&Row::thread>("Thread", "thread", "number of the thread, from 0", id_column),
        size_field<&Row::size_bytes>(),
        column_of<&Row::latency_ns>("Access latency (ns)", "latency_ns",
                                    "time of an access; empty if the clock was too coarse", {.lowest = 0.001}),
        column_of<&Row::latency_cycles>(
            "Latency (cycles)", "latency_cycles", "the same in core cycles",
            {.digits = decimals(2), .lowest = 0.01, .highest = 1e13, .group = ColumnGroup::cycles}),
        column_of<&Row::min_ns>("Min (ns)", "min_ns", "the lowest visit's min that repeats", stats_ns),
        column_of<&Row::median_ns>("Median (ns)", "median_ns", "median over the visits of their medians", stats_ns),
        column_of<&Row::mean_ns>("Mean (ns)", "mean_ns", "mean over the visits of their means", stats_ns),
        column_of<&Row::spread_percent>(
            "Spread (%)", "spread_percent",
            "interquartile range of a visit's batches over their median, median over the visits", stats_percent),
        column_of<&Row::visits_percent>("Visits (%)", "visits_percent", "how far the visits disagree on the latency",
                                        stats_percent),
        column_of<&Row::visits_made>("Visits", "visits_made", "how often the size was measured", in_stats),
        column_of<&Row::batches>("Batches", "batches", "timed batches over all visits", in_stats),
        column_of<&Row::notes>("Notes", "notes", "what happened during the timed parts", in_stats),
        column_of<&Row::size_bytes>("Size (B)", "size_bytes", "the exact size",
                                    {.lowest = 1, .highest = 9.2e18, .group = ColumnGroup::stats}),
        column_of<&Row::low_ns>("Low (ns)", "low_ns", "of a contested size, the median of its lower group of visits",
                                stats_ns),
        column_of<&Row::high_ns>("High (ns)", "high_ns", "the same of its higher group", stats_ns),
        computed<Row>("", "counts_per_access", "events per access, by counter", detail,
                      [counters](const Row& row) { return counts_of(row, counters); }),
        computed<Row>("", "visits", "start, place in memory, core clock and batches of each visit", detail, visits_of)};
    for (std::size_t i = 0; i < counters.size(); ++i)
        // Significant digits, so that one page fault per ten million accesses does not become 0.
        fields.push_back(computed<Row>(column_of(counters[i]), "", "events per access",
                                       {.digits = significant(6), .highest = 1e19},
                                       [i](const Row& row) { return as_value(row.counts_per_access.at(i), exact); }));
    return fields;
}

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

/// Of two sizes that a file does not tell apart, below 2 KiB, the first counts, as in a curve.
Threads threads_of(const Result& sweep, bool cycles) {
    Threads threads;
    for (const Row& row : sweep.rows_of<Row>()) {
        const auto size = static_cast<double>(row.size_bytes);
        const auto [place, is_new] = threads[row.thread].try_emplace(size);
        if (!is_new)
            continue;
        PlotPoint& point = place->second;
        point.at = size;
        point.value = cycles ? row.latency_cycles : row.latency_ns;
        if (const auto band = cycles ? std::nullopt : contested_band_of(row)) {
            point.low =
                std::min(band->low_ns, row.latency_ns.value_or(band->low_ns)); // the min may be below the lower group
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
/// the largest size that its latency comes from. Doubtful figures have a question mark, and memory whose latency
/// varies has that of its first size and of its last. @pre the curve shows the level
PlotLevel plot_level(const LevelRow& row, const std::optional<LevelLatency>& memory, const PlotStyle& style) {
    const auto end_kib = row.capacity_kib();
    PlotLevel plot{.words = {row.level},
                   .ends_at_bytes = end_kib ? *end_kib * kib : *row.to_mib * mib,
                   .has_line = !row.is_memory()};
    const auto mark = [](std::optional<Confidence> confidence) { return confidence == Confidence::low ? "?" : ""; };
    if (end_kib)
        plot.words.push_back(rounded_size(plot.ends_at_bytes) +
                             (row.contested_to_kib ? "?" : mark(row.capacity_confidence)));
    const auto value = style.cycles ? row.latency_cycles : row.latency_ns;
    if (row.is_memory() && memory->varies() && !style.cycles && !style.ratio)
        plot.words.push_back(
            fmt::format("{} to {} ns", plain_number(memory->from_ns, 3), plain_number(memory->to_ns, 3)));
    else if (value && (style.cycles || !style.ratio))
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

/// A curve for each sweep and thread, named by the sweep's label and the settings in which the sweeps differ.
/// @throws Error (usage) naming the file if it has nothing to draw
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
        const LevelReport report = report_levels(curves_of(sweep).front(), sweep);
        for (const LevelRow& row : level_rows(report)) {
            if (row.is_shown())
                plot.levels.push_back(plot_level(row, report.hierarchy.memory, style));
        }
        if (plot.curves.size() > 1)
            plot.levels_of = plot.curves.front().name;
    }
    return plot;
}

Kind::Facts sweep_facts() {
    return {.command = "",
            .findings = {{"levels"}},
            .parts = {{"sweep", "levels", "sweep with small pages"},
                      {"huge", "levels", "sweep with huge pages"},
                      {"kind", "kinds", "sweep on another kind of core", true},
                      {"parallel", "parallel", "parallel chains", true}},
            .answer = [](const Result& sweep) { return answer_of_levels(sweep); },
            .add_figures = add_sweep_figures,
            .plot = plot_sweeps};
}

std::string in_words(std::uint64_t count, std::string_view thing) {
    if (count == 1)
        return fmt::format("one {}", thing);
    return count == 2 ? fmt::format("two {}s", thing) : fmt::format("{} {}s", count, thing);
}

std::string portions(const RunDescription& run) {
    const std::string_view estimate = word_of(run.estimate.value_or(Estimate::min));
    const std::uint64_t visits = run.visits.value_or(1);
    if (run.precision_percent)
        return fmt::format(
            "{} over timed batches; each size is measured in up to {} visits{}, until they agree to {:g} %",
            capitalised(fmt::format("{} latency", estimate)), visits,
            run.accesses ? fmt::format(" and {} accesses", *run.accesses) : "", *run.precision_percent);
    const std::uint64_t accesses = run.accesses.value_or(0);
    const std::uint64_t batches = run.batches.value_or(1);
    // On a fast size, batches may be too short for the clock, and are joined into fewer.
    constexpr std::uint64_t surely_long_enough = 100'000;
    const std::string_view maybe_fewer = accesses / batches < surely_long_enough ? "up to " : "";
    return fmt::format("{} accesses per size in {}{} batches{}; the latency is the {}", accesses, maybe_fewer, batches,
                       visits == 1 ? "" : fmt::format(" over {}{} visits", maybe_fewer, visits), estimate);
}

} // namespace

const KindOf<Row> sweep_kind(sweep_facts(), sweep_fields({}));

KindOf<Row> sweep_kind_with(const std::vector<Counter>& counters) {
    return {sweep_facts(), sweep_fields(counters)};
}

std::vector<std::string> sweep_headline(const RunDescription& run) {
    const std::uint64_t parallel = run.parallel.value_or(1);
    const std::string chains = parallel == 1 ? "" : fmt::format(", {} chains side by side", parallel);
    const std::string stride = run.stride_bytes ? fmt::format("stride {} B, ", *run.stride_bytes) : "";
    const std::string max_mib = in_units(run.largest_size.value_or(LargestSize{}).bytes, mib);
    return {fmt::format("memtest {}: {} {}-based scan on {}{}", run.version.value_or(""),
                        word_of(run.order.value_or(Order::backward)), word_of(run.link.value_or(Link::pointer)),
                        in_words(run.threads.value_or(1), "thread"), chains),
            fmt::format("Cache line size {} B, {}max memory size {} MiB", run.line_bytes.value_or(0), stride, max_mib),
            portions(run)};
}

} // namespace memtest

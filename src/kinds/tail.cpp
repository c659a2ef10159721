#include "memtest/kinds/tail.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/kinds/figures.hpp"
#include "memtest/kinds/tail_answer.hpp"
#include "memtest/measure/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

/// How far the load may be from the one that its row names, in percent of the peak.
constexpr double near_load = 10;

constexpr Column full_resolution{.digits = significant(10), .lowest = 0.001};
constexpr Column milliseconds{.digits = decimals(3), .group = ColumnGroup::stats};

struct Percentile {
    double percent;
    std::optional<double> PercentileRow::*ns;
};

constexpr std::array percentiles{Percentile{50, &PercentileRow::p50_ns}, Percentile{90, &PercentileRow::p90_ns},
                                 Percentile{99, &PercentileRow::p99_ns}, Percentile{99.9, &PercentileRow::p99_9_ns},
                                 Percentile{99.99, &PercentileRow::p99_99_ns}};

/// How far the load was from the one that the row names; 0 if unknown.
double missed_percent(const PercentileRow& row) {
    return std::abs(row.achieved_percent.value_or(row.load_percent) - row.load_percent);
}

/// None before the first is measured.
std::span<const PercentileRow> rows_in(const Result& tail) {
    return tail.row_count() == 0 ? std::span<const PercentileRow>() : tail.rows_of<PercentileRow>();
}

/// The noise of a percentile from the number of samples beyond it. @param before the percentile with ten times as many
double noise_of_percentile(std::optional<double> ns, std::optional<double> before, double samples_beyond) {
    if (!ns || !before || samples_beyond <= 0)
        return 0;
    return std::log(std::max(*ns / *before, 1.0)) / std::log(10) / std::sqrt(samples_beyond);
}

void add_percentiles(FigureList& list, const Result& tail) {
    constexpr double most_step = 0.6; // half a step, and what is not known of it
    const auto& rows = tail.rows_of<PercentileRow>();
    const double step = tail.resolution_ns.value_or(0);
    for (const PercentileRow& row : rows) {
        const double group = static_cast<double>(std::max<std::uint64_t>(row.group.value_or(1), 1));
        const std::string of = " of " + name_of(row);
        const double samples = static_cast<double>(row.accesses.value_or(0)) / group;
        const bool has_samples = row.p50_ns || row.max_ns; // else other work took all of them
        const bool is_disturbed = !has_samples || missed_percent(row) > near_load;
        const auto add = [&](const char* name, Quantity quantity, std::optional<double> ns, double noise) {
            if (!ns && has_samples)
                return;
            const double value = ns.value_or(0);
            list.add({.name = name + of,
                      .quantity = quantity,
                      .value = value,
                      .noise = row.load_percent > 0 ? std::hypot(noise, noise_of_loads) : noise,
                      .doubt = is_disturbed ? Why::disturbed : Why::none,
                      .range = FigureRange{value - most_step * step / group, value + most_step * step / group},
                      .at_bytes = static_cast<double>(row.size_bytes)});
        };
        add("p50", Quantity::p50, row.p50_ns, 0);
        add("p99", Quantity::p99, row.p99_ns, noise_of_percentile(row.p99_ns, row.p90_ns, samples / 100));
        add("p99.9", Quantity::p99_9, row.p99_9_ns, noise_of_percentile(row.p99_9_ns, row.p99_ns, samples / 1000));
    }
}

/// The share of slower accesses over latency, a curve for each row.
Plot plot_tails(const std::vector<Result>& tails, const std::vector<std::string>& labels, const PlotStyle& style) {
    SizePlot plot{.title = "Latency distribution of single loads",
                  .subtitle = shared_cpu_model(tails),
                  .quantity = "slower loads (%)",
                  .unit = "%%", // a tick is a format of gnuplot
                  .across = "latency (ns)",
                  .across_is_logarithmic = true};
    for (std::size_t i = 0; i < tails.size(); ++i) {
        std::vector<PlotCurve> curves;
        for (const PercentileRow& row : tails[i].rows_of<PercentileRow>()) {
            PlotCurve curve{.name = name_of(row)};
            for (const auto& [percent, ns] : percentiles) {
                if (row.*ns)
                    curve.points.push_back({.at = *(row.*ns), .value = 100 - percent});
            }
            if (!curve.points.empty())
                curves.push_back(std::move(curve));
        }
        if (curves.empty())
            throw usage_error(fmt::format("{}: holds no row with a percentile", tails[i].name));
        for (PlotCurve& curve : curves) {
            const std::string row = std::exchange(curve.name, "");
            if (tails.size() > 1 || style.has_labels)
                curve.name = labels[i];
            if (curves.size() > 1 || !style.has_labels)
                append(curve.name, row);
        }
        std::ranges::move(curves, std::back_inserter(plot.curves));
    }
    return plot;
}

} // namespace

const KindOf<PercentileRow> tail_kind(
    {.command = "tail",
     .findings = {{"resolution_ns", false}, {"readings_ns", false}},
     .parts = {{"tail", "tail", "latency distribution"}},
     .answer = [](const Result& tail) { return answer_of_tail(tail, tail_kind); },
     .add_figures = add_percentiles,
     .plot = plot_tails},
    {size_field<&PercentileRow::size_bytes>(), load_field<&PercentileRow::load_percent>(),
     column_of<&PercentileRow::accesses>("Accesses", "accesses", "loads that were sampled"),
     column_of<&PercentileRow::p50_ns>("p50 (ns)", "p50_ns", "half of the samples took at most this", full_resolution),
     column_of<&PercentileRow::p90_ns>("p90 (ns)", "p90_ns", "90 % of them", full_resolution),
     column_of<&PercentileRow::p99_ns>("p99 (ns)", "p99_ns", "99 % of them", full_resolution),
     column_of<&PercentileRow::p99_9_ns>("p99.9 (ns)", "p99_9_ns", "99.9 % of them", full_resolution),
     column_of<&PercentileRow::p99_99_ns>(
         "p99.99 (ns)", "p99_99_ns", "99.99 % of them; a percentile with fewer than ten samples beyond it is empty",
         full_resolution),
     column_of<&PercentileRow::max_ns>("Max (ns)", "max_ns", "the slowest sample that is not set aside",
                                       full_resolution),
     column_of<&PercentileRow::group>("Group", "group", "loads in a sample", {.group = ColumnGroup::stats}),
     column_of<&PercentileRow::set_aside_percent>(
         "Set aside (%)", "set_aside_percent",
         "samples that do not count: the processor, or that of a load thread, was taken away",
         {.digits = decimals(4), .highest = 100, .group = ColumnGroup::stats}),
     column_of<&PercentileRow::achieved_percent>(
         "Achieved (%)", "achieved_percent",
         "bandwidth of the load threads while the samples were taken, as a percentage of their peak",
         {.digits = decimals(1), .group = ColumnGroup::stats}),
     column_of<&PercentileRow::low_p50_ns>("Low p50 (ns)", "low_p50_ns", "p50 of the second fastest visit",
                                           {.digits = significant(10), .lowest = 0.001, .group = ColumnGroup::stats}),
     column_of<&PercentileRow::high_p50_ns>("High p50 (ns)", "high_p50_ns", "p50 of the second slowest visit",
                                            {.digits = significant(10), .lowest = 0.001, .group = ColumnGroup::stats}),
     column_of<&PercentileRow::sampled_ms>("Sampled (ms)", "sampled_ms", "what all samples took", milliseconds),
     column_of<&PercentileRow::stopped_ms>(
         "Stopped (ms)", "stopped_ms",
         "of it, while the processor was taken away: what samples took beyond the median, if 10 us or more",
         milliseconds),
     column_of<&PercentileRow::longest_stop_ms>("Longest stop (ms)", "longest_stop_ms", "the longest such time",
                                                milliseconds)});

std::optional<double> rounded_ns(std::uint64_t ticks, const TickScale& scale, std::size_t group) {
    const auto accesses = static_cast<double>(group);
    const double resolution_ns = scale.resolution_ns() / accesses;
    const double steps = std::round(static_cast<double>(ticks) * (scale.ns_per_tick / accesses) / resolution_ns);
    if (steps < 1)
        return std::nullopt;
    const double fraction = std::pow(10, -std::floor(std::log10(resolution_ns))); // for the last digit of a ns
    return fraction < 1 ? std::round(steps * resolution_ns) : std::round(steps * resolution_ns * fraction) / fraction;
}

PercentileRow tail_row(const TailRow& row, const TickScale& scale) {
    const TailSamples& samples = row.samples;
    PercentileRow percentile_row;
    percentile_row.size_bytes = row.size_bytes;
    percentile_row.load_percent = row.load_percent;
    percentile_row.accesses = samples.made * samples.group;
    for (const auto& [percent, ns] : percentiles) {
        if (const auto ticks = percentile(samples.counts, percent))
            percentile_row.*ns = rounded_ns(*ticks, scale, samples.group);
    }
    if (!samples.counts.empty())
        percentile_row.max_ns = rounded_ns(samples.counts.rbegin()->first, scale, samples.group);
    if (std::vector<std::uint64_t> p50_ticks = row.visit_p50_ticks; p50_ticks.size() >= 4) { // one visit shows nothing
        std::ranges::sort(p50_ticks);
        percentile_row.low_p50_ns = rounded_ns(p50_ticks[1], scale, samples.group);
        percentile_row.high_p50_ns = rounded_ns(*(p50_ticks.end() - 2), scale, samples.group);
    }
    percentile_row.group = samples.group;
    percentile_row.set_aside_percent =
        100.0 * static_cast<double>(samples.set_aside) / static_cast<double>(samples.made);
    percentile_row.achieved_percent = row.achieved_percent;
    const auto ms = [&](std::uint64_t ticks) { return static_cast<double>(ticks) * scale.ns_per_tick / 1e6; };
    percentile_row.sampled_ms = ms(samples.ticks);
    percentile_row.stopped_ms = ms(samples.stopped_ticks);
    percentile_row.longest_stop_ms = ms(samples.longest_stop);
    return percentile_row;
}

std::optional<Notice> warning_on_missed_loads(const Result& tail) {
    std::size_t loaded = 0;
    std::size_t missed = 0;
    double most = 0;
    for (const PercentileRow& row : rows_in(tail)) {
        const double by_percent = missed_percent(row);
        loaded += row.achieved_percent ? 1U : 0U;
        missed += by_percent > near_load ? 1U : 0U;
        most = std::max(most, by_percent);
    }
    if (missed == 0)
        return std::nullopt;
    return Notice(Code::loads_missed, {{"rows", missed}, {"of", loaded}, {"by_percent", figure(most, decimals(0))}});
}

Findings tail_findings(const Result& tail, const TickScale& scale, const std::vector<double>& cost_ns) {
    Findings findings{.told = true};
    if (!cost_ns.empty()) {
        const Members members{{"resolution_ns", figure(scale.resolution_ns())},
                              {"readings_ns", figure(median(cost_ns))}};
        findings.list.push_back({"counter", {Code::counter, members}, members});
    }
    List grouped;
    const PercentileRow* before = nullptr;
    for (const PercentileRow& row : rows_in(tail)) {
        const bool is_as_before =
            before != nullptr && row.size_bytes == before->size_bytes && row.group == before->group;
        before = &row;
        if (row.group > 1U && !is_as_before)
            grouped.emplace_back(
                Members{{"size_bytes", row.size_bytes}, {"load_percent", row.load_percent}, {"loads", row.group}});
    }
    if (!grouped.empty())
        findings.list.push_back(remark({Code::grouped_samples, {{"groups", std::move(grouped)}}}));
    return findings;
}

} // namespace memtest

#include "memtest/kinds/tail.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/kinds/figures.hpp"
#include "memtest/measure/statistics.hpp"
#include "memtest/result/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

/// How far the load may be from the one that its row names, in percent of the peak.
constexpr double near_load = 10;

constexpr Column full_resolution{.digits = significant(10), .lowest = 0.001};

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

std::string name_of(const PercentileRow& row) {
    return row_name(static_cast<double>(row.size_bytes), row.load_percent);
}

/// None before the first is measured.
std::span<const PercentileRow> rows_in(const Result& tail) {
    return tail.row_count() == 0 ? std::span<const PercentileRow>() : tail.rows_of<PercentileRow>();
}

/// Whether it has percentiles, but not the last ones.
bool lacks_samples(const PercentileRow& row) {
    return row.max_ns && !row.p99_99_ns;
}

/// The smallest reported cache that is large enough, or 0 for memory. std::nullopt if the system reports no L1 that all
/// processors have: others may be missing then, too.
std::optional<int> level_of(const PercentileRow& row, const Result& tail) {
    if (!tail.run.caches || std::ranges::count(*tail.run.caches, 1, &ReportedCache::level) == 0)
        return std::nullopt;
    const ReportedCache* smallest = nullptr;
    for (const ReportedCache& cache : *tail.run.caches) {
        if (cache.size_bytes >= row.size_bytes && (smallest == nullptr || cache.size_bytes < smallest->size_bytes))
            smallest = &cache;
    }
    return smallest == nullptr ? 0 : smallest->level;
}

/// "L1 16 KiB under full load", "memory 256 MiB"
std::string name_with_level(const PercentileRow& row, const Result& tail) {
    const std::optional<int> level = level_of(row, tail);
    return fmt::format("{}{}", !level ? "" : *level == 0 ? "memory " : level_name(*level) + " ", name_of(row));
}

TextTable table_of_tail(const Result& tail) {
    constexpr std::string_view unit = " (ns)";
    TextTable table{.rows = {{"Latency (ns)"}}, .right = "l"};
    for (const PercentileRow& row : tail.rows_of<PercentileRow>())
        table.rows.push_back({name_with_level(row, tail)});
    for (std::size_t place = 0; place < tail_kind.columns().size(); ++place) {
        const Column& column = tail_kind.columns()[place];
        if (column.group != ColumnGroup::always || !column.name.ends_with(unit))
            continue;
        table.rows.front().emplace_back(column.name.substr(0, column.name.size() - unit.size()));
        table.right += 'r';
        for (std::size_t i = 1; i < table.rows.size(); ++i)
            table.rows[i].push_back(
                text_of(column.written(tail_kind.values(tail.rows_of<PercentileRow>()[i - 1])[place])));
    }
    // A percentile before a known one took less than half a step of the counter; one after it has too few samples.
    for (std::vector<std::string>& cells : std::span(table.rows).subspan(1)) {
        for (std::size_t place = percentiles.size() - 1; place > 0; --place) {
            const std::string& next = cells[place + 1];
            if (cells[place].empty() && !next.empty())
                cells[place] = next.starts_with('<') ? next : "<" + next;
        }
    }
    return table;
}

std::string tail_sentence(const Result& tail) {
    const PercentileRow* memory = nullptr; // the largest size, under the highest load
    const PercentileRow* idle = nullptr;   // of the same size
    for (const PercentileRow& row : tail.rows_of<PercentileRow>()) {
        if (!row.p50_ns || !row.p99_ns)
            continue;
        if (memory == nullptr || row.size_bytes >= memory->size_bytes)
            memory = &row;
        if (row.load_percent == 0)
            idle = &row;
    }
    if (memory == nullptr)
        return "";
    const auto ns = [](std::optional<double> figure) { return text_of(*figure, significant(3)); };
    const bool has_p99_9 = memory->p99_9_ns.has_value();
    std::string sentence =
        fmt::format("Of the loads from {} in {}, half take {} ns at most, one in 100 more than {} ns{}.",
                    name_of(*memory), pages_in_words(tail.run), ns(memory->p50_ns), ns(memory->p99_ns),
                    has_p99_9 ? fmt::format(", one in 1000 more than {} ns", ns(memory->p99_9_ns)) : "");
    if (idle != nullptr && idle != memory && idle->size_bytes == memory->size_bytes) {
        constexpr double longer = 1.25; // of less, chance decides
        const bool shows_cost =
            idle->high_p50_ns.value_or(*idle->p50_ns) < memory->low_p50_ns.value_or(*memory->p50_ns) ||
            *memory->p99_ns > longer * *idle->p99_ns;
        sentence +=
            fmt::format(" Without load {} are {}{} ns{}.", has_p99_9 && !idle->p99_9_ns ? "the first two" : "these",
                        ns(idle->p50_ns),
                        has_p99_9 && idle->p99_9_ns ? fmt::format(", {} and {}", ns(idle->p99_ns), ns(idle->p99_9_ns))
                                                    : " and " + ns(idle->p99_ns),
                        shows_cost ? ""
                        : ns(idle->p50_ns) < ns(memory->p50_ns)
                            ? ", but medians of visits with and without load overlap, so this run does not show what "
                              "load costs"
                            : ", so this run does not show what load costs");
    }
    return sentence;
}

/// What other work did to the samples; "" if no row knows.
std::string sentence_on_stops(const Result& tail) {
    std::optional<double> most_percent;
    for (const PercentileRow& row : tail.rows_of<PercentileRow>())
        most_percent = std::max(most_percent, row.set_aside_percent);
    if (!most_percent)
        return "";
    if (*most_percent == 0)
        return "Other work did not take processors away: no sample was set aside.";
    constexpr double most_on_quiet_hosts = 10; // their guests lose one of the 16 visits to a row now and then
    return fmt::format(
        "Other work {} processors away: up to {} % of a row's samples were set aside, including all that took 10 us "
        "longer than the median.",
        *most_percent < most_on_quiet_hosts ? "hardly took" : "took", text_of(*most_percent, significant(2)));
}

constexpr double half_as_long_again = 1.5; // what a moment costs on a quiet machine is far less

/// The row without load whose visits differ the most: the second slowest median is 1.5 times the second fastest or
/// more, and two steps of the counter do not explain it. nullptr if none does.
const PercentileRow* most_uneven(const Result& tail) {
    double most_times = half_as_long_again;
    const PercentileRow* uneven = nullptr;
    for (const PercentileRow& row : tail.rows_of<PercentileRow>()) {
        if (row.load_percent > 0 || !row.low_p50_ns || !row.high_p50_ns)
            continue;
        const double steps_ns = 2 * tail.resolution_ns.value_or(0) / static_cast<double>(row.group.value_or(1));
        const double times = *row.high_p50_ns / *row.low_p50_ns;
        if (times >= most_times && *row.high_p50_ns - *row.low_p50_ns > steps_ns) {
            most_times = times;
            uneven = &row;
        }
    }
    return uneven;
}

/// The row of the last reported cache if its loads take nearly as long as those from memory, both without load.
const PercentileRow* row_beyond_its_cache(const Result& tail) {
    const PercentileRow* cache = nullptr;
    const PercentileRow* memory = nullptr;
    for (const PercentileRow& row : tail.rows_of<PercentileRow>()) {
        const int level = level_of(row, tail).value_or(-1);
        if (row.load_percent == 0 && row.p50_ns && level >= 0)
            (level == 0 ? memory : cache) = &row;
    }
    constexpr double nearly = 0.8;
    return cache != nullptr && memory != nullptr && *cache->p50_ns >= nearly * *memory->p50_ns ? cache : nullptr;
}

/// Whether caches or memory were slower at some moments, or a cache at all.
std::string sentence_on_slow_loads(const Result& tail) {
    const auto ns = [](std::optional<double> figure) { return text_of(*figure, significant(3)); };
    std::vector<std::string> sentences;
    if (const PercentileRow* uneven = most_uneven(tail); uneven != nullptr)
        sentences.push_back(
            fmt::format("Without load, half of the accesses to {} took {} ns at most in some visits and {} ns in "
                        "others: other work slowed them, or their pages collided.",
                        name_of(*uneven), ns(uneven->low_p50_ns), ns(uneven->high_p50_ns)));
    if (const PercentileRow* row = row_beyond_its_cache(tail); row != nullptr)
        sentences.push_back(
            fmt::format("{} does not hold {}: half of the loads take {} ns or more, nearly as long as from memory.",
                        level_name(*level_of(*row, tail)), name_of(*row), ns(row->p50_ns)));
    if (!sentences.empty())
        return joined(sentences, " ", std::identity());
    const bool is_known = std::ranges::any_of(tail.rows_of<PercentileRow>(),
                                              [](const PercentileRow& row) { return row.high_p50_ns.has_value(); });
    return is_known ? "No cache and no memory was half as slow again at some moments as at others."
                    : "Whether it slowed caches or memory, this run does not show.";
}

/// What other work did; "" if no row knows.
std::string sentence_on_other_work(const Result& tail) {
    const std::string stops = sentence_on_stops(tail);
    return stops.empty() ? "" : stops + " " + sentence_on_slow_loads(tail);
}

Answer answer_of_tail(const Result& tail) {
    std::set<std::uint64_t> sizes;
    for (const PercentileRow& row : tail.rows_of<PercentileRow>())
        sizes.insert(row.size_bytes);
    Answer answer{.table = table_of_tail(tail), .notes = tail.remarks};
    if (std::ranges::any_of(tail.rows_of<PercentileRow>(), lacks_samples))
        answer.title = "Empty with fewer than ten samples beyond:";
    for (std::string sentence : {sentence_on_other_work(tail), tail_sentence(tail)}) {
        if (!sentence.empty())
            answer.sentences.push_back(std::move(sentence));
    }
    if (!tail.run.caches && sizes.size() == 1)
        answer.sentences.push_back(fmt::format("The system reports no caches, so all rows are of {}.",
                                               rounded_size(static_cast<double>(*sizes.begin()))));
    return answer;
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
     .answer = answer_of_tail,
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
     column_of<&PercentileRow::set_aside_percent>("Set aside (%)", "set_aside_percent",
                                                  "samples that do not count: the processor was taken away",
                                                  {.digits = decimals(4), .highest = 100, .group = ColumnGroup::stats}),
     column_of<&PercentileRow::achieved_percent>(
         "Achieved (%)", "achieved_percent",
         "bandwidth of the load threads while the samples were taken, as a percentage of their peak",
         {.digits = decimals(1), .group = ColumnGroup::stats}),
     column_of<&PercentileRow::low_p50_ns>("Low p50 (ns)", "low_p50_ns", "p50 of the second fastest visit",
                                           {.digits = significant(10), .lowest = 0.001, .group = ColumnGroup::stats}),
     column_of<&PercentileRow::high_p50_ns>(
         "High p50 (ns)", "high_p50_ns", "p50 of the second slowest visit",
         {.digits = significant(10), .lowest = 0.001, .group = ColumnGroup::stats})});

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
    if (tail.run.virtual_machine.value_or(false))
        findings.list.push_back(remark(Notice(Code::short_stops_unseen)));
    return findings;
}

} // namespace memtest

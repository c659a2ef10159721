#include "memtest/kinds/sweep.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"
#include "memtest/kinds/levels.hpp"
#include "memtest/kinds/sweep_figures.hpp"
#include "memtest/kinds/sweep_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace memtest {

template<>
constexpr std::tuple member_fields<Visit>{MemberField{"place_bytes", &Visit::place_bytes, true},
                                          MemberField{"core_ghz", &Visit::core_ghz},
                                          MemberField{"batches_ns", &Visit::batch_ns}};

namespace {

constexpr Column stats_ns{.lowest = 0.001, .group = ColumnGroup::stats};
constexpr Column stats_percent{.digits = decimals(2), .highest = 1e6, .group = ColumnGroup::stats};

/// A column that only JSON has and that is not read back.
Field<Row> detail(std::string_view member, std::string_view meaning, std::function<Value(const Row&)> get) {
    return {{.name = "", .member = member, .meaning = meaning, .type = Column::Type::detail}, std::move(get)};
}

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
        detail("counts_per_access", "events per access, by counter",
               [counters](const Row& row) { return counts_of(row, counters); }),
        detail("visits", "start, place in memory, core clock and batches of each visit", visits_of)};
    for (std::size_t i = 0; i < counters.size(); ++i)
        // Significant digits, so that one page fault per ten million accesses does not become 0.
        fields.push_back({{.name = column_of(counters[i]),
                           .member = "",
                           .meaning = "events per access",
                           .digits = significant(6),
                           .highest = 1e19},
                          [i](const Row& row) { return as_value(row.counts_per_access.at(i), exact); }});
    return fields;
}

Kind::Facts sweep_facts() {
    return {.command = "",
            .findings = {{"levels"}, {"remarks"}},
            .parts = {{"sweep", "levels", "sweep with small pages"},
                      {"huge", "levels", "sweep with huge pages"},
                      {"kind", "kinds", "sweep on another kind of core", true},
                      {"parallel", "parallel", "parallel chains", true, true}},
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

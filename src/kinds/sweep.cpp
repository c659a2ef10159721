#include "memtest/kinds/sweep.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace memtest {

template<>
constexpr std::tuple member_fields<Visit>{MemberField{"place_bytes", &Visit::place_bytes, true},
                                          MemberField{"core_ghz", &Visit::core_ghz},
                                          MemberField{"batches_ns", &Visit::batch_ns}};

namespace {

using Type = Column::Type;
using Group = ColumnGroup;

constexpr Column nanoseconds(std::string_view name, std::string_view member, std::string_view meaning) {
    return {.name = name, .member = member, .meaning = meaning, .lowest = 0.001, .group = Group::stats};
}

constexpr Column percent(std::string_view name, std::string_view member, std::string_view meaning) {
    return {.name = name,
            .member = member,
            .meaning = meaning,
            .digits = decimals(2),
            .highest = 1e6,
            .group = Group::stats};
}

constexpr Column stats_count(std::string_view name, std::string_view member, std::string_view meaning) {
    return {.name = name, .member = member, .meaning = meaning, .type = Type::count, .group = Group::stats};
}

/// A column that only JSON has and that is not read back.
Field<Row> detail(std::string_view member, std::string_view meaning, std::function<Value(const Row&)> get) {
    return {{.name = "", .member = member, .meaning = meaning, .type = Type::detail}, std::move(get)};
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
    Column exact_size = size_bytes_column;
    exact_size.name = "Size (B)";
    exact_size.group = Group::stats;
    std::vector<Field<Row>> fields{
        member_field<&Row::thread, Row>(thread_column),
        size_field<&Row::size_bytes, Row>(),
        member_field<&Row::latency_ns, Row>({.name = "Access latency (ns)",
                                             .member = "latency_ns",
                                             .meaning = "time of an access; empty if the clock was too coarse",
                                             .lowest = 0.001}),
        member_field<&Row::latency_cycles, Row>({.name = "Latency (cycles)",
                                                 .member = "latency_cycles",
                                                 .meaning = "the same in core cycles",
                                                 .digits = decimals(2),
                                                 .lowest = 0.01,
                                                 .highest = 1e13,
                                                 .group = Group::cycles}),
        member_field<&Row::min_ns, Row>(nanoseconds("Min (ns)", "min_ns", "the lowest visit's min that repeats")),
        member_field<&Row::median_ns, Row>(
            nanoseconds("Median (ns)", "median_ns", "median over the visits of their medians")),
        member_field<&Row::mean_ns, Row>(nanoseconds("Mean (ns)", "mean_ns", "mean over the visits of their means")),
        member_field<&Row::spread_percent, Row>(percent("Spread (%)", "spread_percent",
                                                        "interquartile range of a visit's batches over their median, "
                                                        "median over the visits")),
        member_field<&Row::visits_percent, Row>(
            percent("Visits (%)", "visits_percent", "how far the visits disagree on the latency")),
        member_field<&Row::visits_made, Row>(stats_count("Visits", "visits_made", "how often the size was measured")),
        member_field<&Row::batches, Row>(stats_count("Batches", "batches", "timed batches over all visits")),
        member_field<&Row::notes, Row>({.name = "Notes",
                                        .member = "notes",
                                        .meaning = "what happened during the timed parts",
                                        .type = Type::words,
                                        .group = Group::stats}),
        member_field<&Row::size_bytes, Row>(exact_size),
        member_field<&Row::low_ns, Row>(
            nanoseconds("Low (ns)", "low_ns", "of a contested size, the median of its lower group of visits")),
        member_field<&Row::high_ns, Row>(nanoseconds("High (ns)", "high_ns", "the same of its higher group")),
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
                      {"parallel", "parallel", "parallel chains", true, true}}};
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

std::vector<ThreadCurve> curves_of(std::span<const Row> rows, const RunDescription& run) {
    std::map<int, ThreadCurve> threads;
    for (const Row& row : rows) {
        ThreadCurve& curve = threads[row.thread];
        const auto size_bytes = static_cast<double>(row.size_bytes);
        if (row.latency_ns)
            curve.points.push_back({.size_bytes = size_bytes,
                                    .latency_ns = *row.latency_ns,
                                    .disturbed = any_disturbing(row.notes),
                                    .contested = contested_band_of(row)});
        if (row.latency_ns && row.latency_cycles)
            curve.clocks.push_back({.size_bytes = size_bytes, .ghz = *row.latency_cycles / *row.latency_ns});
    }
    std::vector<ThreadCurve> curves;
    for (auto& [thread, curve] : threads) {
        if (curve.clocks.empty() && run.core_clock_ghz)
            curve.clocks.push_back({.ghz = *run.core_clock_ghz});
        curves.push_back({thread, make_curve(std::move(curve.points)), std::move(curve.clocks)});
    }
    return curves;
}

std::vector<ThreadCurve> curves_of(const Result& sweep) {
    return curves_of(sweep.rows_of<Row>(), sweep.run);
}

bool has_several_sizes(const Result& sweep) {
    const std::vector<Row>& rows = sweep.rows_of<Row>();
    return rows.front().size_bytes != rows.back().size_bytes;
}

std::optional<ClockRange> clock_range_of(std::span<const Row> rows) {
    std::optional<ClockRange> range;
    for (const Row& row : rows) {
        if (!row.latency_ns || !row.latency_cycles)
            continue;
        const double ghz = *row.latency_cycles / *row.latency_ns;
        range = range ? ClockRange{std::min(range->lowest_ghz, ghz), std::max(range->highest_ghz, ghz)}
                      : ClockRange{ghz, ghz};
    }
    return range;
}

std::vector<SizeFigure> figures_of(const Result& sweep) {
    const ClockRange clock = sweep.run.core_clock_range.value_or(ClockRange{});
    constexpr double most = 10; // no clock moves by more
    const bool is_known =
        clock.lowest_ghz > 0 && clock.highest_ghz > clock.lowest_ghz && clock.highest_ghz < most * clock.lowest_ghz;
    const double clock_range = is_known ? std::log(clock.highest_ghz / clock.lowest_ghz) : 0;
    std::vector<SizeFigure> figures;
    for (const Row& row : sweep.rows_of<Row>()) {
        if (row.latency_ns)
            figures.push_back({.thread = row.thread,
                               .size_bytes = static_cast<double>(row.size_bytes),
                               .latency_ns = *row.latency_ns,
                               .min_ns = row.min_ns,
                               .median_ns = row.median_ns,
                               .spread_percent = row.spread_percent,
                               .visits_percent = row.visits_percent,
                               .batches = row.batches,
                               .contested = row.low_ns && row.high_ns,
                               .clock_range = clock_range});
    }
    return figures;
}

} // namespace memtest

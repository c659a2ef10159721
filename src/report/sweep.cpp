#include "memtest/report/sweep.hpp"

#include "memtest/base/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace memtest {
namespace {

using Type = Column::Type;
using Group = ColumnGroup;

constexpr Column nanoseconds(std::string_view name, std::string_view member, Group group) {
    return {.name = name, .member = member, .lowest = 0.001, .group = group};
}

constexpr Column percent(std::string_view name, std::string_view member) {
    return {.name = name, .member = member, .digits = decimals(2), .highest = 1e6, .group = Group::stats};
}

constexpr std::array sweep_columns{
    Column{.name = "Thread", .member = "thread", .type = Type::count, .highest = 2147483647, .needed = true},
    size_column,
    nanoseconds("Access latency (ns)", "latency_ns", Group::always),
    Column{.name = "Latency (cycles)",
           .member = "latency_cycles",
           .digits = decimals(2),
           .lowest = 0.01,
           .highest = 1e13,
           .group = Group::cycles},
    nanoseconds("Min (ns)", "min_ns", Group::stats),
    nanoseconds("Median (ns)", "median_ns", Group::stats),
    nanoseconds("Mean (ns)", "mean_ns", Group::stats),
    percent("Spread (%)", "spread_percent"),
    percent("Visits (%)", "visits_percent"),
    Column{.name = "Visits", .member = "visits_made", .type = Type::count, .group = Group::stats},
    Column{.name = "Batches", .member = "batches", .type = Type::count, .group = Group::stats},
    Column{.name = "Notes", .member = "notes", .type = Type::words, .group = Group::stats},
    Column{.name = "", .member = "size_bytes", .type = Type::count, .lowest = 1, .highest = 9.2e18},
};

constexpr std::array sweep_members{FindingMember{"levels"}, FindingMember{"remarks"}};

/// The size that was measured. Five decimals of a MiB leave 5 bytes to either side: the roundest number within, a
/// multiple of a KiB, a usual line or a word, must be it.
double restored_bytes(double size_mib) {
    constexpr double half_step = 0.5e-5 * mib;
    const double stored = size_mib * mib;
    for (const double unit : {1024.0, 64.0, 8.0}) {
        const double multiple = std::round(stored / unit) * unit;
        if (multiple > 0 && std::abs(multiple - stored) <= half_step)
            return multiple;
    }
    return stored;
}

/// The counters of a row by their words, which in JSON have no dash.
Value::Members counts_of(const Row& row, const std::vector<Counter>& counters) {
    Value::Members counts;
    for (std::size_t i = 0; i < counters.size(); ++i) {
        std::string name(word_of(counters[i]));
        std::ranges::replace(name, '-', '_');
        counts.push_back({std::move(name), {row.counts_per_access.at(i), significant(6)}});
    }
    return counts;
}

Value visit_members(const Visit& visit) {
    Value::List batches;
    for (const double ns : visit.batch_ns)
        batches.emplace_back(ns, decimals(3));
    return Value::Members{{"start_ms", {static_cast<double>(visit.start_ns) * 1e-6, decimals(3)}},
                          {"place_bytes", visit.place_bytes},
                          {"core_ghz", {visit.core_ghz, decimals(3)}},
                          {"batches_ns", std::move(batches)}};
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
        return fmt::format("{} until known to {:g} %, at most {} times, reporting the {}",
                           run.accesses ? fmt::format("At most {} accesses per size, visited", *run.accesses)
                                        : "Each size visited",
                           *run.precision_percent, visits, estimate);
    const std::uint64_t accesses = run.accesses.value_or(0);
    const std::uint64_t batches = run.batches.value_or(1);
    // On a fast size, shorter batches may be too short for the clock, and are joined to fewer.
    constexpr std::uint64_t surely_long_enough = 100'000;
    const std::string_view maybe_fewer = accesses / batches < surely_long_enough ? "up to " : "";
    return fmt::format("{} accesses per size in {}{} batches{}, reporting the {}", accesses, maybe_fewer, batches,
                       visits == 1 ? "" : fmt::format(" over {}{} visits", maybe_fewer, visits), estimate);
}

} // namespace

const Kind sweep_kind{.verb = "", .columns = sweep_columns, .findings = sweep_members};

std::vector<Column> counter_columns(const std::vector<Counter>& counters) {
    // Significant digits rather than decimals, so that one page fault in ten million accesses does not become 0.
    std::vector<Column> more;
    for (const Counter counter : counters)
        more.push_back({.name = column_of(counter), .member = "", .digits = significant(6), .highest = 1e19});
    return more;
}

ResultRow sweep_row(const Row& row, const std::vector<Counter>& counters) {
    const auto count_of = [](std::optional<std::uint64_t> n) { return n ? Value(*n) : Value(); };
    Value::List notes;
    for (const Note note : row.notes)
        notes.emplace_back(word_of(note));
    Value::List visits;
    for (const Visit& visit : row.visits)
        visits.push_back(visit_members(visit));
    ResultRow result{.values = {row.thread, static_cast<double>(row.size_bytes) / mib, row.latency_ns,
                                row.latency_cycles, row.min_ns, row.median_ns, row.mean_ns, row.spread_percent,
                                row.visits_percent, count_of(row.visits_made), count_of(row.batches), std::move(notes),
                                row.size_bytes},
                     .more = {{"counts_per_access", counts_of(row, counters)}, {"visits", std::move(visits)}}};
    for (const auto& count : row.counts_per_access)
        result.values.emplace_back(count);
    return result;
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

double size_of(const ResultRow& row) {
    const auto exact = row.number(sweep_column::size_bytes);
    return exact ? *exact : restored_bytes(row.number(sweep_column::size_mib).value_or(0));
}

bool is_disturbed(const ResultRow& row) {
    return std::ranges::any_of(row.words(sweep_column::notes), [](const std::string& word) {
        const auto note = value_of<Note>(word);
        return note && any_disturbing({*note});
    });
}

std::vector<ThreadCurve> curves_of(const Result& sweep) {
    std::map<int, ThreadCurve> threads;
    for (const ResultRow& row : sweep.rows) {
        ThreadCurve& curve = threads[thread_of(row)];
        const auto latency_ns = row.number(sweep_column::latency_ns);
        const auto cycles = row.number(sweep_column::cycles);
        if (latency_ns)
            curve.points.push_back(
                {.size_bytes = size_of(row), .latency_ns = *latency_ns, .disturbed = is_disturbed(row)});
        if (latency_ns && cycles)
            curve.clocks.push_back({.size_bytes = size_of(row), .ghz = *cycles / *latency_ns});
    }
    std::vector<ThreadCurve> curves;
    for (auto& [thread, curve] : threads) {
        if (curve.clocks.empty() && sweep.run.core_clock_ghz)
            curve.clocks.push_back({.ghz = *sweep.run.core_clock_ghz});
        curves.push_back({thread, make_curve(std::move(curve.points)), std::move(curve.clocks)});
    }
    return curves;
}

std::vector<SizeFigure> figures_of(const Result& sweep) {
    std::vector<SizeFigure> figures;
    for (const ResultRow& row : sweep.rows) {
        const auto latency_ns = row.number(sweep_column::latency_ns);
        if (!latency_ns)
            continue;
        const auto batches = row.number(sweep_column::batches);
        figures.push_back({.thread = thread_of(row),
                           .size_bytes = size_of(row),
                           .latency_ns = *latency_ns,
                           .min_ns = row.number(sweep_column::min_ns),
                           .median_ns = row.number(sweep_column::median_ns),
                           .spread_percent = row.number(sweep_column::spread_percent),
                           .visits_percent = row.number(sweep_column::visits_percent),
                           .batches = batches ? std::optional(static_cast<std::uint64_t>(*batches)) : std::nullopt});
    }
    return figures;
}

} // namespace memtest

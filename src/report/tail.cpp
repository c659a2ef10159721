#include "memtest/report/tail.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/measure/statistics.hpp"
#include "memtest/report/loaded.hpp"
#include "memtest/report/sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace memtest {
namespace {

using Type = Column::Type;
using Group = ColumnGroup;

constexpr Column nanoseconds(std::string_view name, std::string_view member) {
    return {.name = name, .member = member, .digits = {}, .lowest = 0.001}; // all digits that the resolution gives
}

constexpr Column count(std::string_view name, std::string_view member) {
    return {.name = name, .member = member, .type = Type::count};
}

constexpr std::array percents{50.0, 90.0, 99.0, 99.9, 99.99};

constexpr std::array tail_columns{
    size_column,
    load_column,
    count("Accesses", "accesses"),
    nanoseconds("p50 (ns)", "p50_ns"),
    nanoseconds("p90 (ns)", "p90_ns"),
    nanoseconds("p99 (ns)", "p99_ns"),
    nanoseconds("p99.9 (ns)", "p99_9_ns"),
    nanoseconds("p99.99 (ns)", "p99_99_ns"),
    nanoseconds("Max (ns)", "max_ns"),
    Column{.name = "Group", .member = "group", .type = Type::count, .group = Group::stats},
    Column{.name = "Set aside (%)",
           .member = "set_aside_percent",
           .digits = decimals(4),
           .highest = 100,
           .group = Group::stats}};

namespace tail_column {
enum Place : std::size_t { size_mib, load_percent, accesses, p50, max = p50 + percents.size(), group };
}

constexpr std::array histogram_columns{
    size_column,
    load_column,
    Column{.name = "From (ns)", .member = "from_ns", .needed = true},
    Column{.name = "To (ns)", .member = "to_ns", .lowest = 0.001, .needed = true},
    count("Samples", "samples"),
    Column{.name = "Slower (%)", .member = "slower_percent", .digits = significant(6), .highest = 100, .needed = true}};

namespace histogram_column {
enum Place : std::size_t { size_mib, load_percent, from_ns, to_ns, samples, slower_percent };
}

constexpr std::array tail_members{FindingMember{"resolution_ns", false}, FindingMember{"readings_ns", false},
                                  FindingMember{"remarks"}};

std::string row_name(double size_mib, double load_percent) {
    return rounded_size(size_mib * mib) + (load_percent >= 100 ? " under full load"
                                           : load_percent > 0  ? fmt::format(" under {:.0f} % load", load_percent)
                                                               : "");
}

std::string row_name(const TailRow& row) {
    return row_name(static_cast<double>(row.size_bytes) / mib, row.load_percent);
}

std::string row_name(const ResultRow& row) {
    return row_name(*row.number(tail_column::size_mib), *row.number(tail_column::load_percent));
}

std::string describe(const Recurrence& found) {
    constexpr std::array refresh_ns{7800.0, 3900.0, 1950.0}; // JESD79-4 and -5; half and a quarter where it is hot
    const bool is_refresh = std::ranges::any_of(
        refresh_ns, [&](double period_ns) { return std::abs(found.period_ns / period_ns - 1) < 0.03; });
    return fmt::format("slow accesses come back every {:.2f} us{}, and take {:.0f} ns longer than the median (by "
                       "chance: {})",
                       found.period_ns / 1000, is_refresh ? ", as the refresh of DRAM does" : "", found.slower_ns,
                       found.chance < 1e-12 ? "less than 1e-12" : fmt::format("{:.0e}", found.chance));
}

} // namespace

const Kind tail_kind{.verb = "tail", .columns = tail_columns, .findings = tail_members};
const Kind tail_histogram_kind{.verb = "tail --histogram", .columns = histogram_columns, .findings = tail_members};

ResultRow tail_row(const TailRow& row, const TickScale& scale) {
    const TailSamples& samples = row.samples;
    const TailScale unit = tail_scale(scale, samples.group);
    ResultRow cells{{static_cast<double>(row.size_bytes) / mib, row.load_percent, samples.made * samples.group}};
    for (const double percent : percents) {
        const auto ticks = percentile(samples.counts, percent);
        cells.values.emplace_back(ticks ? unit.rounded_ns(*ticks) : std::nullopt);
    }
    cells.values.emplace_back(samples.counts.empty() ? std::nullopt : unit.rounded_ns(samples.counts.rbegin()->first));
    cells.values.emplace_back(samples.group);
    cells.values.emplace_back(100.0 * static_cast<double>(samples.set_aside) / static_cast<double>(samples.made));
    return cells;
}

std::vector<ResultRow> tail_histogram_rows(const TailRow& row, const TickScale& scale) {
    std::vector<ResultRow> rows;
    for (const TailBin& bin : tail_bins(row.samples.counts, tail_scale(scale, row.samples.group)))
        rows.push_back({{static_cast<double>(row.size_bytes) / mib, row.load_percent, bin.from_ns, bin.to_ns,
                         bin.samples, bin.slower_percent}});
    return rows;
}

void TailReport::take(const TailRow& row) {
    const TailSamples& samples = row.samples;
    for (const double ticks : samples.cost_ticks)
        cost_ns.push_back(ticks * scale.ns_per_tick);
    if (samples.group > 1)
        grouped.push_back(fmt::format("{} at {}", samples.group, row_name(row)));
    const auto middle = percentile(samples.counts, 50);
    if (!middle)
        return;
    const double median_ticks = static_cast<double>(*middle) + median(samples.cost_ticks);
    if (const auto found = find_recurrence(samples.stretches, scale.ns_per_tick, median_ticks))
        recurrences.push_back(fmt::format("{}: {}", row_name(row), describe(*found)));
}

std::string step_text(double ns) {
    return ns < 100 ? fmt::format("{:.3g} ns", ns) : fmt::format("{:.0f} ns", ns);
}

Findings tail_findings(const TailReport& report) {
    Findings findings{.told = true};
    const double resolution_ns = report.scale.resolution_ns();
    if (!report.cost_ns.empty()) {
        const double cost_ns = median(report.cost_ns);
        findings.list.push_back(
            {"counter",
             fmt::format("steps of {}; two readings cost {:.1f} ns, which are taken off", step_text(resolution_ns),
                         cost_ns),
             {{"resolution_ns", Value(resolution_ns, decimals(3))}, {"readings_ns", Value(cost_ns, decimals(3))}}});
    }
    if (!report.grouped.empty())
        findings.list.push_back(remark(fmt::format("a sample is a group of accesses: {}; a percentile of groups is not "
                                                   "one of accesses, whose scatter it hides",
                                                   fmt::join(report.grouped, ", "))));
    for (const std::string& sentence : report.recurrences)
        findings.list.push_back(remark(sentence));
    if (report.virtual_machine)
        findings.list.push_back(remark("on a virtual machine, what the hypervisor takes for less than 10 us cannot be "
                                       "told from memory"));
    return findings;
}

std::vector<std::vector<std::string>> tail_table(const Result& tail) {
    std::vector<std::vector<std::string>> table{{"Memory"}};
    for (const ResultRow& row : tail.rows)
        table.push_back({row_name(row)});
    for (std::size_t column = tail_column::p50; column <= tail_column::max; ++column) {
        table.front().emplace_back(tail_columns.at(column).name);
        for (std::size_t i = 0; i < tail.rows.size(); ++i)
            table[i + 1].push_back(tail.rows[i][column].text());
    }
    return table;
}

std::vector<TailCurve> tail_curves(const Result& tail) {
    std::vector<TailCurve> curves;
    const auto curve_of = [&](const ResultRow& row) -> TailCurve& {
        const std::string name = row_name(row);
        if (curves.empty() || curves.back().name != name)
            curves.push_back({.name = name, .points = {}});
        return curves.back();
    };
    for (const ResultRow& row : tail.rows) {
        TailCurve& curve = curve_of(row);
        if (tail.kind == &tail_histogram_kind) {
            curve.points.push_back(
                {*row.number(histogram_column::to_ns), *row.number(histogram_column::slower_percent)});
            continue;
        }
        for (std::size_t i = 0; i < percents.size(); ++i) {
            if (const auto ns = row.number(tail_column::p50 + i))
                curve.points.push_back({*ns, 100 - percents.at(i)});
        }
    }
    constexpr double least_percent = 1e-18; // less than one of 2^64 samples; a logarithmic axis has no place for none
    for (TailCurve& curve : curves)
        std::erase_if(curve.points, [](const TailPoint& point) { return point.slower_percent < least_percent; });
    std::erase_if(curves, [](const TailCurve& curve) { return curve.points.empty(); });
    if (curves.empty())
        throw usage_error(fmt::format("{}: holds no row with a percentile", tail.name));
    return curves;
}

} // namespace memtest

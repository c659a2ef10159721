#include "memtest/report/loaded.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace memtest {
namespace {

using Type = Column::Type;
using Group = ColumnGroup;

constexpr std::array loaded_columns{
    load_column,
    Column{.name = "Bandwidth (GB/s)", .member = "bandwidth_gb_s"},
    Column{.name = "Access latency (ns)", .member = "latency_ns", .lowest = 0.001},
    Column{.name = "Visits (%)", .member = "visits_percent", .digits = decimals(2), .group = Group::stats},
    Column{.name = "Visits", .member = "visits", .type = Type::count, .group = Group::stats},
    Column{.name = "Batches", .member = "batches", .type = Type::count, .group = Group::stats},
    Column{.name = "Set aside", .member = "batches_set_aside", .type = Type::count, .group = Group::stats},
    Column{.name = "Notes", .member = "notes", .type = Type::words, .group = Group::stats}};

namespace loaded_column {
enum Place : std::size_t { load_percent, bandwidth, latency_ns };
}

constexpr FindingMember figure(std::string_view name) {
    return {.name = name, .is_list = false};
}

constexpr std::array loaded_members{figure("write_percent"), figure("idle_latency_ns"),
                                    figure("idle_latency_at_end_ns"), figure("peak_bandwidth_gb_s"),
                                    figure("knee_bandwidth_gb_s")};

Value three_decimals(std::optional<double> number) {
    return {number, decimals(3)};
}

/// "15.1 GB/s at 117.1 ns (1.19 times idle)".
std::string describe(const LoadPoint& point, std::optional<double> idle_ns) {
    return fmt::format("{:.1f} GB/s at {:.1f} ns{}", point.bytes_per_ns, point.latency_ns,
                       idle_ns ? fmt::format(" ({:.2f} times idle)", point.latency_ns / *idle_ns) : "");
}

std::string describe_idle(const LoadCurve& curve) {
    return fmt::format("{:.1f} ns{}", *curve.idle_ns,
                       curve.idle_last_ns ? fmt::format(", {:.1f} ns at the end", *curve.idle_last_ns) : "");
}

std::string describe_knee(const LoadCurve& curve) {
    if (!curve.grows)
        return "none: the bandwidth does not grow with the load, as where other work loads the memory; measure again";
    if (!curve.knee)
        return fmt::format("none: every load takes more than {} times the idle latency", knee_times);
    const bool is_peak = curve.knee->bytes_per_ns >= curve.peak->bytes_per_ns;
    return describe(*curve.knee, curve.idle_ns) +
           (is_peak ? ", the peak: these loaders do not fill the memory's queues" : "");
}

} // namespace

const Kind loaded_kind{.verb = "loaded", .columns = loaded_columns, .findings = loaded_members};

ResultRow loaded_row(const LoadRow& row) {
    Value::List notes;
    for (const LoadNote note : row.notes)
        notes.emplace_back(word_of(note));
    return {{row.load_percent, row.bytes_per_ns, row.latency_ns, row.visits_percent, row.visits, row.batches,
             row.set_aside, std::move(notes)}};
}

std::vector<std::string> load_sentences(const LoadPattern& pattern, std::size_t bytes) {
    const std::string counted = fmt::format("Bandwidth counts {} B for each line read", pattern.line_bytes);
    return {fmt::format("Each loader reads one word of each line, line after line through {}{}", human_size(bytes),
                        pattern.write_percent == 0
                            ? ""
                            : fmt::format(", and changes it in {} % of them", pattern.write_percent)),
            pattern.write_percent == 0
                ? counted
                : fmt::format("{}, and as many again for one that is changed: it is written back", counted)};
}

Findings loaded_findings(const LoadPattern& pattern, const std::optional<LoadCurve>& curve) {
    Findings findings = curve ? loaded_findings(*curve) : Findings{};
    findings.list.insert(findings.list.begin(), {"", "", {{"write_percent", pattern.write_percent}}});
    return findings;
}

Findings loaded_findings(const LoadCurve& curve) {
    Findings findings{.told = true};
    if (curve.idle_ns)
        findings.list.push_back({"idle latency",
                                 describe_idle(curve),
                                 {{"idle_latency_ns", three_decimals(curve.idle_ns)},
                                  {"idle_latency_at_end_ns", three_decimals(curve.idle_last_ns)}}});
    if (curve.peak)
        findings.list.push_back({"peak bandwidth",
                                 describe(*curve.peak, curve.idle_ns),
                                 {{"peak_bandwidth_gb_s", three_decimals(curve.peak->bytes_per_ns)}}});
    if (curve.idle_ns && curve.peak)
        findings.list.push_back(
            {"knee",
             describe_knee(curve),
             {{"knee_bandwidth_gb_s",
               three_decimals(curve.knee ? std::optional(curve.knee->bytes_per_ns) : std::nullopt)}}});
    return findings;
}

std::vector<LoadPoint> points_of(const Result& loaded) {
    std::vector<LoadPoint> points;
    for (const ResultRow& row : loaded.rows) {
        const auto bytes_per_ns = row.number(loaded_column::bandwidth);
        const auto ns = row.number(loaded_column::latency_ns);
        if (bytes_per_ns && ns)
            points.push_back({.load_percent = *row.number(loaded_column::load_percent),
                              .bytes_per_ns = *bytes_per_ns,
                              .latency_ns = *ns});
    }
    if (points.empty())
        throw usage_error(fmt::format("{}: holds no row with a latency", loaded.name));
    return points;
}

} // namespace memtest

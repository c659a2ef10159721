#include "memtest/report/load_report.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"
#include "memtest/report/json_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace memtest {
namespace {

using Json = nlohmann::ordered_json;

/// "15.123 GB/s at 117.123 ns (1.19 times idle)".
std::string describe(const LoadPoint& point, std::optional<double> idle_ns) {
    return fmt::format("{:.3f} GB/s at {:.3f} ns{}", point.bytes_per_ns, point.latency_ns,
                       idle_ns ? fmt::format(" ({:.2f} times idle)", point.latency_ns / *idle_ns) : "");
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

Json bandwidth_of(const std::optional<LoadPoint>& point) {
    return point ? json_number(point->bytes_per_ns, 3) : Json();
}

} // namespace

std::vector<std::string> load_fields(const LoadRow& row, bool stats) {
    std::vector<std::string> fields{fixed(row.load_percent, 1), fixed(row.bytes_per_ns, 3), fixed(row.latency_ns, 3)};
    if (stats)
        fields.insert(fields.end(),
                      {fixed(row.visits_percent, 2), fmt::format("{}", row.visits), fmt::format("{}", row.batches),
                       fmt::format("{}", row.set_aside), joined(row.notes, " ", word_of<LoadNote>)});
    return fields;
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

KeyedLines load_lines(const LoadCurve& curve) {
    KeyedLines lines;
    if (curve.idle_ns)
        lines.emplace_back(
            "idle latency",
            fmt::format("{:.3f} ns{}", *curve.idle_ns,
                        curve.idle_last_ns ? fmt::format(", {:.3f} ns at the end", *curve.idle_last_ns) : ""));
    if (curve.peak)
        lines.emplace_back("peak bandwidth", describe(*curve.peak, curve.idle_ns));
    if (curve.idle_ns && curve.peak)
        lines.emplace_back("knee", describe_knee(curve));
    return lines;
}

std::string load_members(const LoadPattern& pattern, const std::optional<LoadCurve>& curve) {
    const LoadCurve known = curve.value_or(LoadCurve{});
    return json_members({{"write_percent", pattern.write_percent},
                         {"idle_latency_ns", json_number(known.idle_ns, 3)},
                         {"idle_latency_at_end_ns", json_number(known.idle_last_ns, 3)},
                         {"peak_bandwidth_gb_s", bandwidth_of(known.peak)},
                         {"knee_bandwidth_gb_s", bandwidth_of(known.knee)}});
}

} // namespace memtest

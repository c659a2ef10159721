#include "memtest/cli/stored_curves.hpp"

#include "memtest/measure/statistics.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

namespace memtest {
namespace {

bool is_disturbed(const StoredRow& row) {
    return std::ranges::any_of(disturbing_notes,
                               [&](Note note) { return row.notes.find(word_of(note)) != std::string::npos; });
}

} // namespace

std::vector<CurvePoint> curve_of_thread(const StoredSweep& sweep, int thread) {
    std::vector<CurvePoint> points;
    for (const StoredRow& row : sweep.rows) {
        if (row.thread == thread && row.latency_ns)
            points.push_back(
                {.size_bytes = row.size_bytes, .latency_ns = *row.latency_ns, .disturbed = is_disturbed(row)});
    }
    return make_curve(std::move(points));
}

std::vector<SizeFigure> figures_of(const StoredSweep& sweep) {
    std::vector<SizeFigure> figures;
    for (const StoredRow& row : sweep.rows) {
        if (row.latency_ns)
            figures.push_back({.thread = row.thread,
                               .size_bytes = row.size_bytes,
                               .latency_ns = *row.latency_ns,
                               .min_ns = row.min_ns,
                               .median_ns = row.median_ns,
                               .spread_percent = row.spread_percent,
                               .placement_percent = row.placement_percent,
                               .batches = row.batches});
    }
    return figures;
}

std::optional<double> core_ghz_of(const StoredSweep& sweep) {
    std::vector<double> ratios;
    for (const StoredRow& row : sweep.rows) {
        if (row.cycles && row.latency_ns)
            ratios.push_back(*row.cycles / *row.latency_ns);
    }
    if (!ratios.empty())
        return median(std::move(ratios));
    const auto text = sweep.value_of("core clock"); // "3.700 GHz"
    double ghz = 0;
    if (!text || std::from_chars(text->data(), text->data() + text->size(), ghz).ec != std::errc{} || ghz <= 0 ||
        !std::isfinite(ghz))
        return std::nullopt;
    return ghz;
}

std::vector<LevelReport> report_levels(const StoredSweep& sweep) {
    std::vector<LevelReport> reports;
    for (const int thread : sweep.threads())
        reports.push_back(report_levels(thread, curve_of_thread(sweep, thread),
                                        sweep_order_of(sweep.value_of("order").value_or("")), core_ghz_of(sweep),
                                        sweep.value_of("caches").value_or("")));
    return reports;
}

} // namespace memtest

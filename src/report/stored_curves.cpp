#include "memtest/report/stored_curves.hpp"

#include <charconv>
#include <cmath>
#include <string>
#include <utility>

namespace memtest {
std::vector<CurvePoint> curve_of_thread(const StoredSweep& sweep, int thread) {
    std::vector<CurvePoint> points;
    for (const StoredRow& row : sweep.rows) {
        if (row.thread == thread && row.latency_ns)
            points.push_back({.size_bytes = row.size_bytes, .latency_ns = *row.latency_ns});
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
                               .visits_percent = row.visits_percent,
                               .batches = row.batches});
    }
    return figures;
}

std::optional<double> core_ghz_of(const StoredSweep& sweep, int thread) {
    std::vector<double> ratios;
    for (const StoredRow& row : sweep.rows) {
        if (row.thread == thread && row.cycles && row.latency_ns)
            ratios.push_back(*row.cycles / *row.latency_ns);
    }
    if (const auto ghz = core_ghz_over(std::move(ratios)))
        return ghz;
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
                                        sweep_order_of(sweep.value_of("order").value_or("")),
                                        core_ghz_of(sweep, thread), sweep.value_of("caches").value_or("")));
    return reports;
}

} // namespace memtest

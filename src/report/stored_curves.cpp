#include "memtest/report/stored_curves.hpp"

#include <utility>

namespace memtest {

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
                               .visits_percent = row.visits_percent,
                               .batches = row.batches});
    }
    return figures;
}

std::vector<SizeClock> clocks_of_thread(const StoredSweep& sweep, int thread) {
    std::vector<SizeClock> clocks;
    for (const StoredRow& row : sweep.rows) {
        if (row.thread == thread && row.cycles && row.latency_ns)
            clocks.push_back({.size_bytes = row.size_bytes, .ghz = *row.cycles / *row.latency_ns});
    }
    if (clocks.empty() && sweep.run.core_clock_ghz)
        clocks.push_back({.ghz = *sweep.run.core_clock_ghz});
    return clocks;
}

std::vector<LevelReport> report_levels(const StoredSweep& sweep) {
    std::vector<LevelReport> reports;
    for (const int thread : sweep.threads())
        reports.push_back(report_levels(thread, curve_of_thread(sweep, thread), sweep.run,
                                        clocks_of_thread(sweep, thread), sweep.translation_is_off));
    return reports;
}

} // namespace memtest

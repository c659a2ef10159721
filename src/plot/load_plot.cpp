#include "memtest/plot/load_plot.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace memtest {

SizePlot plot_loads(const std::vector<StoredLoad>& loads, const std::vector<std::string>& labels,
                    const std::string& title) {
    SizePlot plot{.title = title.empty() ? "Memory access latency under load" : title,
                  .quantity = "latency (ns)",
                  .unit = "ns",
                  .across = "bandwidth of the loaders (GB/s)"};
    const auto& cpu = loads.front().run.cpu_model;
    if (std::ranges::all_of(loads, [&](const StoredLoad& load) { return load.run.cpu_model == cpu; }))
        plot.subtitle = cpu.value_or("");
    for (std::size_t i = 0; i < loads.size(); ++i) {
        PlotCurve curve{.name = labels[i], .points = {}};
        for (const LoadPoint& point : loads[i].points)
            curve.points.push_back({.at = point.bytes_per_ns, .value = point.latency_ns});
        // The idle row behind the load would lead the line back.
        if (curve.points.size() > 1 && loads[i].points.back().load_percent <= 0)
            curve.points.pop_back();
        plot.curves.push_back(std::move(curve));
    }
    return plot;
}

} // namespace memtest

#include "memtest/kinds/figures.hpp"

#include "memtest/kinds/levels.hpp"
#include "memtest/kinds/sweep_curves.hpp"
#include "memtest/kinds/sweep_figures.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace memtest {
namespace {

/// What the sweep knows of its sizes counts for other figures of these sizes, too. At the end of a level, where the
/// latency rises from size to size, it is the noise of how much the level holds.
void spread_doubts(std::vector<Figure>& figures) {
    constexpr double noise_per_rise = 0.25;
    const std::vector<Figure> all = figures;
    for (Figure& figure : figures) {
        if (!figure.at_bytes || figure.quantity == Quantity::size_latency)
            continue;
        std::vector<double> nearby_ns;
        for (const Figure& size : all) {
            if (size.quantity != Quantity::size_latency ||
                std::abs(std::log(*size.at_bytes / *figure.at_bytes)) > std::log(nearby_sizes))
                continue;
            figure.noise = std::max(figure.noise, size.noise);
            nearby_ns.push_back(size.value);
            if (figure.doubt == Why::none && size.doubt == Why::contested)
                figure.doubt = Why::contested;
        }
        if (!nearby_ns.empty()) {
            const auto [low, high] = std::ranges::minmax(nearby_ns);
            figure.noise = std::max(figure.noise, noise_per_rise * std::log(high / low));
        }
    }
}

/// A sweep of several sizes, and what its first thread shows.
using FirstThread = std::pair<const Result*, const Hierarchy*>;

/// The levels of the median of several sweeps; all sizes if it shows none.
std::vector<SizeRange> levels_of(const std::vector<FirstThread>& sweeps) {
    std::map<double, std::vector<CurvePoint>> points;
    for (const auto& [sweep, hierarchy] : sweeps) {
        const std::vector<ThreadCurve> threads = curves_of(*sweep);
        for (const CurvePoint& point : threads.front().points)
            points[point.size_bytes].push_back(point);
    }
    std::vector<CurvePoint> curve;
    for (auto& [size, here] : points) { // the middle point, with its doubts
        std::ranges::sort(here, {}, &CurvePoint::latency_ns);
        curve.push_back(here[(here.size() - 1) / 2]);
    }
    const auto& [sweep, only] = sweeps.front();
    const Hierarchy hierarchy = sweeps.size() == 1 ? *only : read_levels(curve, *sweep);
    std::vector<SizeRange> ranges;
    for (const Level& level : hierarchy.caches)
        ranges.push_back(
            {.name = level_name(level.number), .from_bytes = level.from_bytes, .to_bytes = level.to_bytes});
    if (hierarchy.memory)
        ranges.push_back({.name = std::string(memory_level),
                          .from_bytes = hierarchy.memory->from_bytes,
                          .to_bytes = hierarchy.memory->to_bytes});
    set_scales(ranges, hierarchy.caches, curve);
    if (ranges.empty() && !curve.empty())
        ranges.push_back(
            {.name = "sweep", .from_bytes = curve.front().size_bytes, .to_bytes = curve.back().size_bytes});
    return ranges;
}

} // namespace

Stated::Stated(const StoredFile& stored) : file(&stored) {
    for (const Result& part : stored.results) {
        if (!is_of_levels(part))
            continue;
        for (const ThreadCurve& curve : curves_of(part))
            levels[part.part].emplace(curve.thread, read_levels(curve.points, part));
    }
}

Frame frame_of(std::span<const Stated> baselines) {
    std::map<std::string, std::vector<FirstThread>> sweeps;
    for (const Stated& base : baselines) {
        for (const Result& part : base.file->results) {
            if (is_of_levels(part))
                sweeps[part.part].emplace_back(&part, &base.levels.at(part.part).begin()->second);
        }
    }
    Frame frame;
    for (const auto& [part, all] : sweeps)
        frame.emplace(part, levels_of(all));
    return frame;
}

std::vector<Figure> figures_in(const Stated& stated, const Frame& frame) {
    FigureList list(frame, stated.file->results, stated.levels);
    for (const Result& part : stated.file->results) {
        list.begin(part);
        part.kind->facts.add_figures(list, part);
    }
    std::vector<Figure> figures = list.take();
    spread_doubts(figures);
    return figures;
}

} // namespace memtest

#include "memtest/kinds/figures.hpp"

#include "memtest/kinds/sweep_figures.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

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

} // namespace

Frame frame_of(std::span<const StoredFile> baselines) {
    Frame frame;
    std::map<std::string, std::vector<const Result*>> sweeps;
    for (const StoredFile& file : baselines) {
        for (const Result& part : file.results) {
            if (is_of_levels(part))
                sweeps[part.part].push_back(&part);
        }
    }
    for (const auto& [part, all] : sweeps)
        frame.levels.emplace(part, sweep_levels_of(all));
    return frame;
}

std::vector<Figure> figures_in(const StoredFile& file, const Frame& frame) {
    FigureList list(frame, file.results);
    for (const Result& part : file.results) {
        list.begin(part);
        part.kind->facts.add_figures(list, part);
    }
    std::vector<Figure> figures = list.take();
    spread_doubts(figures);
    return figures;
}

} // namespace memtest

#include "memtest/kinds/figures.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
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

/// The standard deviation from run to run of what the host of a virtual machine decides. Nested page walks took 20 or
/// 38 ns, and all guests share the bandwidth of memory (12 reports in a row of an EPYC). The median of single loads, of
/// one moment, was 281 and 160 ns in memory and 1.3 and 1.1 ns in L1 while the sweeps of the same reports agreed. Of a
/// contested cache, 32 chains side by side took 7.8 to 10.4 ns in 5 reports in a row (Zen 3). Backward strides took 6.8
/// to 8.4 % of random lines in three (Emerald Rapids).
constexpr double noise_of_host = 0.08;

/// What the other guests of a virtual machine do to its last cache, as its sweeps show.
struct UseByGuests {
    bool contested = false; ///< visits to a size fell into two groups
    bool shared = false;    ///< others hold most of it
};

/// The standard deviation from run to run that the host of a virtual machine and its other guests cause, whatever one
/// run shows; 0 if they cause none.
double noise_of_guests(const Figure& figure, const UseByGuests& use) {
    if (figure.quantity == Quantity::page_walk || figure.quantity == Quantity::peak ||
        figure.quantity == Quantity::p50 || figure.quantity == Quantity::pattern ||
        (use.contested && figure.quantity == Quantity::access_time))
        return noise_of_host;
    // 162 to 183 ns, 4.9 %, in the same reports; 3.1 % in nine reports in a row of a guest that had 8 of 260 MiB of an
    // L3 (Emerald Rapids). With 4.3 % it would be too noisy at the usual tolerance.
    constexpr double of_shared_memory = 0.04;
    return (use.contested || use.shared) && figure.quantity == Quantity::memory_latency ? of_shared_memory : 0;
}

} // namespace

std::vector<Figure> figures_in(const Stated& stated, const Frame& frame) {
    FigureList list(stated, frame);
    for (const Result& part : stated.file->results) {
        list.begin(part);
        part.kind->facts.add_figures(list, part);
    }
    std::vector<Figure> figures = list.take();
    spread_doubts(figures);
    return figures;
}

void FigureList::begin(const Result& part) {
    part_ = part.part;
    incomplete_ = why_incomplete(part).has_value();
    disturbed_ = std::ranges::any_of(part.warnings, is_disturbance);
    is_guest_ = is_guest_ || part.run.virtual_machine.value_or(false);
    is_lone_sweep_ = part_.empty() && std::holds_alternative<std::vector<Row>>(part.rows);
}

double FigureList::beside_others(double noise) const {
    return disturbed_ ? std::max(noise, noise_of_loads) : noise;
}

void FigureList::add(Figure figure) {
    const bool is_stated = figure.value > 0 || figure.doubt == Why::disturbed;
    figure.part = part_;
    if (figure.quantity == Quantity::memory_latency)
        figure.noise = beside_others(figure.noise);
    if (is_guest_) // with this noise a figure bears what disturbed its run
        figure.noise = std::max(figure.noise, noise_of_guests(figure, {}));
    if (incomplete_)
        figure.doubt = Why::incomplete;
    else if (disturbed_ && figure.noise == 0 && figure.doubt == Why::none)
        figure.doubt = Why::disturbed;
    if (is_stated && names_.insert({figure.part, figure.name}).second)
        all_.push_back(std::move(figure));
}

void FigureList::add_memory(const std::optional<PageKind>& pages, double ns, double noise, Why doubt,
                            std::vector<FigureReading> sizes) {
    if (ns <= 0)
        return;
    Figure& figure = memory_[pages == PageKind::base];
    const bool is_first = figure.readings.empty();
    if (incomplete_)
        doubt = Why::incomplete;
    if (is_first || figure.doubt != Why::none) { // a sound reading counts, not one in doubt
        figure.value = ns;
        figure.noise = beside_others(noise);
        if (doubt == Why::none)
            figure.readings.clear();
        figure.doubt = doubt;
    } else if (doubt != Why::none) {
        return;
    }
    if (sizes.empty())
        sizes.push_back({part_, ns});
    std::ranges::move(sizes, std::back_inserter(figure.readings));
}

std::vector<Figure> FigureList::take() {
    std::vector<Figure> all;
    for (auto& [in_small_pages, figure] : memory_) {
        figure.name = in_small_pages && !is_lone_sweep_ ? "memory latency in small pages" : "memory latency";
        figure.quantity = Quantity::memory_latency;
        if (is_guest_ && in_small_pages)
            figure.noise = std::max(figure.noise, noise_of_host);
        all.push_back(std::move(figure));
    }
    all.insert(all.end(), std::make_move_iterator(all_.begin()), std::make_move_iterator(all_.end()));
    if (!is_guest_)
        return all;
    UseByGuests use;
    for (const Figure& figure : all) {
        use.contested = use.contested || (figure.quantity == Quantity::size_latency && figure.doubt == Why::contested);
        use.shared = use.shared || (figure.quantity == Quantity::capacity && figure.doubt == Why::shared);
    }
    for (Figure& figure : all)
        figure.noise = std::max(figure.noise, noise_of_guests(figure, use));
    return all;
}

double noise_of_quartiles(std::optional<double> low, std::optional<double> high, double middle) {
    constexpr double noise_per_range = 0.25;
    return low && high && middle > 0 ? noise_per_range * std::max(*high - *low, 0.0) / middle : 0;
}

} // namespace memtest

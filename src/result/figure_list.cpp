#include "memtest/result/figure_list.hpp"

#include "memtest/insight/level_rules.hpp"

#include <algorithm>
#include <iterator>

namespace memtest {
namespace {

/// One figure for all parts that measure it, in each kind of pages.
std::string memory_latency_in(const std::optional<PageKind>& pages) {
    return pages == PageKind::base ? "memory latency in small pages" : "memory latency";
}

/// The standard deviation from run to run of what the host of a virtual machine decides: nested page walks took 20 or
/// 38 ns, and all guests share the bandwidth of memory (12 reports in a row of an EPYC).
constexpr double noise_of_guest = 0.08;

/// Whether the host decides it. The median of single loads from memory, of one moment, was 281 and 160 ns while the
/// sweeps of the same reports agreed.
bool is_of_host(const Figure& figure) {
    return figure.quantity == Quantity::page_walk || figure.quantity == Quantity::peak ||
           (figure.quantity == Quantity::p50 && figure.value >= LevelRules().least_memory_ns);
}

} // namespace

void FigureList::begin(const Result& part) {
    part_ = part.part;
    incomplete_ = why_incomplete(part).has_value();
    disturbed_ = std::ranges::any_of(part.warnings, is_disturbance);
    is_guest_ = part.run.virtual_machine.value_or(false);
}

void FigureList::add(Figure figure) {
    figure.part = part_;
    if (is_guest_ && is_of_host(figure))
        figure.noise = std::max(figure.noise, noise_of_guest);
    if (incomplete_)
        figure.doubt = Why::incomplete;
    else if (disturbed_ && figure.noise == 0 && figure.doubt == Why::none)
        figure.doubt = Why::disturbed;
    if (figure.value > 0 && names_.insert({figure.part, figure.name}).second)
        all_.push_back(std::move(figure));
}

void FigureList::add_memory(const std::optional<PageKind>& pages, double ns, double noise, Why doubt) {
    if (ns <= 0)
        return;
    Figure& figure = memory_[memory_latency_in(pages)];
    const bool is_first = figure.readings.empty();
    if (is_guest_ && pages == PageKind::base)
        noise = std::max(noise, noise_of_guest);
    if (incomplete_)
        doubt = Why::incomplete;
    if (is_first || figure.doubt != Why::none) { // a sound reading counts, not one in doubt
        figure.value = ns;
        figure.noise = noise;
        if (doubt == Why::none)
            figure.readings.clear();
        figure.doubt = doubt;
    } else if (doubt == Why::none) {
        figure.noise = std::min(figure.noise, noise);
    } else {
        return;
    }
    figure.readings.push_back({part_, ns});
}

std::vector<Figure> FigureList::take() {
    std::vector<Figure> all;
    for (auto& [name, figure] : memory_) {
        figure.name = name;
        figure.quantity = Quantity::memory_latency;
        all.push_back(std::move(figure));
    }
    all.insert(all.end(), std::make_move_iterator(all_.begin()), std::make_move_iterator(all_.end()));
    return all;
}

double noise_of_quartiles(std::optional<double> low, std::optional<double> high, double middle) {
    constexpr double noise_per_range = 0.25;
    return low && high && middle > 0 ? noise_per_range * std::max(*high - *low, 0.0) / middle : 0;
}

} // namespace memtest

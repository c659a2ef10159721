#include "memtest/measure/calibration.hpp"

#include "memtest/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace memtest {
namespace {

double share_of_step(std::size_t step, std::size_t steps) {
    return static_cast<double>(step) / static_cast<double>(steps);
}

} // namespace

void Calibration::add(std::size_t pause, const std::vector<double>& lines_per_ns) {
    std::vector<double>& times = ns_per_line_[pause];
    times.resize(lines_per_ns.size(), std::numeric_limits<double>::infinity());
    for (std::size_t loader = 0; loader < times.size(); ++loader)
        times[loader] = std::min(times[loader], 1 / lines_per_ns[loader]);
}

std::vector<double> Calibration::rates_at(std::size_t pause) const {
    require(!ns_per_line_.empty(), "rates were measured");
    pause = std::min(pause, ns_per_line_.rbegin()->first);
    std::vector<double> shortest(ns_per_line_.begin()->second.size(), std::numeric_limits<double>::infinity());
    for (auto above = ns_per_line_.lower_bound(pause); above != ns_per_line_.end(); ++above) {
        const auto end = ns_per_line_.upper_bound(pause);
        for (auto below = ns_per_line_.begin(); below != end; ++below) {
            const double part = above == below ? 0
                                               : static_cast<double>(pause - below->first) /
                                                     static_cast<double>(above->first - below->first);
            for (std::size_t loader = 0; loader < shortest.size(); ++loader)
                shortest[loader] = std::min({shortest[loader], above->second[loader],
                                             std::lerp(below->second[loader], above->second[loader], part)});
        }
    }
    std::vector<double> rates;
    for (const double ns : shortest)
        rates.push_back(1 / ns);
    return rates;
}

double Calibration::total_at(std::size_t pause) const {
    double total = 0;
    for (const double rate : rates_at(pause))
        total += rate;
    return total;
}

double Calibration::smallest_share() const {
    return total_at(ns_per_line_.rbegin()->first) / total_at(0);
}

std::size_t Calibration::pause_for(double share) const {
    const double wanted = share * total_at(0);
    std::size_t enough = 0; // for more than what is wanted
    std::size_t too_long = ns_per_line_.rbegin()->first;
    if (share >= 1)
        return 0;
    if (total_at(too_long) >= wanted)
        return too_long;
    while (too_long - enough > 1) {
        const std::size_t middle = enough + (too_long - enough) / 2;
        (total_at(middle) >= wanted ? enough : too_long) = middle;
    }
    return enough;
}

std::vector<LoadStep> calibrate(std::size_t steps, const MeasureRates& measure) {
    constexpr std::size_t longest_pause = std::size_t{1} << 24U; // tens of microseconds for each line
    Calibration calibration;
    const auto measure_at = [&](std::size_t pause) {
        const auto rates = measure(pause);
        if (rates)
            calibration.add(pause, *rates);
        return rates.has_value();
    };
    bool whole = measure_at(0);
    for (std::size_t pause = Loader::lines_in_portion;
         whole && pause <= longest_pause && calibration.smallest_share() > share_of_step(1, steps); pause *= 2)
        whole = measure_at(pause);
    for (std::size_t step = 1; whole && step < steps; ++step)
        whole = measure_at(calibration.pause_for(share_of_step(step, steps)));
    std::vector<LoadStep> found;
    for (std::size_t step = 1; whole && step <= steps; ++step) {
        const std::size_t pause = calibration.pause_for(share_of_step(step, steps));
        found.push_back({.load_percent = 100 * share_of_step(step, steps),
                         .pause = pause,
                         .lines_per_ns = calibration.rates_at(pause)});
    }
    return found;
}

} // namespace memtest

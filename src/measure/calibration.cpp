#include "memtest/measure/calibration.hpp"

#include "memtest/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace memtest {
namespace {

double total(const std::vector<double>& rates) {
    return std::accumulate(rates.begin(), rates.end(), 0.0);
}

double share_of_step(std::size_t step, std::size_t steps) {
    return static_cast<double>(step) / static_cast<double>(steps);
}

} // namespace

double Calibration::peak() const {
    require(!rates_.empty(), "rates were measured");
    double most = 0;
    for (const auto& [pause, rates] : rates_)
        most = std::max(most, total(rates));
    return most;
}

double Calibration::smallest_share() const {
    return total(rates_.rbegin()->second) / peak();
}

std::size_t Calibration::pause_for(double share) const {
    if (share >= 1)
        return 0;
    const double wanted_ns = 1 / (share * peak());
    auto longer = rates_.rbegin();
    double longer_ns = 1 / total(longer->second);
    if (longer_ns <= wanted_ns)
        return longer->first;
    for (auto at = std::next(longer); at != rates_.rend(); longer = at, ++at) {
        // What disturbs a loader makes it slower, and a longer pause makes none faster.
        const double ns = std::min(longer_ns, 1 / total(at->second));
        if (ns <= wanted_ns)
            return static_cast<std::size_t>(std::lerp(static_cast<double>(at->first),
                                                      static_cast<double>(longer->first),
                                                      (wanted_ns - ns) / (longer_ns - ns)));
        longer_ns = ns;
    }
    return 0;
}

LoadStep Calibration::nearest_step(double share) const {
    const auto distance = [&](const auto& at) { return std::abs(total(at->second) / peak() - share); };
    auto nearest = rates_.rbegin();
    double fastest = 0;
    for (auto at = rates_.rbegin(); at != rates_.rend(); ++at) {
        if (total(at->second) < fastest)
            continue; // disturbed, since a longer pause makes none faster
        fastest = total(at->second);
        if (distance(at) < distance(nearest))
            nearest = at;
    }
    if (share >= 1)
        nearest = std::prev(rates_.rend()); // no pause
    return {.load_percent = 100 * share, .pause = nearest->first, .lines_per_ns = nearest->second};
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
    for (int pass = 0; pass < 2; ++pass) {
        for (std::size_t step = 1; whole && step < steps; ++step)
            whole = measure_at(calibration.pause_for(share_of_step(step, steps)));
    }
    std::vector<LoadStep> found;
    for (std::size_t step = 1; whole && step <= steps; ++step)
        found.push_back(calibration.nearest_step(share_of_step(step, steps)));
    return found;
}

} // namespace memtest

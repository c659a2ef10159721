#include "memtest/measure/calibration.hpp"

#include "memtest/base/error.hpp"
#include "memtest/measure/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>

namespace memtest {
namespace {

double total(const std::vector<double>& rates) {
    return std::accumulate(rates.begin(), rates.end(), 0.0);
}

/// The rate of each load thread: the upper quartile, since one that loses its processor is slower.
std::vector<double> rates_in(const std::vector<LoadBatch>& batches) {
    std::vector<double> rates;
    for (std::size_t thread = 0; thread < batches.front().lines_per_ns.size(); ++thread) {
        std::vector<double> of_thread;
        for (const LoadBatch& batch : batches)
            of_thread.push_back(batch.lines_per_ns.at(thread));
        std::ranges::sort(of_thread);
        rates.push_back(quantile(of_thread, 0.75));
    }
    return rates;
}

/// The rate of each load thread in a visit; std::nullopt if interrupted. Visits again while one of them does not run.
std::optional<std::vector<double>> rates_in_visit(std::size_t pause, const VisitLoaded& visit,
                                                  const std::vector<int>& load_processors) {
    constexpr int visits = 10; // of 16 ms each, for which a hypervisor may take a processor away
    std::size_t absent = 0;
    for (int made = 0; made < visits; ++made) {
        const auto batches = visit(pause);
        if (batches.empty())
            return std::nullopt;
        std::vector<double> rates = rates_in(batches);
        absent = static_cast<std::size_t>(std::ranges::min_element(rates) - rates.begin());
        if (rates[absent] > 0)
            return rates;
    }
    throw MachineBusy(
        fmt::format("the load thread on processor {} did not run: another process uses it; wait, or choose "
                    "others with --load-cpu",
                    load_processors.at(absent)));
}

} // namespace

void Calibration::add(std::size_t pause, const std::vector<double>& lines_per_ns) {
    const auto is_slower = [&](const auto& entry) { return total(entry.second) < total(lines_per_ns); };
    if (std::any_of(rates_.lower_bound(pause), rates_.end(), [&](const auto& entry) { return !is_slower(entry); }))
        return;
    const bool is_new_peak = rates_.empty() || is_slower(*rates_.begin());
    std::erase_if(rates_, [&](const auto& entry) { return entry.first <= pause && is_slower(entry); });
    rates_[pause] = lines_per_ns;
    if (is_new_peak)
        rates_[0] = lines_per_ns;
}

double Calibration::share_of(const std::vector<double>& rates) const {
    return total(rates) / total(rates_.begin()->second);
}

double Calibration::smallest_share() const {
    require(!rates_.empty(), "rates were measured");
    return share_of(rates_.rbegin()->second);
}

std::size_t Calibration::pause_for(double share) const {
    auto longer = rates_.rbegin();
    if (share <= smallest_share())
        return longer->first;
    auto at = std::next(longer);
    while (at != rates_.rend() && share_of(at->second) < share)
        longer = at++;
    if (at == rates_.rend())
        return 0;
    const double at_ns = 1 / share_of(at->second); // for what the peak moves in 1 ns
    const double longer_ns = 1 / share_of(longer->second);
    return static_cast<std::size_t>(std::lerp(static_cast<double>(at->first), static_cast<double>(longer->first),
                                              (1 / share - at_ns) / (longer_ns - at_ns)));
}

LoadStep Calibration::nearest_step(double share) const {
    const auto distance = [&](const auto& entry) { return std::abs(share_of(entry.second) - share); };
    const auto& [pause, rates] = *std::ranges::min_element(rates_, {}, distance);
    return {.load_percent = 100 * share, .pause = pause, .lines_per_ns = rates};
}

std::vector<LoadStep> calibrate(std::span<const double> shares, const VisitLoaded& visit,
                                const std::vector<int>& load_processors) {
    constexpr std::size_t longest_pause = std::size_t{1} << 24U; // tens of microseconds for each line
    Calibration calibration;
    const auto measure_at = [&](std::size_t pause) {
        const auto rates = rates_in_visit(pause, visit, load_processors);
        if (rates)
            calibration.add(pause, *rates);
        return rates.has_value();
    };
    bool whole = measure_at(0);
    for (std::size_t pause = LoadGenerator::lines_in_portion;
         whole && pause <= longest_pause && calibration.smallest_share() > shares.front(); pause *= 2)
        whole = measure_at(pause);
    for (int pass = 0; pass < 3; ++pass) {
        for (const double share : shares)
            whole = whole && (share >= 1 || measure_at(calibration.pause_for(share)));
    }
    std::vector<LoadStep> found;
    if (whole)
        std::ranges::transform(shares, std::back_inserter(found),
                               [&](double share) { return calibration.nearest_step(share); });
    return found;
}

std::vector<double> even_shares(std::size_t steps) {
    std::vector<double> shares;
    for (std::size_t step = 1; step <= steps; ++step)
        shares.push_back(static_cast<double>(step) / static_cast<double>(steps));
    return shares;
}

} // namespace memtest

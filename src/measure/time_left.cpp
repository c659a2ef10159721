#include "memtest/measure/time_left.hpp"

#include "memtest/measure/agreement.hpp"

#include <algorithm>

namespace memtest {

TimeLeft::TimeLeft(const std::vector<std::size_t>& sizes, const TimingPlan& plan)
    : fewest_visits_(plan.precision_percent ? fewest_visits(plan.estimate) : plan.visits) {
    for (const std::size_t bytes : sizes)
        sizes_.push_back({.bytes = static_cast<double>(bytes), .most = plan.visits});
}

void TimeLeft::note_visit(std::size_t place, double seconds, unsigned most, std::optional<double> needed) {
    Size& size = sizes_.at(place);
    ++size.visits;
    size.seconds = seconds;
    size.most = most;
    size.needed = size.visits == most ? most : needed;
    seconds_so_far_ += seconds;
}

std::optional<double> TimeLeft::seconds() const {
    constexpr double enough_to_tell = 1;
    constexpr double good_half = 0.6; // of busy sweeps, 0.3 and 1 were further off
    if (seconds_so_far_ < enough_to_tell)
        return std::nullopt;
    double needed = fewest_visits_;
    const double smallest = sizes_.front().seconds;
    const Size* visited = &sizes_.front(); // the largest one that was, up to the size at hand
    double sum = 0;
    for (const Size& size : sizes_) {
        if (size.visits > 0)
            visited = &size;
        needed = size.needed.value_or(needed);
        const double growing = std::max(0.0, visited->seconds - smallest);
        const double seconds = visited->seconds + growing * (size.bytes / visited->bytes - 1);
        const double visits = std::max(needed - size.visits, good_half * size.visits);
        sum += std::min<double>(visits, size.most - size.visits) * seconds;
    }
    return sum;
}

} // namespace memtest

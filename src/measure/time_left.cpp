#include "memtest/measure/time_left.hpp"

#include "memtest/measure/agreement.hpp"

#include <algorithm>

namespace memtest {

TimeLeft::TimeLeft(const std::vector<std::size_t>& sizes, const TimingPlan& plan)
    : most_visits_(plan.visits), fewest_visits_(plan.precision_percent ? fewest_visits(plan.estimate) : plan.visits) {
    for (const std::size_t bytes : sizes)
        sizes_.push_back({.bytes = static_cast<double>(bytes)});
}

void TimeLeft::note_visit(std::size_t place, double seconds, bool is_last, std::optional<double> needed) {
    Size& size = sizes_.at(place);
    ++size.visits;
    size.seconds = seconds;
    size.is_done = is_last;
    size.needed = is_last ? size.visits : needed;
    seconds_so_far_ += seconds;
}

std::optional<double> TimeLeft::seconds() const {
    constexpr double enough_to_tell = 1;
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
        if (size.is_done)
            continue;
        const double growing = std::max(0.0, visited->seconds - smallest);
        const double seconds = visited->seconds + growing * (size.bytes / visited->bytes - 1);
        sum += visits_left(size, needed) * seconds;
    }
    return sum;
}

double TimeLeft::visits_left(const Size& size, double needed) const {
    constexpr double good_half = 0.6; // of busy sweeps, 0.3 and 1 were further off
    return std::min<double>(std::max(needed - size.visits, good_half * size.visits), most_visits_ - size.visits);
}

} // namespace memtest

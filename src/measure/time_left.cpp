#include "memtest/measure/time_left.hpp"

#include "memtest/measure/agreement.hpp"

#include <algorithm>

namespace memtest {

TimeLeft::TimeLeft(const std::vector<std::size_t>& sizes, const TimingPlan& plan)
    : most_visits_(plan.visits), fewest_visits_(plan.precision_percent ? fewest_visits(plan.estimate) : plan.visits) {
    for (const std::size_t bytes : sizes)
        sizes_.push_back({.bytes = static_cast<double>(bytes)});
}

void TimeLeft::note_visit(std::size_t place, double seconds, bool is_last) {
    Size& size = sizes_.at(place);
    ++size.visits;
    size.seconds = seconds;
    size.is_done = is_last;
    seconds_so_far_ += seconds;
}

std::optional<double> TimeLeft::seconds() const {
    constexpr double enough_to_tell = 1;
    if (seconds_so_far_ < enough_to_tell)
        return std::nullopt;
    const double expected = expected_visits();
    const double smallest = sizes_.front().seconds;
    const Size* visited = &sizes_.front(); // the largest one that was, up to the size at hand
    double sum = 0;
    for (const Size& size : sizes_) {
        if (size.visits > 0)
            visited = &size;
        if (size.is_done)
            continue;
        const double growing = std::max(0.0, visited->seconds - smallest);
        const double seconds = visited->seconds + growing * (size.bytes / visited->bytes - 1);
        sum += visits_left(size, expected) * seconds;
    }
    return sum;
}

double TimeLeft::expected_visits() const {
    double visits = 0;
    double done = 0;
    for (const Size& size : sizes_) {
        if (size.is_done) {
            visits += size.visits;
            ++done;
        }
    }
    return done > 0 ? std::max<double>(fewest_visits_, visits / done) : fewest_visits_;
}

double TimeLeft::visits_left(const Size& size, double expected) const {
    const double left = size.visits < expected ? expected - size.visits : size.visits;
    return std::min<double>(left, most_visits_ - size.visits);
}

} // namespace memtest

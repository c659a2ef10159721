#pragma once

#include "memtest/measure/timing.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace memtest {

/// The time that a sweep may still take, estimated from its visits so far.
class TimeLeft {
public:
    TimeLeft(const std::vector<std::size_t>& sizes, const TimingPlan& plan);

    /// Notes a visit to the size at this place in the schedule. @param is_last whether the size needs no other
    void note_visit(std::size_t place, double seconds, bool is_last);

    /// Nothing in the first second of visits. A visit is expected to take as long as the last one to its size. For a
    /// size not yet visited the time of the largest visited one counts; its part above that of the smallest grows with
    /// the size. With a precision, a size is expected to need as many visits as the finished ones did on average, and
    /// one that has had as many, as many again.
    [[nodiscard]] std::optional<double> seconds() const;

private:
    struct Size {
        double bytes = 0;
        unsigned visits = 0;
        double seconds = 0; // of the last visit
        bool is_done = false;
    };

    [[nodiscard]] double visits_left(const Size& size, double expected) const;
    [[nodiscard]] double expected_visits() const;

    std::vector<Size> sizes_;
    double seconds_so_far_ = 0;
    unsigned most_visits_;
    unsigned fewest_visits_; // of each size
};

} // namespace memtest

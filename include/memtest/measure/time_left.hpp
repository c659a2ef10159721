#pragma once

#include "memtest/measure/timing.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace memtest {

/// How long a sweep may still take, reckoned from what its visits took so far.
class TimeLeft {
public:
    TimeLeft(const std::vector<std::size_t>& sizes, const TimingPlan& plan);

    /// Notes a visit to the size at this place in the schedule. @param is_last no other is going to follow
    void note_visit(std::size_t place, double seconds, bool is_last);

    /// Nothing before visits took a second. Each size is expected to take what its last visit took; sizes not yet
    /// visited take what the largest visited one did, the part above the smallest one's growing with the size. With a
    /// precision, a size is expected to need as many visits as those that are done did on average, and one that has had
    /// so many as many again.
    [[nodiscard]] std::optional<double> seconds() const;

private:
    struct Size {
        double bytes;
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

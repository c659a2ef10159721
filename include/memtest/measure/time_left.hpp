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

    /// Notes a visit to the size at this place in the schedule. @param most visits that it gets in all, no more than it
    /// has had where it is done @param needed about how many it needs, where that is known
    void note_visit(std::size_t place, double seconds, unsigned most, std::optional<double> needed = std::nullopt);

    /// Nothing in the first second of visits. A visit is expected to take as long as the last one to its size. For a
    /// size not yet visited the time of the largest visited one counts; its part above that of the smallest grows with
    /// the size. Where it is not known how many visits a size needs, it needs as many as the one before. One that has
    /// had as many needs more by a good half.
    [[nodiscard]] std::optional<double> seconds() const;

private:
    struct Size {
        double bytes = 0;
        unsigned visits = 0;
        double seconds = 0; // of the last visit
        unsigned most = 0;  // visits that it gets in all
        std::optional<double> needed = std::nullopt;
    };

    std::vector<Size> sizes_;
    double seconds_so_far_ = 0;
    unsigned fewest_visits_; // of each size
};

} // namespace memtest

#pragma once

#include "memtest/machine/clock.hpp"
#include "memtest/measure/timing.hpp"
#include "memtest/measure/visits.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace memtest {

/// One size in one round, the same for every thread.
struct VisitPlan {
    std::size_t bytes = 0; ///< the working set
    unsigned round = 0;    ///< from 0: each has its own places and orders, except for sizes linked once
    TimingPlan left{};     ///< for this visit and those after it
};

/// Measures on all threads at once: the border to the real machine, replaced in tests of the sweep.
class Probe {
public:
    virtual ~Probe() = default;

    /// One measurement per thread, in the order of their numbers. Empty if interrupted.
    /// @throws Error if a thread fails
    [[nodiscard]] virtual std::vector<Measurement> visit(const VisitPlan& visit) = 0;
};

/// A sweep, as plain data.
struct Sweep {
    std::vector<std::size_t> sizes;                    ///< ascending
    TimingPlan timing{};                               ///< of each
    std::optional<double> most_seconds = std::nullopt; ///< after which no size is visited again
};

/// What the visits to a size have shown so far; further visits may change it.
struct ProvisionalFigure {
    std::size_t size_bytes = 0;
    double latency_ns = 0;

    bool operator==(const ProvisionalFigure&) const = default;
};

/// How far a sweep is.
struct Progress {
    std::size_t sizes = 0;
    unsigned round = 0;                                ///< from 0
    std::optional<double> seconds_left = std::nullopt; ///< about; std::nullopt in the first second
    std::vector<ProvisionalFigure> figures{};          ///< of the visited sizes nearest to 16 KiB, 256 KiB and 64 MiB
};

/// Called with each row, once it and all rows of smaller sizes are known.
using RowSink = std::function<void(const Row&)>;

/// Called before each visit.
using ProgressSink = std::function<void(const Progress&)>;

/// Measures in rounds. The first round visits every size, each further one the sizes that are neither settled nor given
/// up. With a precision, a size is settled once its visits agree on every thread (VisitsSoFar). It is given up, with
/// the note limit, once its visits or accesses are used up; if the caches do not hold it, once half of its visits are.
/// Rows come in the order of sizes, and within a size in that of threads. If the probe is interrupted or throws, every
/// visited size still gets a row.
/// @param clock the system's monotonic one, or a fake
void run_sweep(const Sweep& sweep, Probe& probe, Clock& clock, const RowSink& row_sink,
               const ProgressSink& progress_sink);

/// The time that a sweep may still take, estimated from its visits so far.
class TimeLeft {
public:
    TimeLeft(const std::vector<std::size_t>& sizes, const TimingPlan& plan);

    /// Notes a visit to the size at this place in the schedule. @param most visits that it gets in all; as many as it
    /// has had if it is done @param needed roughly how many it needs, if known
    void note_visit(std::size_t place, double seconds, unsigned most, std::optional<double> needed = std::nullopt);

    /// std::nullopt in the first second of visits. Expects a visit to take as long as the last one to its size. For a
    /// size not yet visited the time of the largest visited one counts; its part above that of the smallest grows with
    /// the size. If the number of visits that a size needs is unknown, uses that of the size before. A size that has
    /// had as many as it needed needs more by a good half.
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

#include "memtest/measure/sweep.hpp"

#include "memtest/base/error.hpp"
#include "memtest/measure/agreement.hpp"
#include "memtest/measure/rounds.hpp"

#include <algorithm>
#include <utility>

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

namespace {

/// The sizes of a sweep under way.
class VisitedSizes : public Visited {
public:
    VisitedSizes(const Sweep& sweep, Probe& probe, Clock& clock, const RowSink& row_sink,
                 const ProgressSink& progress_sink)
        : timing_(sweep.timing), probe_(probe), clock_(clock), row_sink_(row_sink), progress_sink_(progress_sink),
          time_left_(sweep.sizes, sweep.timing), began_ns_(clock.now_ns()) {
        for (const std::size_t bytes : sweep.sizes)
            sizes_.push_back({.bytes = bytes, .left = sweep.timing});
    }

    [[nodiscard]] std::size_t count() const override { return sizes_.size(); }

    [[nodiscard]] bool is_done(std::size_t place) const override { return sizes_[place].is_done; }

    [[nodiscard]] bool visit(std::size_t place, unsigned round, std::size_t done) override {
        progress_sink_({.settled = done, .sizes = sizes_.size(), .round = round, .seconds_left = time_left_.seconds()});
        Size& size = sizes_[place];
        const std::uint64_t start_ns = clock_.now_ns();
        std::vector<Measurement> measured = probe_.visit({.bytes = size.bytes, .round = round, .left = size.left});
        if (measured.empty())
            return false;
        take(size, std::move(measured));
        time_left_.note_visit(place, static_cast<double>(clock_.now_ns() - start_ns) * 1e-9, most_visits(size),
                              most_visits_needed(size));
        return true;
    }

    void give(std::size_t place) override {
        Size& size = sizes_[place];
        for (std::size_t thread = 0; thread < size.visits.size(); ++thread)
            row_sink_(join_visits(static_cast<int>(thread), size.bytes, size.visits[thread], timing_, began_ns_));
        size.visits.clear();
    }

private:
    struct Size {
        std::size_t bytes;
        TimingPlan left;                                ///< of the accesses, batches and visits
        std::vector<std::vector<Measurement>> visits{}; ///< by thread, then by round
        unsigned visits_not_held = 0;                   ///< by the caches, on any thread
        bool is_done = false;
    };

    void take(Size& size, std::vector<Measurement> measured) const {
        std::uint64_t accesses = 0;
        std::size_t batches = 0;
        size.visits_not_held += std::ranges::all_of(measured, &Measurement::is_held) ? 0U : 1U;
        size.visits.resize(measured.size());
        for (std::size_t thread = 0; thread < measured.size(); ++thread) {
            accesses = std::max(accesses, measured[thread].timing.accesses);
            batches = std::max(batches, measured[thread].timing.batch_ns.size());
            size.visits[thread].push_back(std::move(measured[thread]));
        }
        size.left.accesses -= std::min(size.left.accesses, accesses);
        size.left.batches -= std::min(size.left.batches, static_cast<unsigned>(batches));
        --size.left.visits;
        size.is_done = size.left.accesses == 0 || is_settled_on_all_threads(size) ||
                       size.visits.front().size() >= most_visits(size);
    }

    /// That a size gets in all. Of one that the caches do not hold, disturbances take away as well as add. More visits
    /// only meet more accidents: it gets half of them.
    [[nodiscard]] unsigned most_visits(const Size& size) const {
        const auto made = static_cast<unsigned>(size.visits.front().size());
        if (size.is_done)
            return made;
        return timing_.precision_percent && 2 * size.visits_not_held > made
                   ? std::max((timing_.visits + 1) / 2, fewest_visits(timing_.estimate))
                   : timing_.visits;
    }

    [[nodiscard]] bool is_settled_on_all_threads(const Size& size) const {
        return std::ranges::all_of(size.visits,
                                   [this](const auto& measurements) { return visits_agree(measurements, timing_); });
    }

    /// By any thread; nothing where that is not known.
    [[nodiscard]] std::optional<double> most_visits_needed(const Size& size) const {
        std::optional<double> most;
        for (const auto& measurements : size.visits)
            most = std::max(most, visits_needed(measurements, timing_)); // what is not known is less than all else
        return most;
    }

    const TimingPlan& timing_;
    Probe& probe_;
    Clock& clock_;
    const RowSink& row_sink_;
    const ProgressSink& progress_sink_;
    TimeLeft time_left_;
    std::uint64_t began_ns_;
    std::vector<Size> sizes_;
};

} // namespace

void run_sweep(const Sweep& sweep, Probe& probe, Clock& clock, const RowSink& row_sink,
               const ProgressSink& progress_sink) {
    require(sweep.timing.visits > 0, "a sweep visits each size");
    VisitedSizes sizes(sweep, probe, clock, row_sink, progress_sink);
    visit_in_rounds(sizes);
}

} // namespace memtest

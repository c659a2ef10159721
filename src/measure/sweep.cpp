#include "memtest/measure/sweep.hpp"

#include "memtest/base/error.hpp"
#include "memtest/measure/time_left.hpp"
#include "memtest/measure/visits.hpp"

#include <algorithm>
#include <utility>

namespace memtest {
namespace {

/// A sweep under way.
class Rounds {
public:
    Rounds(const Sweep& sweep, Clock& clock, const RowSink& row_sink)
        : timing_(sweep.timing), clock_(clock), row_sink_(row_sink), time_left_(sweep.sizes, sweep.timing),
          began_ns_(clock.now_ns()) {
        for (const std::size_t bytes : sweep.sizes)
            sizes_.push_back({.bytes = bytes, .left = sweep.timing});
    }

    void run(Probe& probe, const ProgressSink& progress_sink) {
        for (unsigned round = 0; done_ < sizes_.size(); ++round) {
            for (std::size_t place = 0; place < sizes_.size(); ++place) {
                if (sizes_[place].is_done)
                    continue;
                progress_sink(
                    {.settled = done_, .sizes = sizes_.size(), .round = round, .seconds_left = time_left_.seconds()});
                if (!visit(place, round, probe))
                    return give_rows(sizes_.size());
                if (sizes_[place].is_done)
                    give_rows_known();
            }
        }
    }

private:
    struct Size {
        std::size_t bytes;
        TimingPlan left;                                ///< of the accesses, batches and visits
        std::vector<std::vector<Measurement>> visits{}; ///< by thread, then by round
        bool is_done = false;
    };

    /// @return whether it was not interrupted
    bool visit(std::size_t place, unsigned round, Probe& probe) {
        Size& size = sizes_[place];
        const std::uint64_t start_ns = clock_.now_ns();
        std::vector<Measurement> measured;
        try {
            measured = probe.visit({.bytes = size.bytes, .round = round, .left = size.left});
        } catch (...) {
            give_rows(sizes_.size());
            throw;
        }
        if (measured.empty())
            return false;
        take(size, std::move(measured));
        time_left_.note_visit(place, static_cast<double>(clock_.now_ns() - start_ns) * 1e-9, size.is_done);
        done_ += size.is_done ? 1 : 0;
        return true;
    }

    void take(Size& size, std::vector<Measurement> measured) const {
        std::uint64_t accesses = 0;
        std::size_t batches = 0;
        size.visits.resize(measured.size());
        for (std::size_t thread = 0; thread < measured.size(); ++thread) {
            accesses = std::max(accesses, measured[thread].timing.accesses);
            batches = std::max(batches, measured[thread].timing.batch_ns.size());
            size.visits[thread].push_back(std::move(measured[thread]));
        }
        size.left.accesses -= std::min(size.left.accesses, accesses);
        size.left.batches -= std::min(size.left.batches, static_cast<unsigned>(batches));
        --size.left.visits;
        size.is_done = size.left.visits == 0 || size.left.accesses == 0 || is_settled_on_all_threads(size);
    }

    [[nodiscard]] bool is_settled_on_all_threads(const Size& size) const {
        return std::ranges::all_of(size.visits,
                                   [this](const auto& measurements) { return visits_agree(measurements, timing_); });
    }

    /// Gives the rows of the sizes up to the first that is not done.
    void give_rows_known() {
        std::size_t end = given_;
        while (end < sizes_.size() && sizes_[end].is_done)
            ++end;
        give_rows(end);
    }

    /// Gives the rows of the visited sizes up to this place.
    void give_rows(std::size_t end) {
        for (; given_ < end; ++given_) {
            Size& size = sizes_[given_];
            for (std::size_t thread = 0; thread < size.visits.size(); ++thread)
                row_sink_(join_visits(static_cast<int>(thread), size.bytes, size.visits[thread], timing_, began_ns_));
            size.visits.clear();
        }
    }

    const TimingPlan& timing_;
    Clock& clock_;
    const RowSink& row_sink_;
    TimeLeft time_left_;
    std::uint64_t began_ns_;
    std::vector<Size> sizes_;
    std::size_t done_ = 0;  // sizes that need no further visit
    std::size_t given_ = 0; // sizes whose rows were given
};

} // namespace

void run_sweep(const Sweep& sweep, Probe& probe, Clock& clock, const RowSink& row_sink,
               const ProgressSink& progress_sink) {
    require(sweep.timing.visits > 0, "a sweep visits each size");
    Rounds(sweep, clock, row_sink).run(probe, progress_sink);
}

} // namespace memtest

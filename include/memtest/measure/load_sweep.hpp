#pragma once

#include "memtest/measure/load_batch.hpp"
#include "memtest/measure/load_generator.hpp"
#include "memtest/measure/team.hpp"
#include "memtest/measure/timing.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memtest {

/// Walks a chain on one processor while others load: the border to the real machine.
class LoadProbe {
public:
    virtual ~LoadProbe() = default;

    /// The batches of one visit; empty when interrupted.
    /// @param pause of the load threads, or endless: they spin; none: they sleep
    /// @param round from 0: each has an order of its own
    [[nodiscard]] virtual std::vector<LoadBatch> visit(std::optional<std::size_t> pause, unsigned round) = 0;
};

/// The bandwidths of so many rows under load, as WantedLoads. @param idle_ns the latency without load, if it is known
using WantLoads = std::function<std::vector<double>(std::size_t rows, std::span<const LoadPair> known,
                                                    std::optional<double> idle_ns)>;

/// A sweep under load, as plain data.
struct LoadSweep {
    std::size_t steps = 12; ///< rows under load, besides the idle ones
    LoadPattern pattern{};
    TimingPlan timing{};                ///< visits, estimate and precision of each row
    std::vector<int> load_processors{}; ///< those of the load threads, for messages
    WantLoads want{};                   ///< chooses the loads
};

/// The number of rows: those under load, two idle rows before them and one after them.
[[nodiscard]] constexpr std::size_t rows_of(const LoadSweep& sweep) {
    return sweep.steps + 3;
}

using LoadRowSink = std::function<void(const LoadRow&)>;

/// Measures idle, with the load threads asleep and with them awake in turn, then under load with pauses that make
/// the wanted loads, in rounds until the visits to each agree or the time is up, and then idle again, asleep, so that
/// drift shows. Rows come in this order, those under load by bandwidth, once all are known. When the probe is
/// interrupted or throws, what was visited still comes as rows. Rows without load are empty if no batch counts.
/// @throws MachineBusy if none without a pause counts
void run_load_sweep(const LoadSweep& sweep, LoadProbe& probe, const LoadRowSink& row_sink,
                    const PhraseSink& phrase_sink, const TimeIsUp& time_is_up = nullptr);

/// The probe on the real machine: the first member of a team walks a chain, the others load.
class LoadTeam : public LoadProbe {
public:
    /// @param plan with the walker's processor first, then one for each load thread. Each member has an area; the
    /// walker's chain fills its own. @throws Error like Team
    LoadTeam(const TeamPlan& plan, const LoadPattern& pattern, const SystemFiles& files,
             const std::atomic<bool>& interrupted);

    void set_write_percent(unsigned percent) { team_.set_write_percent(percent); }

    [[nodiscard]] std::vector<LoadBatch> visit(std::optional<std::size_t> pause, unsigned round) override;

    [[nodiscard]] const std::vector<ThreadFacts>& facts() const noexcept { return team_.facts(); }

private:
    std::size_t chain_bytes_;
    std::vector<LoadBatch> batches_; // of the last visit; before the team, whose walker writes it
    LoadingTeam team_;
};

} // namespace memtest

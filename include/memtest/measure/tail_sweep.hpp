#pragma once

#include "memtest/measure/load_batch.hpp"
#include "memtest/measure/load_generator.hpp"
#include "memtest/measure/rounds.hpp"
#include "memtest/measure/team.hpp"
#include "memtest/measure/timing.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace memtest {

/// Number of samples by their length in ticks.
using TickCounts = std::map<std::uint64_t, std::uint64_t>;

/// Single accesses of one size under one load, or groups of accesses.
struct TailSamples {
    std::size_t group = 0;            ///< dependent accesses in a sample
    std::size_t made = 0;             ///< samples, including those set aside
    std::size_t set_aside = 0;        ///< the thread or a load thread was off its processor
    std::uint64_t ticks = 0;          ///< that all samples took
    std::uint64_t stopped_ticks = 0;  ///< of these, what stopped samples took beyond the median of their stretch
    std::uint64_t longest_stop = 0;   ///< the most that one took beyond it, in ticks
    TickCounts counts{};              ///< of the others, less the cost of the clock readings
    std::vector<double> cost_ticks{}; ///< of two readings, by visit
    std::vector<LoadBatch> batches{}; ///< of all stretches
};

inline constexpr std::size_t largest_group = 4096;

/// What one visit is to sample.
struct TailVisit {
    std::size_t bytes = 0;
    unsigned round = 0;                              ///< from 0: each has its own orders and places
    std::optional<std::size_t> pause = std::nullopt; ///< of the load threads; none: they sleep
    std::size_t samples = 0;                         ///< that it takes
    std::optional<std::size_t> group = std::nullopt; ///< none: one access, or as many as the resolution requires
};

/// Times accesses on one processor while others load or rest: the border to the real machine.
class TailProbe {
public:
    virtual ~TailProbe() = default;

    /// std::nullopt if interrupted. Within a round sizes only grow.
    [[nodiscard]] virtual std::optional<TailSamples> visit(const TailVisit& visit) = 0;
};

/// What to sample, as plain data.
struct TailSweep {
    std::vector<std::size_t> sizes;                  ///< ascending; the last is memory
    std::vector<double> load_percents{};             ///< ascending, besides the idle row of each size
    std::size_t samples = 0;                         ///< for each row, shared among its visits
    unsigned visits = 16;                            ///< at most: each takes at least 32 samples, if there are as many
    std::optional<std::size_t> group = std::nullopt; ///< as in TailVisit
    LoadPattern pattern{};
    std::vector<int> load_processors{}; ///< those of the load threads, for messages
};

/// One row of the result, over all its visits.
struct TailRow {
    std::size_t size_bytes = 0;
    double load_percent = 0;                               ///< that was requested, of the peak bandwidth
    std::optional<double> achieved_percent = std::nullopt; ///< the median of the stretches that count
    TailSamples samples{};
    std::vector<std::uint64_t> visit_p50_ticks{}; ///< of the visits that have a median
};

[[nodiscard]] inline std::size_t rows_of(const TailSweep& sweep) {
    return sweep.sizes.size() * (1 + sweep.load_percents.size());
}

using TailRowSink = std::function<void(const TailRow&)>;

/// Finds the pauses of the load threads, if any, and samples each size without load and under each, in rounds,
/// fewer once the time is up. A row under load of which no sample counts is given up before its last visit. When the
/// probe is interrupted or throws, every row that was visited still comes. @throws MachineBusy where a load thread does
/// not run, or all rows under load are given up; these do not come, but those without load do
void run_tail_sweep(const TailSweep& sweep, TailProbe& probe, const TailRowSink& row_sink,
                    const PhraseSink& phrase_sink, const TimeIsUp& time_is_up = nullptr);

/// What two readings cost: a sample of one hop in L1 less the hop, whose time comes from a larger group.
[[nodiscard]] double reading_cost(double single_ticks, double group_ticks, std::size_t group);

/// Accesses in a group: one, or enough to take ten steps of a counter that is coarser than one access.
[[nodiscard]] std::size_t group_for(double hop_ticks, double resolution_ticks);

/// Samples in the next stretch. Where fewer than 32 would be left over, two stretches share what is left: 16 or more
/// each. @param fitting in time, at least 32
[[nodiscard]] std::size_t samples_in_stretch(std::size_t fitting, std::size_t left);

/// The ticks that this share (above 0, at most 100) of the samples does not exceed, by the nearest rank. std::nullopt
/// if fewer than ten samples lie beyond: they would not repeat.
[[nodiscard]] std::optional<std::uint64_t> percentile(const TickCounts& counts, double percent);

/// Adds a stretch of samples. Those that took 10 us longer than its median were stopped, and are set aside; if the
/// stretch does not count, all are.
/// @param readings one more than samples
void add_stretch(TailSamples& samples, std::span<const std::uint64_t> readings, bool counts, const TickScale& scale);

/// The probe on the real machine: the first member of a team samples its chain, the others load.
class TailTeam : public TailProbe {
public:
    /// @param plan with the sampled processor first, then one for each load thread. Each member has an area.
    /// @throws Error like Team
    TailTeam(const TeamPlan& plan, const LoadPattern& pattern, const TickScale& scale, const SystemFiles& files,
             const std::atomic<bool>& interrupted);

    [[nodiscard]] std::optional<TailSamples> visit(const TailVisit& visit) override;

    [[nodiscard]] const std::vector<ThreadFacts>& facts() const noexcept { return team_.facts(); }

private:
    TailVisit visit_;     // before the team, whose walker reads it
    TailSamples samples_; // likewise, and writes it
    LoadingTeam team_;
};

} // namespace memtest

#pragma once

#include "memtest/machine/clock.hpp"
#include "memtest/machine/disturbances.hpp"
#include "memtest/machine/system_files.hpp"
#include "memtest/measure/team.hpp"
#include "memtest/measure/walker.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memtest {

/// Lines transferred in a lap, and the distance between them in bytes: they spread over all slices of the cache, and
/// none is fetched along with another.
inline constexpr std::size_t transferred_lines = 256;
inline constexpr std::size_t transferred_line_pitch = 256;

inline constexpr unsigned laps_in_visit = 16;

/// The processors between which lines are transferred.
struct TransferPlan {
    int reader = 0;
    int owner = 0;
    std::optional<int> node = std::nullopt; ///< of the lines' memory; none: the owner's own
    bool clean = false;                     ///< the owner flushes the lines that it wrote, and reads them
    bool pinned = true;                     ///< false in tests, for machines with one processor
    std::uint64_t seed = 1;                 ///< of the random orders
};

/// The time to read lines that another processor's caches hold: changed or, with a clean plan, unchanged.
struct Transfer {
    std::vector<double> lap_ns; ///< per line, of each lap that counts; empty if the clock was too coarse
    unsigned set_aside = 0;     ///< laps whose owner did not keep its lines
    ThreadFacts owner;
};

/// Links a new chain in each visit, which writes every line, and warms up as its plan says. Leaves the lines alone
/// while they are read.
class LineOwner : public Walker {
public:
    using Walker::Walker;

    [[nodiscard]] std::uint64_t prepare(const VisitPlan& visit) override;
    void stay_warm() override {}
    void measure(const TimingPlan& /*timing*/, Measurement& /*measurement*/) override {}
    void walk_on() override {}
    void finish(Measurement& measurement) override;

private:
    Disturbances before_;
};

/// Walks the owner's chain in the timed part of a visit.
class LineReader : public TeamMember {
public:
    /// @param processor to bind the calling thread to, if any @param owner set before the first visit
    LineReader(std::optional<int> processor, const LineOwner* const& owner, const std::atomic<bool>& interrupted);

    [[nodiscard]] std::optional<int> processor() const override { return processor_; }
    void measure(const TimingPlan& timing, Measurement& measurement) override;

private:
    std::optional<int> processor_;
    const LineOwner* const& owner_;
    const std::atomic<bool>& interrupted_;
    MonotonicClock clock_;
    ClockQuality quality_;
};

/// The lower quartile of the laps, per line, since disturbances lengthen some laps and shorten others. If an interrupt
/// or a hypervisor takes the owner's processor, lines move into a cache that both share: of 64 laps of about 24.5 ns
/// the min was 21 to 22 ns next to other work on the machine, and 13.7 ns next to more of it.
/// @param lap_ns not empty
[[nodiscard]] double transfer_ns(std::vector<double> lap_ns);

/// The laps of a visit, each with the lines in a new order. std::nullopt if interrupted.
/// @param pair its owner first, then its reader
[[nodiscard]] std::optional<Transfer> measure_laps(Probe& pair, unsigned visit);

/// Measures the transfers of one visit: the owner links a chain through its lines, which writes them all, and walks it;
/// the reader walks it for one lap. They synchronise outside of the timed part. Each lap has another random order. The
/// memory is fresh, and the owner touches it first. std::nullopt if interrupted. @throws Error like Walker
[[nodiscard]] std::optional<Transfer> measure_transfer(const TransferPlan& plan, unsigned visit,
                                                       const SystemFiles& files, const std::atomic<bool>& interrupted);

/// Visits a pair. std::nullopt if interrupted. @param pair its index
using TransferProbe = std::function<std::optional<Transfer>(std::size_t pair, unsigned visit)>;

/// The median over visits of transfer_ns, without those that have no laps; std::nullopt if none has.
[[nodiscard]] std::optional<double> transfer_ns_over(std::span<const std::vector<double>> visits);

/// Takes the laps of each visit to a pair, in the order of the pairs.
using TransferSink = std::function<void(std::size_t pair, const std::vector<std::vector<double>>& visits)>;

/// Visits all pairs in rounds, fewer once the time is up. Ends early if interrupted; every visited pair is still passed
/// on.
void measure_transfers(std::size_t pairs, unsigned visits, const TransferProbe& probe, const TransferSink& sink,
                       const PhraseSink& phrase_sink, const TimeIsUp& time_is_up = nullptr);

} // namespace memtest

#pragma once

#include "memtest/chain/chains.hpp"
#include "memtest/machine/arena.hpp"
#include "memtest/machine/clock.hpp"
#include "memtest/machine/counters.hpp"
#include "memtest/machine/system_files.hpp"
#include "memtest/measure/team.hpp"
#include "memtest/measure/timing.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace memtest {

/// Where one thread runs, and where its memory comes from.
struct Seat {
    std::optional<int> processor = std::nullopt; ///< bound to it; none: wherever the system lets it run
    std::optional<int> node = std::nullopt;      ///< none: the one that it runs on
    std::uint64_t number = 0;                    ///< of the thread: each has orders and places of its own
};

/// The seat of the team's thread with this number.
[[nodiscard]] Seat seat_of(const TeamPlan& plan, std::size_t number);

/// Binds the calling thread to the seat's processor, if it has one, and returns the seat. @throws Error like pin_to
const Seat& taken(const Seat& seat);

/// Whether the kernel says that the filled memory is on the node; false without a node.
/// @throws Error when the kernel says otherwise
[[nodiscard]] bool is_verified_on_node(const Arena& arena, std::optional<int> node);

/// One thread's processor, memory, chains, clock and counters. Made and used on that thread alone.
class Walker : public TeamMember {
public:
    /// Binds the calling thread, maps its memory and fills it. @throws Error when the system refuses any of it
    /// @param plan must outlive this object @param interrupted ends long work early
    Walker(const WalkPlan& plan, const Seat& seat, const SystemFiles& files, const std::atomic<bool>& interrupted);

    [[nodiscard]] ThreadFacts facts() override { return facts_; }

    /// Links the chains of this size at the place of this round, proves them and walks the warm-up laps. Within a round
    /// sizes only grow.
    [[nodiscard]] std::uint64_t prepare(const VisitPlan& visit) override;

    /// Walks on while others are not ready, except for a cold start.
    void stay_warm() override;

    /// Times the batches, and reads the counters over them alone.
    void measure(const TimingPlan& timing, Measurement& measurement) override;

    void walk_on() override;

    void finish(Measurement& measurement) override;

    /// Its chains, once it is prepared.
    [[nodiscard]] const std::optional<Chains>& chains() const noexcept { return chains_; }

private:
    [[nodiscard]] bool starts_cold() const { return plan_.warmup_laps == 0U; }
    [[nodiscard]] std::optional<double> core_ghz();
    [[nodiscard]] bool link(const VisitPlan& visit);
    [[nodiscard]] double ns_per_access();
    void prove() const;

    const WalkPlan& plan_;
    Seat seat_;
    const std::atomic<bool>& interrupted_;
    Arena arena_;
    ThreadCounters counters_;
    MonotonicClock clock_;
    ClockQuality quality_;
    ThreadFacts facts_;
    std::size_t page_bytes_; // of the area's largest pages
    std::optional<Chains> chains_;
    unsigned round_ = 0;    // of the chains
    std::size_t place_ = 0; // of the chains
    bool is_ready_ = false; // to walk; not after an interruption
    std::uint64_t shortest_batch_ = 1;
    std::optional<double> ghz_before_;
};

} // namespace memtest

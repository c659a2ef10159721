#pragma once

#include "memtest/chain/chains.hpp"
#include "memtest/machine/arena.hpp"
#include "memtest/machine/clock.hpp"
#include "memtest/machine/counters.hpp"
#include "memtest/machine/mapped_file.hpp"
#include "memtest/machine/system_files.hpp"
#include "memtest/measure/team.hpp"
#include "memtest/measure/timing.hpp"
#include "memtest/measure/warm_up.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace memtest {

/// Where a thread's chains begin in one round, in bytes from the start of its area. Chains grow from size to size, so
/// many sizes share a place. Sizes that a cache may hold share one that moves all over the area from round to round.
/// Larger sizes share another, which moves within the room that the largest leaves.
class Places {
public:
    /// Draws both places uniformly among the pages that leave enough room.
    /// @param area_bytes at least largest_bytes @param largest_bytes of the sizes to be visited
    Places(std::size_t area_bytes, std::size_t largest_bytes, std::size_t page_bytes, std::uint64_t seed);

    [[nodiscard]] std::size_t place_of(std::size_t bytes) const noexcept {
        return is_large(bytes) ? large_place_ : small_place_;
    }

    /// Whether the size shares the second place.
    [[nodiscard]] bool is_large(std::size_t bytes) const noexcept { return bytes > small_bytes_; }

private:
    std::size_t small_bytes_; // the largest size in the first place
    std::size_t small_place_;
    std::size_t large_place_;
};

/// Where one thread runs, and where its memory comes from.
struct Placement {
    std::optional<int> processor = std::nullopt;   ///< bound to it; none: wherever the system lets it run
    std::optional<int> node = std::nullopt;        ///< none: the one that it runs on
    std::uint64_t number = 0;                      ///< of the thread: each has orders and places of its own
    std::optional<MappedFile> file = std::nullopt; ///< whose part its memory is; none: memory of its own
};

/// The placement of the team's thread with this number.
[[nodiscard]] Placement placement_of(const TeamPlan& plan, std::size_t number);

/// Binds the calling thread to the placement's processor, if it has one, and returns the placement. @throws Error like
/// pin_to
const Placement& bound_to(const Placement& placement);

/// The memory of a placement. @throws Error like Arena
[[nodiscard]] Arena area_of(const Placement& placement, std::size_t bytes, PageKind pages, const SystemFiles& files,
                            const std::atomic<bool>& interrupted = never_interrupted);

/// Whether the kernel says that the filled memory is on the node; false without a node.
/// @throws Error when the kernel says otherwise
[[nodiscard]] bool is_verified_on_node(const Arena& arena, std::optional<int> node);

/// One thread's processor, memory, chains, clock and counters. Made and used on that thread alone.
class Walker : public TeamMember {
public:
    /// Binds the calling thread, maps its memory and fills it. @throws Error when the system refuses any of it
    /// @param plan must outlive this object @param interrupted ends long work early
    Walker(const WalkPlan& plan, const Placement& placement, const SystemFiles& files,
           const std::atomic<bool>& interrupted);

    [[nodiscard]] ThreadFacts facts() override { return facts_; }

    /// Links the chains of this size at the place of this round, proves them and warms up. Within a round sizes only
    /// grow.
    [[nodiscard]] std::uint64_t prepare(const VisitPlan& visit) override;

    /// Walks on while others are not ready, except for a cold start.
    void stay_warm() override;

    /// Times the batches, and reads the counters over them alone. All batches do the same work. In the random order any
    /// part of a lap is like any other. In a stride order a batch is a lap or more or, where laps are long, made up
    /// of parts at random places of the lap.
    void measure(const TimingPlan& timing, Measurement& measurement) override;

    void walk_on() override;

    void finish(Measurement& measurement) override;

    /// Those of its last visit, ready to be walked; null before the first and after an interruption.
    [[nodiscard]] Chains* chains() const noexcept { return is_ready_ ? chains_ : nullptr; }

protected:
    void forget_what_fits() noexcept { fit_.forget(); }

private:
    [[nodiscard]] bool starts_cold() const { return plan_.warmup_laps == 0U; }
    [[nodiscard]] std::optional<double> core_ghz() { return measure_core_clock_ghz(clock_, quality_); }
    [[nodiscard]] bool link(const VisitPlan& visit);
    [[nodiscard]] bool link_grown(const VisitPlan& visit, std::size_t place);
    [[nodiscard]] bool link_kept(std::size_t bytes);
    [[nodiscard]] Places places_in(unsigned round) const;
    void warm_up(std::size_t bytes);
    void choose_batches(const TimingPlan& left);
    [[nodiscard]] std::size_t part_accesses() const;
    std::size_t walk_timed(std::size_t accesses);
    [[nodiscard]] double ns_per_access();
    void prove() const;

    const WalkPlan& plan_;
    Placement placement_;
    const std::atomic<bool>& interrupted_;
    Arena arena_;
    ThreadCounters counters_;
    MonotonicClock clock_;
    ClockQuality quality_;
    ThreadFacts facts_;
    std::size_t page_bytes_; // of the area's largest pages
    CacheFit fit_;
    Start start_ = Start::linked; // of the visit
    std::optional<Chains> grown_; // from size to size, anew in each round and at each place
    std::size_t grown_place_ = 0;
    std::map<std::size_t, Chains> kept_; // those linked once, by size
    Chains* chains_ = nullptr;           // of the visit
    bool is_new_ = false;                // linked in this visit, in part at least
    std::size_t place_ = 0;              // of the visit's chains
    unsigned round_ = 0;
    bool is_ready_ = false; // to walk; not after an interruption
    std::uint64_t shortest_batch_ = 1;
    bool walks_parts_ = false; // of the lap, at random places
    SplitMix64 random_places_;
    std::optional<double> ghz_before_;
};

} // namespace memtest

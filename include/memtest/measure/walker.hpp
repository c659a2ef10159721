#pragma once

#include "memtest/chain/chains.hpp"
#include "memtest/machine/arena.hpp"
#include "memtest/machine/clock.hpp"
#include "memtest/machine/counters.hpp"
#include "memtest/machine/system_files.hpp"
#include "memtest/measure/team_member.hpp"
#include "memtest/measure/timing.hpp"
#include "memtest/measure/walk_plan.hpp"
#include "memtest/measure/warm_up.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace memtest {

/// Binds the calling thread to the placement's processor, if it has one, and returns the placement. @throws Error like
/// pin_to
const Placement& bound_to(const Placement& placement);

/// The memory of a placement. @throws Error like Arena
[[nodiscard]] Arena area_of(const Placement& placement, std::size_t bytes, PageKind pages, const SystemFiles& files,
                            const std::atomic<bool>& interrupted = never_interrupted);

/// Whether the kernel confirms that the filled memory is on the node; false without a node.
/// @throws Error if the kernel says otherwise
[[nodiscard]] bool is_verified_on_node(const Arena& arena, std::optional<int> node);

/// One thread's processor, memory, chains, clock and counters. Made and used on that thread only.
class Walker : public TeamMember {
public:
    /// Binds the calling thread, maps its memory and fills it. @throws Error if the system refuses any of it
    /// @param plan must outlive this object @param interrupted ends long work early
    Walker(const WalkPlan& plan, const Placement& placement, const SystemFiles& files,
           const std::atomic<bool>& interrupted);

    [[nodiscard]] ThreadFacts facts() override { return facts_; }
    [[nodiscard]] std::optional<int> processor() const override { return placement_.processor; }

    /// Links the chains of this size at the place of this round, proves them and warms up. Within a round sizes only
    /// grow.
    [[nodiscard]] std::uint64_t prepare(const VisitPlan& visit) override;

    /// Walks on while others are not ready, except for a cold start.
    void stay_warm() override;

    /// Times the batches, and reads the counters only over these.
    void measure(const TimingPlan& timing, Measurement& measurement) override;

    void walk_on() override;

    void finish(Measurement& measurement) override;

    /// The chains of its last visit, ready to be walked; null before the first, and after an interruption or failure.
    [[nodiscard]] Chains* chains() const noexcept { return chains_; }

protected:
    void forget_what_fits() noexcept { fit_.forget(); }

private:
    [[nodiscard]] std::optional<double> core_ghz() { return measure_core_clock_ghz(clock_, quality_); }
    [[nodiscard]] Chains* link(const VisitPlan& visit);
    void warm_up(std::size_t bytes);
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
    std::optional<Chains> grown_;
    std::optional<LinkedChains::Grown> grown_to_;
    std::map<std::size_t, Chains> kept_; // by size
    unsigned round_ = 0;
    LinkPlan links_; // of the visit, like the next two
    BatchPlan batches_;
    Chains* chains_ = nullptr; // once they can be walked
    SplitMix64 random_places_;
    std::optional<double> ghz_before_;
};

} // namespace memtest

#pragma once

#include "memtest/machine/pages.hpp"
#include "memtest/measure/sweep.hpp"
#include "memtest/measure/timing.hpp"

#include <cstdint>
#include <optional>

namespace memtest {

/// Facts that a thread found when it started.
struct ThreadFacts {
    GrantedPages pages{};
    bool node_verified = false; ///< the kernel confirms that the memory is on the requested node
    std::optional<double> core_ghz = std::nullopt;
};

/// One thread's part in the visits of a team: made, called and destroyed on that thread only, in the order of these
/// functions. All may throw. A member overrides those in which it has work.
class TeamMember {
public:
    virtual ~TeamMember() = default;

    [[nodiscard]] virtual ThreadFacts facts() { return {}; }

    /// The processor that its thread is bound to, if any.
    [[nodiscard]] virtual std::optional<int> processor() const { return std::nullopt; }

    /// Prepares the timed part. @return the min accesses of a batch that is long enough for the clock
    [[nodiscard]] virtual std::uint64_t prepare(const VisitPlan& /*visit*/) { return 1; }

    /// Called again and again until all members are prepared.
    virtual void stay_warm() {}

    /// The timed part. @param timing of this visit only, the same for all members
    virtual void measure(const TimingPlan& /*timing*/, Measurement& /*measurement*/) {}

    /// Called again and again until all members have measured.
    virtual void walk_on() {}

    virtual void finish(Measurement& /*measurement*/) {}
};

} // namespace memtest

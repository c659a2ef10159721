#pragma once

#include "memtest/measure/loading.hpp"
#include "memtest/measure/tail_sweep.hpp"
#include "memtest/measure/team.hpp"

#include <atomic>
#include <optional>
#include <vector>

namespace memtest {

/// The probe on the real machine: the first member of a team samples its chain, the others load.
class TailTeam : public TailProbe {
public:
    /// @param plan with the processor that is sampled first, then one for each loader. Each member has an area.
    /// @throws Error like Team
    TailTeam(const TeamPlan& plan, const LoadPattern& pattern, const TickScale& scale, const SystemFiles& files,
             const std::atomic<bool>& interrupted);

    [[nodiscard]] std::optional<TailSamples> visit(const TailVisit& visit) override;

    [[nodiscard]] const std::vector<ThreadFacts>& facts() const noexcept { return team_.facts(); }

private:
    LoadBoard board_; // ahead of the team, whose members use it and what follows
    TailVisit visit_;
    TailSamples samples_;
    Team team_;
};

} // namespace memtest

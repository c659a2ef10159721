#pragma once

#include "memtest/measure/load_sweep.hpp"
#include "memtest/measure/loading.hpp"
#include "memtest/measure/team.hpp"

#include <atomic>
#include <cstddef>
#include <optional>
#include <vector>

namespace memtest {

/// The probe on the real machine: the first member of a team walks a chain, the others load.
class LoadTeam : public LoadProbe {
public:
    /// @param plan with the walker's processor first, then one for each loader. Each member has an area; the walker's
    /// chain fills its own. @throws Error like Team
    LoadTeam(const TeamPlan& plan, const LoadPattern& pattern, const SystemFiles& files,
             const std::atomic<bool>& interrupted);

    /// What the loaders change of their lines from the next visit on.
    void set_write_percent(unsigned percent) { board_.pattern.write_percent = percent; }

    [[nodiscard]] std::vector<LoadBatch> visit(std::optional<std::size_t> pause, unsigned round) override;

    [[nodiscard]] const std::vector<ThreadFacts>& facts() const noexcept { return team_.facts(); }

private:
    std::size_t chain_bytes_;
    LoadBoard board_;                // ahead of the team, whose members use it and what follows
    std::vector<LoadBatch> batches_; // of the last visit
    Team team_;
};

} // namespace memtest

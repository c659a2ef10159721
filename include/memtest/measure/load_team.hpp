#pragma once

#include "memtest/measure/load_sweep.hpp"
#include "memtest/measure/loader.hpp"
#include "memtest/measure/team.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memtest {

/// A loader's number of lines so far, on a line of its own: others read it while the loader writes it.
struct alignas(256) PublishedLines {
    std::atomic<std::uint64_t> lines{0};
};

/// What the members of a team share.
struct LoadBoard {
    explicit LoadBoard(std::size_t loaders) : published(loaders) {}

    std::optional<std::size_t> pause; ///< set between visits; none: the loaders rest
    std::vector<LoadBatch> batches;   ///< of the last visit, by the walker
    std::vector<PublishedLines> published;
};

/// The probe on the real machine: the first member of a team walks a chain, the others load.
class LoadTeam : public LoadProbe {
public:
    /// @param plan with the walker's processor first, then one for each loader. Each member has an area; the walker's
    /// chain fills its own. @throws Error like Team
    LoadTeam(const TeamPlan& plan, const LoadPattern& pattern, const SystemFiles& files,
             const std::atomic<bool>& interrupted);

    [[nodiscard]] std::vector<LoadBatch> visit(std::optional<std::size_t> pause, unsigned round) override;

    [[nodiscard]] const std::vector<ThreadFacts>& facts() const noexcept { return team_.facts(); }

private:
    std::size_t chain_bytes_;
    LoadBoard board_; // ahead of the team, whose members use it
    Team team_;
};

} // namespace memtest

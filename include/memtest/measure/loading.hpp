#pragma once

#include "memtest/machine/clock.hpp"
#include "memtest/measure/loader.hpp"
#include "memtest/measure/team.hpp"
#include "memtest/measure/walker.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace memtest {

/// A loader's number of lines so far, on a line of its own: others read it while the loader writes it.
struct alignas(256) PublishedLines {
    std::atomic<std::uint64_t> lines{0};
};

/// What the loaders of a team share with the member that measures.
struct LoadBoard {
    LoadBoard(std::size_t loaders, const LoadPattern& given) : pattern(given), published(loaders) {}

    // set between visits
    LoadPattern pattern;
    std::optional<std::size_t> pause; ///< endless: the loaders spin; none: they sleep
    std::vector<PublishedLines> published;
};

/// How far all loaders had come at one moment.
struct LoadLook {
    std::uint64_t at_ns = 0;
    std::vector<std::uint64_t> lines;
};

[[nodiscard]] LoadLook look_at(const LoadBoard& board, Clock& clock);

/// The lines per ns of each loader between two looks.
[[nodiscard]] std::vector<double> rates_between(const LoadLook& before, const LoadLook& after);

/// Makes the members of a team: the first measures, and the others load for as long as it prepares and measures.
/// @param plan with the processor of the first, then one for each loader; each loader has an area
/// @param board outlives the team
[[nodiscard]] MakeMember beside_loaders(const TeamPlan& plan, const SystemFiles& files,
                                        const std::atomic<bool>& interrupted, LoadBoard& board,
                                        std::function<std::unique_ptr<TeamMember>(const Seat&)> make_first);

} // namespace memtest

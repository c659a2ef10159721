#pragma once

#include "memtest/cli/options.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/measure/team.hpp"

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace memtest {

// What `memtest loaded` and `memtest tail` share: a measured processor, and load threads on others.

struct LoadOptions : Options {
    std::optional<std::vector<int>> load_cpus = std::nullopt; ///< none: one per other physical core
    std::vector<unsigned> write_percents{0};                  ///< a curve for each
};

/// The shared option of this name. @pre there is one
[[nodiscard]] Option<LoadOptions> load_option(std::string_view name);

/// The measured processor, those of the load threads, and the memory of each.
struct LoadedTeam {
    TeamPlan team; ///< the measured processor first
    LargestSize largest{};
    std::optional<Notice> warning = std::nullopt; ///< set if too little memory is requested

    [[nodiscard]] std::vector<int> load_processors() const {
        return {team.processors.begin() + 1, team.processors.end()};
    }
};

/// Chooses the chain of a team from that of its options.
using ChainChoice = std::function<ChainShape(const TeamPlan& team, const Machine& machine)>;

/// @param command for messages @param loads whether there are load threads
/// @param choose is called once nothing is refused any more; none: the chain of the options
/// @throws Error (usage) for what this machine cannot measure
[[nodiscard]] LoadedTeam plan_loaded_team(std::string_view command, bool loads, const LoadOptions& asked,
                                          const Machine& machine, const ChainChoice& choose = nullptr);

/// Its processors, memory and chain. @param facts what its threads found
[[nodiscard]] RunDescription describe_loaded(const LoadedTeam& plan, const Machine& machine,
                                             const std::vector<ThreadFacts>& facts);

} // namespace memtest

#pragma once

#include "memtest/base/error.hpp"
#include "memtest/cli/probe/options.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/measure/run_plan.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

// What a run may have of the machine, whatever it measures.

/// The ids of nodes or processors.
template<class Thing>
[[nodiscard]] std::vector<int> ids_of(const std::vector<Thing>& things) {
    std::vector<int> ids;
    for (const Thing& thing : things)
        ids.push_back(thing.id);
    return ids;
}

/// @param command that needs threads bound to processors @throws Error (usage) where the system refuses that
void check_pinning(std::string_view command, const Machine& machine);

/// @param option that named the processors @throws Error (usage) where one may not be used
void check_processors(std::string_view option, const std::vector<int>& processors, const Machine& machine);

/// The threads that the options ask for, on their processors, with memory of a kind but not yet of a size.
/// @throws Error (usage) for a clock too coarse to time memory with, and for what this machine does not have
[[nodiscard]] TeamPlan team_for(const ProbeOptions& options, const Machine& machine);

/// Memory that threads share.
struct MemoryPool {
    std::uint64_t available_bytes;
    unsigned threads;
    std::string place; ///< "here", "on node 1"

    /// Without a reserve for the program itself and the rest of the system.
    [[nodiscard]] std::uint64_t usable_bytes() const;

    /// The share of each thread, in whole pages.
    [[nodiscard]] std::uint64_t share_bytes(std::uint64_t page) const { return usable_bytes() / threads / page * page; }
};

/// The pool with the smallest share; nothing where the system does not say how much memory it has.
[[nodiscard]] std::optional<MemoryPool> tightest_pool(const TeamPlan& team, const Machine& machine, std::uint64_t page);

/// How much memory each thread shall have.
struct MemoryWish {
    std::string_view option;                         ///< that asks for it
    std::optional<std::size_t> asked = std::nullopt; ///< in bytes, by this option
    std::size_t usual = 0;                           ///< unless asked for
    std::size_t least = 0;                           ///< that makes sense
    std::string least_name;                          ///< for messages: "the smallest size, 4 MiB,"
    std::string remedy;                              ///< where there is less
};

/// What each thread gets.
struct MemoryShare {
    std::size_t bytes = 0;
    std::optional<LoweredSize> lowered = std::nullopt; ///< where the usual does not fit
};

/// As much as asked for; else the usual, or what fits. @throws Error (usage) where that does not fit, nor the least
[[nodiscard]] MemoryShare share_of_memory(const MemoryWish& wish, const TeamPlan& team, const Machine& machine,
                                          const SystemFiles& files);

} // namespace memtest

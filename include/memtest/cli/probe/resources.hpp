#pragma once

#include "memtest/base/error.hpp"
#include "memtest/cli/probe/options.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/measure/team.hpp"

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

/// @throws Error (usage) where the clock is too coarse to time memory with
void check_clock(const ClockQuality& clock);

/// @param command that needs threads bound to processors @throws Error (usage) where the system refuses that
void check_pinning(std::string_view command, const Machine& machine);

/// @param option that named the processors @throws Error (usage) where one may not be used
void check_processors(std::string_view option, const std::vector<int>& processors, const Machine& machine);

/// The node of each thread's memory; empty where none was given. @throws Error (usage) for one without memory
[[nodiscard]] std::vector<int> nodes_for(const ProbeOptions& options, const Machine& machine);

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

/// The error (usage) for more memory than the pool has. @param what needs it @param bytes for each thread
[[nodiscard]] Error too_much_memory(std::string_view what, std::uint64_t bytes, std::uint64_t page,
                                    const MemoryPool& pool, std::string_view remedy);

} // namespace memtest

#pragma once

#include "memtest/cli/options.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/measure/team.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

// What a run may use of the machine. Every refusal is a usage error.

/// The ids of nodes or processors.
template<class Thing>
[[nodiscard]] std::vector<int> ids_of(const std::vector<Thing>& things) {
    std::vector<int> ids;
    for (const Thing& thing : things)
        ids.push_back(thing.id);
    return ids;
}

/// So many of these things, spread evenly; all if there are no more.
template<class Thing>
[[nodiscard]] std::vector<Thing> spread(const std::vector<Thing>& all, std::size_t most) {
    const std::size_t count = std::min(most, all.size());
    std::vector<Thing> some;
    for (std::size_t i = 0; i < count; ++i)
        some.push_back(all[i * all.size() / count]);
    return some;
}

/// @param command that requires threads pinned to processors @throws Error (usage) if the system refuses that
void check_pinning(std::string_view command, const Machine& machine);

/// @param option that names the processors @throws Error (usage) if one of them is not available
void check_processors(std::string_view option, const std::vector<int>& processors, const Machine& machine);

/// The processors that a command may choose from: of the kind that --cpu names, else all. @throws Error (usage) if no
/// kind of cores here has the name
[[nodiscard]] std::vector<Processor> processors_to_choose(const Options& options, const Machine& machine);

/// The threads that the options ask for, on their processors, with memory of a kind but not yet of a size.
/// @throws Error (usage) for a clock too coarse to time memory with, for what this machine does not have, and like
/// read_mapped_file
[[nodiscard]] TeamPlan team_for(const Options& options, const Machine& machine);

/// The team's random chain, as the prefetchers of its first processor do not foresee it: a quick check on memory of its
/// own.
[[nodiscard]] ChainShape unforeseen_chain(TeamPlan team, const Machine& machine);

/// How much memory each thread should get.
struct MemoryWish {
    std::string_view option;                                              ///< that sets it
    std::optional<std::size_t> asked = std::nullopt;                      ///< in bytes, with this option
    std::size_t usual = 0;                                                ///< if the option is not given
    std::size_t least = 0;                                                ///< that can be measured
    std::string least_name{};                                             ///< for messages: "the smallest size, 4 MiB,"
    std::string remedy = "free some, or raise the limit (control group)"; ///< if there is less
};

/// What each thread gets: as much as the option sets; else the usual, or what fits into free memory or the team's file.
/// @throws Error (usage) if that does not fit, or not even the least does
[[nodiscard]] LargestSize share_of_memory(const MemoryWish& wish, const TeamPlan& team, const Machine& machine);

/// The largest size of a sweep: as requested with this option, or the usual, or what fits. @throws Error (usage)
[[nodiscard]] LargestSize share_for_sweep(const Options& options, const TeamPlan& team, const Machine& machine,
                                          std::size_t usual_bytes = default_max_bytes,
                                          std::string_view size_option = "max-size");

/// Fits the options to the machine: chooses processors, lowers the default largest size to what fits, lays out the
/// sizes. Refuses what this machine cannot measure. @throws Error (usage), which names the option for the largest size
[[nodiscard]] RunPlan plan_run(const Options& options, const Machine& machine,
                               std::string_view size_option = "max-size");

/// The ordinary random sweep that shows the levels beside a strided one: on the same threads, to four times the last
/// cache but no further than the strided one. In huge pages if the user left the pages to the system, so that its
/// levels are caches. @param for_levels if not, one size per doubling from 64 KiB on, which is enough to see what a
/// prefetcher follows @throws Error (usage) like plan_run
[[nodiscard]] RunPlan plan_random_beside(Options strided, std::size_t largest_bytes, const Machine& machine,
                                         bool for_levels = true);

/// The time of a sweep with a precision, which measures less on a busy machine; std::nullopt without one.
[[nodiscard]] std::optional<double> sweep_seconds(const RunPlan& plan);

} // namespace memtest

#pragma once

#include "memtest/chain/chains.hpp"
#include "memtest/cli/options.hpp"
#include "memtest/insight/core_groups.hpp"
#include "memtest/kinds/cores.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/measure/core_to_core.hpp"
#include "memtest/measure/team.hpp"

#include <optional>
#include <span>
#include <vector>

namespace memtest {

struct CoresOptions : Options {
    bool both = false;  ///< both directions of each pair
    bool smt = false;   ///< all hardware threads instead of one per core
    bool all = false;   ///< all pairs, however long they take
    bool clean = false; ///< lines that their owner has only read
};

/// The options on its command line. @throws Error (usage)
[[nodiscard]] CoresOptions options_of_cores(const CommandLine& line);

/// @param can_flush whether the processor can flush lines from its caches, which clean lines require
[[nodiscard]] TeamPlan plan_cores(const CoresOptions& options, const Machine& machine,
                                  bool can_flush = can_flush_lines());

/// The pairs in the order of the rows.
[[nodiscard]] std::vector<TransferPlan> pairs_of(const TeamPlan& team, const CoresOptions& options);

/// The pairs to measure.
struct PairChoice {
    std::vector<TransferPlan> pairs;
    std::optional<Notice> left_out = std::nullopt; ///< names the others
};

/// All pairs or, if they take more than a minute, the first within each group of processors and the first between any
/// two groups, in both directions if requested. A group shares a last-level cache or, if no two cores do, a package.
/// Each group also has a pair of siblings of one core, if there is one among the pairs.
[[nodiscard]] PairChoice choose_pairs(std::vector<TransferPlan> pairs, const CoresOptions& options,
                                      const Machine& machine, double seconds_per_pair);

/// Adds the visits to a pair, whose halves are two moments. @param visits each with its laps in ns
/// @pre the report has two moments @return the latency of each visit that has one
[[nodiscard]] PairMoments add_pair(CoresReport& told, const TransferPlan& pair, Relation near,
                                   std::span<const std::vector<double>> visits);

} // namespace memtest

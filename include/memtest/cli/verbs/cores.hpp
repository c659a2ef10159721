#pragma once

#include "memtest/chain/chains.hpp"
#include "memtest/cli/options.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/measure/core_to_core.hpp"
#include "memtest/measure/run_plan.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memtest {

struct CoresOptions : Options {
    bool both = false;  ///< both directions of each pair
    bool smt = false;   ///< all hardware threads instead of one per core
    bool all = false;   ///< all pairs, however long they take
    bool clean = false; ///< lines that their owner has only read
};

/// What its command line asks for. @throws Error (usage)
[[nodiscard]] CoresOptions options_of_cores(const CommandLine& line);

/// @param can_flush whether the processor can take lines out of its caches, which clean lines need
[[nodiscard]] TeamPlan plan_cores(const CoresOptions& options, const Machine& machine,
                                  bool can_flush = can_flush_lines());

/// The pairs in the order of the rows.
[[nodiscard]] std::vector<TransferPlan> pairs_of(const TeamPlan& team, const CoresOptions& options);

/// Those of the pairs that are measured.
struct PairChoice {
    std::vector<TransferPlan> pairs;
    std::optional<Notice> left_out = std::nullopt; ///< says which are not
};

/// All pairs or, where they take more than a minute, the first within each group of processors and the first between
/// each two groups; where both directions are asked for, in both. A group shares a last-level cache or, where no two
/// cores do, a package. Of siblings of one core each group has a pair, too, if they are among the pairs.
[[nodiscard]] PairChoice choose_pairs(std::vector<TransferPlan> pairs, const CoresOptions& options,
                                      const Machine& machine, double seconds_per_pair);

} // namespace memtest

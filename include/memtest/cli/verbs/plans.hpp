#pragma once

#include "memtest/chain/line_flush.hpp"
#include "memtest/cli/measuring.hpp"
#include "memtest/cli/options.hpp"
#include "memtest/cli/verbs/verbs.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/measure/hand_over.hpp"
#include "memtest/measure/load_sweep.hpp"
#include "memtest/measure/page_probe.hpp"
#include "memtest/measure/row.hpp"
#include "memtest/measure/run_plan.hpp"
#include "memtest/measure/tail_sweep.hpp"
#include "memtest/report/page.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

// What the verbs that measure are asked for, and what they measure on this machine. All of it refuses with usage errors
// what this machine cannot measure. What the probe measures stands in plan.hpp.

[[nodiscard]] Options options_of_tlb(const CommandLine& line);
[[nodiscard]] Options options_of_loaded(const CommandLine& line);
[[nodiscard]] Options options_of_tail(const CommandLine& line);
[[nodiscard]] Options options_of_cores(const CommandLine& line);
[[nodiscard]] Options options_of_nodes(const CommandLine& line);
[[nodiscard]] Options options_of_report(const CommandLine& line);

struct TlbRun {
    TeamPlan team; ///< one processor
    PageProbePlan pages;
};

/// As many pages as make sense, or fit into the memory.
[[nodiscard]] TlbRun plan_tlb(const Options& options, const Machine& machine);

/// What another verb does with a sweep that the probe measures for it.
struct SweepUse {
    std::function<void(const RunDescription&)> check = nullptr; ///< ahead of measuring; throws Error for one to refuse
    /// Changes the rows before they are written, also those of an interrupted sweep.
    std::function<void(std::vector<Row>&, MeasuredResult&)> improve = nullptr;
};

/// Measures a sweep as the probe does, into the file that the options name.
ExitStatus measure_sweep(const Options& options, const CommandLine& line, const SweepUse& use = {});

/// What `memtest compare` asks for to measure sizes again: twice as many visits on the processors of the first try,
/// whose other cores are still kept awake where the baselines' were. @param sizes ascending, not empty
[[nodiscard]] Options options_to_try_again(Options asked, const RunDescription& first, std::vector<std::size_t> sizes);

/// A processor that is measured, those that load, and the memory of each.
struct LoadedTeam {
    TeamPlan team; ///< the measured processor first
    std::optional<LoweredSize> lowered = std::nullopt;
    std::optional<std::string> advice = std::nullopt; ///< where too little memory is asked for

    [[nodiscard]] std::vector<int> loaders() const { return {team.processors.begin() + 1, team.processors.end()}; }
};

/// The option of `memtest loaded` of this name, for a verb that has it, too. @pre there is one
[[nodiscard]] MeasuringOption option_of_loaded(std::string_view name);

/// @param command for messages @param loads whether others load, or only the measured processor takes part
[[nodiscard]] LoadedTeam plan_loaded_team(std::string_view command, bool loads, const Options& asked,
                                          const Machine& machine);

/// Its processors, memory and chain. @param facts of its threads
[[nodiscard]] RunDescription describe_loaded(const LoadedTeam& plan, const Machine& machine,
                                             const std::vector<ThreadFacts>& facts);

struct LoadedRun : LoadedTeam {
    LoadSweep sweep;                      ///< of each curve, but for its share of writes
    std::vector<unsigned> write_percents; ///< a curve for each
};

[[nodiscard]] LoadedRun plan_loaded(const Options& options, const Machine& machine);

struct TailRun : LoadedTeam {
    TailSweep sweep;
};

/// By default half of each cache, and memory.
[[nodiscard]] TailRun plan_tail(const Options& options, const Machine& machine);

/// @param can_flush whether the processor can take lines out of its caches, which clean lines need
[[nodiscard]] TeamPlan plan_cores(const Options& options, const Machine& machine, bool can_flush = can_flush_lines());

/// The pairs in the order of the rows.
[[nodiscard]] std::vector<HandOverPlan> pairs_of(const TeamPlan& team, const Options& options);

/// Those of the pairs that are measured.
struct PairChoice {
    std::vector<HandOverPlan> pairs;
    std::optional<std::string> left_out = std::nullopt; ///< a sentence about the others
};

/// All pairs or, where they take more than a minute, the first within each group of processors and the first between
/// each two groups; where both directions are asked for, in both. A group shares a last-level cache or, where no two
/// cores do, a package. Of siblings of one core each group has a pair, too, if they are among the pairs.
[[nodiscard]] PairChoice choose_pairs(std::vector<HandOverPlan> pairs, const Options& options, const Machine& machine,
                                      double seconds_per_pair);

/// From a processor of one node to the memory of another or the same.
struct NodePair {
    int processors_of = 0;
    int memory_of = 0;
    RunPlan plan; ///< a sweep of one size
};

struct NodesPlan {
    std::vector<NodePair> pairs;                      ///< in the order of the rows
    std::size_t bytes = 0;                            ///< of the memory that is walked
    std::optional<std::string> advice = std::nullopt; ///< where that is too little
    TeamPlan all;                                     ///< the processors and nodes of all pairs, for the description
};

/// The default size is one that no cache holds, or less where that does not fit on every node.
[[nodiscard]] NodesPlan plan_nodes(const Options& options, const Machine& machine);

/// Refuses to measure several nodes where the kernel does not say on which node memory is.
/// @param facts of memory from each node
void check_placement(std::span<const ThreadFacts> facts);

/// A measurement of `memtest report`, by another verb or by the probe.
struct ReportStep {
    std::string name; ///< for its raw results, FILE.NAME.json
    std::string what; ///< for progress and page
    const Verb* verb = nullptr;
    std::vector<std::string> arguments; ///< without the output
    void (*take)(ReportResults& results, Result result) = nullptr;
    std::string lack = {}; ///< why it cannot be measured; empty where it can
};

/// The steps in their order: on one processor, where threads can be bound to it, up to a size well beyond its caches,
/// or what fits.
[[nodiscard]] std::vector<ReportStep> plan_report(const Options& options, const Machine& machine);

/// Measures it into a file and reads that; or says in the results why it is missing.
/// @return false where it failed for another reason than what the machine lacks or others hold
[[nodiscard]] bool take_step(const ReportStep& step, const std::string& path, ReportResults& results);

} // namespace memtest

#pragma once

#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/options.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/result/report_writer.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

struct ReportOptions : Options {
    std::optional<std::string> from = std::nullopt; ///< a report's file, to render instead of measuring
    std::vector<std::string> beside = {};           ///< reports' files, to show along with this one
    std::vector<std::string_view> only = {};        ///< the report_sections() to measure; empty: all
    std::vector<std::string_view> without = {};     ///< those left out
};

/// The options on its command line. @throws Error (usage)
[[nodiscard]] ReportOptions options_of_report(const CommandLine& line);

/// A measurement of `memtest report`, made by another command.
struct ReportStep {
    std::string name; ///< of the part that it measures
    const Command* command = nullptr;
    std::vector<GivenOption> options = {}; ///< without the output and the time
    double seconds = 0;                    ///< that it is given; 0: what the command usually takes
    std::string lacking = {};              ///< why it cannot be measured here; empty if it can
};

/// The steps to measure the chosen parts, in their order, on one processor if threads can be pinned, up to a size well
/// beyond its caches or to what fits. What this machine has no use for is a step only if asked for by name.
/// @throws Error (usage) for a size that is too small or does not fit, and if nothing is left to measure
[[nodiscard]] std::vector<ReportStep> plan_report(const ReportOptions& options, const Machine& machine);

/// What a step measured.
struct StepResult {
    std::optional<Result> result = std::nullopt; ///< none if it is truncated or has no figure
    std::string document = {};                   ///< in JSON
    std::string reason = {};                     ///< why something is missing; empty if nothing is
    bool is_well = true; ///< it did not fail, or for a reason that the machine lacks or others hold something
};

[[nodiscard]] StepResult measure_step(const ReportStep& step);

/// Calls `take` for each step in turn until a signal interrupts the run. On a terminal, unless quiet, it first lists
/// the steps with the time that each takes, if that is known, and shows which is running.
/// @param prefix text before the heading of the list and the step, such as "try 2 of 3, "
/// @return how many steps were taken
std::size_t run_steps(std::span<const ReportStep> steps, const std::function<void(const ReportStep&)>& take, bool quiet,
                      std::string_view prefix = "");

/// Runs the steps, and adds each part to the results and to the file, or why it is missing.
/// @return whether all are well, see StepResult @throws Error if the file cannot be written
[[nodiscard]] bool measure_steps(std::span<const ReportStep> steps, StoredFile& report, ReportWriter& file, bool quiet);

} // namespace memtest

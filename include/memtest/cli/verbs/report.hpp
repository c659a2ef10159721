#pragma once

#include "memtest/cli/options.hpp"
#include "memtest/cli/verbs/verbs.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/report/report_parts.hpp"

#include <optional>
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
    std::vector<std::string> arguments = {}; ///< without the output
    double seconds = 0;                      ///< that it takes about
    std::string lacking = {};                ///< why it cannot be measured here; empty if it can
};

/// The steps to measure the chosen parts, in their order, on one processor if threads can be pinned, up to a size well
/// beyond its caches or to what fits. What this machine has no use for is a step only if asked for by name.
/// @throws Error (usage) for a size that is too small or does not fit, and if nothing is left to measure
[[nodiscard]] std::vector<ReportStep> plan_report(const ReportOptions& options, const Machine& machine);

/// Measures a part, and adds it to the results and to the file; or adds why it is missing.
/// @return false if it failed for a reason other than what the machine lacks or others hold
/// @throws Error if the file cannot be written
[[nodiscard]] bool take_step(const ReportStep& step, ReportResults& results, ReportWriter& file);

/// Takes the steps in turn; after an interruption the others are missing. On a terminal, unless quiet, it first lists
/// them with the time that each takes, and shows which is running.
/// @return false if take_step() does for one of them
[[nodiscard]] bool take_steps(const std::vector<ReportStep>& steps, ReportResults& results, ReportWriter& file,
                              bool quiet);

} // namespace memtest

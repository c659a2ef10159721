#pragma once

#include "memtest/cli/options.hpp"
#include "memtest/cli/verbs/verbs.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/report/page.hpp"

#include <string>
#include <vector>

namespace memtest {

/// The options on its command line. @throws Error (usage)
[[nodiscard]] Options options_of_report(const CommandLine& line);

/// A measurement of `memtest report`, made by another command.
struct ReportStep {
    std::string name; ///< for its raw results, FILE.NAME.json
    std::string what; ///< for progress and page
    const Command* command = nullptr;
    std::vector<std::string> arguments; ///< without the output
    void (*take)(ReportResults& results, Result result) = nullptr;
};

/// The steps in their order, on one processor if threads can be pinned, up to a size well beyond its caches or to what
/// fits.
[[nodiscard]] std::vector<ReportStep> plan_report(const Options& options, const Machine& machine);

/// Measures the step into a file and reads that; or puts into the results why it is missing.
/// @return false if it failed for a reason other than what the machine lacks or others hold
[[nodiscard]] bool take_step(const ReportStep& step, const std::string& path, ReportResults& results);

} // namespace memtest

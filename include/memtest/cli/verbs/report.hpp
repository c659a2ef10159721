#pragma once

#include "memtest/cli/options.hpp"
#include "memtest/cli/verbs/verbs.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/report/page.hpp"

#include <string>
#include <vector>

namespace memtest {

/// A measurement of `memtest report`, by another verb or by the probe.
struct ReportStep {
    std::string name;                   ///< for its raw results, FILE.NAME.json
    std::string what;                   ///< for progress and page
    std::vector<std::string> arguments; ///< without the output
    const Verb* verb = nullptr;
    void (*read)(ReportResults& results, const std::string& path) = nullptr; ///< its raw results; throws Error
};

/// Measures it into a file and reads that; or says in the results why it is missing.
/// @return false where it failed for another reason than what the machine lacks or others hold
[[nodiscard]] bool take_step(const ReportStep& step, const std::string& path, ReportResults& results);

/// @throws Error (usage)
[[nodiscard]] Options options_of_report(const CommandLine& line);

/// The steps in their order: on one processor, where threads can be bound to it, up to a size well beyond its caches,
/// or what fits. @throws Error (usage) for a processor or a size that this machine does not have
[[nodiscard]] std::vector<ReportStep> plan_report(const Options& options, const Machine& machine,
                                                  const SystemFiles& files);

} // namespace memtest

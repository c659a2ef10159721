#pragma once

#include "memtest/base/error.hpp"
#include "memtest/cli/option_table.hpp"
#include "memtest/cli/probe/options.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/report/report_page.hpp"

#include <string>
#include <vector>

namespace memtest {

/// One of the measurements of `memtest report`, by another verb or by the probe.
struct ReportStep {
    std::string name;                   ///< of its raw results: FILE.NAME.json
    std::string what;                   ///< for people
    std::vector<std::string> arguments; ///< but for the output
    ExitStatus (*run)(const std::vector<std::string>& arguments) = nullptr;
    void (*read)(ReportResults& results, const std::string& path) = nullptr; ///< its raw results; throws Error
};

/// Every option of `memtest report`.
[[nodiscard]] std::vector<OptionText> report_option_texts();

/// @throws Error (usage)
[[nodiscard]] ProbeOptions parse_report_options(const std::vector<std::string>& arguments);

/// What is measured, in this order. Measures on one processor, where threads can be bound to it, and up to a size well
/// beyond its caches, or less where that does not fit. @throws Error (usage) for a processor or a size that cannot be
[[nodiscard]] std::vector<ReportStep> plan_report(const ProbeOptions& options, const Machine& machine,
                                                  const SystemFiles& files);

/// `memtest report [options]`: measures what there is to tell of a machine, and writes a page. @param arguments without
/// the verb @throws Error
ExitStatus run_report(const std::vector<std::string>& arguments);

} // namespace memtest

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/measuring.hpp"
#include "memtest/cli/verbs/compare.hpp"
#include "memtest/cli/verbs/report.hpp"
#include "memtest/cli/verbs/verbs.hpp"
#include "memtest/insight/figure.hpp"
#include "memtest/report/figures.hpp"
#include "memtest/report/output_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

/// What measured a part. @throws Error (usage) if this program has no such option
CommandLine line_of(const Result& part, const Command& command) {
    try {
        return line_for(command, *part.run.arguments);
    } catch (const Error& error) {
        throw usage_error(fmt::format("{} cannot be measured as it was: {}", part.name, error.what()));
    }
}

/// The step that measures a part again, as it was.
ReportStep step_like(const Result& part) {
    if (!part.run.arguments)
        throw usage_error(fmt::format("{} does not state how it was measured; choose others with --part", part.name));
    if (part.run.memory_file)
        throw usage_error(fmt::format("{} was measured in {}, which is overwritten only on request; choose other parts "
                                      "with --part",
                                      part.name, shown(*part.run.memory_file)));
    const Command& command = *std::ranges::find(commands(), part.kind->facts.verb, &Command::name);
    ReportStep step{.name = part.part, .command = &command};
    for (const GivenOption& option : line_of(part, command).options) {
        constexpr std::array<std::string_view, 3> about_output{"format", "quiet", "output"}; // take_step has its own
        if (std::ranges::count(about_output, option.name) == 0)
            step.arguments.push_back(
                fmt::format("--{}{}{}", option.name, option.value.empty() ? "" : "=", option.value));
    }
    return step;
}

/// The parts with a figure of the latest run in doubt.
std::set<std::string> parts_in_doubt(const ReportResults& latest) {
    std::set<std::string> parts;
    for (const Figure& figure : figures_in(latest)) {
        if (figure.doubt != Doubt::none && decides(figure.quantity))
            parts.insert(figure.part);
    }
    return parts;
}

/// A report as it is measured, once or again.
class NewReport {
public:
    /// @param file the name of its file, for messages
    explicit NewReport(std::string file) : file_(std::move(file)) {}

    /// Measures a part, which replaces what was measured before unless it fails.
    void take(const ReportStep& step) {
        StepResult measured = measure_step(step);
        if (measured.result) {
            measured.result->name = fmt::format("{} ({})", file_, step.name);
            put_part(results_, *std::move(measured.result));
            documents_[step.name] = std::move(measured.document);
        }
        std::erase(results_.missing, MissingPart{step.name, measured.reason});
        if (!measured.reason.empty())
            results_.missing.push_back({step.name, measured.reason});
    }

    void write_to(OutputFile& output) const {
        ReportWriter file(output);
        for (const Result* part : parts_of(results_))
            file.part(part->part, documents_.at(part->part));
        file.end(results_.missing);
    }

    [[nodiscard]] const ReportResults& results() const { return results_; }

private:
    std::string file_;
    ReportResults results_{};
    std::map<std::string, std::string> documents_{}; // by part
};

/// Measures the parts until none is to be measured again, and compares each time.
FigureComparison compared(const std::vector<ReportResults>& baselines, std::vector<ReportStep> steps, NewReport& latest,
                          const CompareOptions& options) {
    std::set<std::string> worse_before;
    std::set<std::string> again;
    for (unsigned tried = 1;; ++tried) {
        run_steps(
            steps,
            [&](const ReportStep& step) {
                latest.take(step);
                for (const ReportResults& base : baselines)
                    check_comparable(base, latest.results(), options);
            },
            options.quiet);
        FigureComparison comparison = compare_reports(baselines, latest.results(), options.tolerance_percent);
        std::set<std::string> unsure = parts_in_doubt(latest.results());
        for (const std::string& part : comparison.worse) {
            if (worse_before.insert(part).second)
                unsure.insert(part);
        }
        std::erase_if(steps, [&](const ReportStep& step) { return !unsure.contains(step.name); });
        if (tried == options.tries || steps.empty() || Interruption::requested()) {
            if (!again.empty())
                comparison.remarks.push_back({Code::parts_measured_again, {{"parts", again}}});
            return comparison;
        }
        for (const ReportStep& step : steps)
            again.emplace(section_of_part(step.name));
    }
}

} // namespace

std::optional<FigureComparison> measure_and_compare(const std::vector<ReportResults>& baselines,
                                                    const CompareOptions& options) {
    std::vector<ReportStep> steps;
    for (const Result* part : parts_of(baselines.front()))
        steps.push_back(step_like(*part));
    Options output;
    output.output = options.output.value_or("");
    output.quiet = options.quiet;
    output.told_elsewhere = true;
    FigureComparison comparison;
    write_file(output, [&](OutputFile& file, ForScreen&) {
        NewReport latest(options.output.value_or("the new report"));
        try {
            comparison = compared(baselines, std::move(steps), latest, options);
        } catch (...) { // what was measured is kept
            latest.write_to(file);
            throw;
        }
        latest.write_to(file);
    });
    return Interruption::requested() ? std::nullopt : std::optional(std::move(comparison));
}

} // namespace memtest

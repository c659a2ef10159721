#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/commands/compare.hpp"
#include "memtest/cli/commands/report.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/measuring.hpp"
#include "memtest/insight/figure.hpp"
#include "memtest/report/figure_table.hpp"
#include "memtest/report/figures.hpp"
#include "memtest/report/output_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
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
    if (const auto reason = why_incomplete(part))
        throw usage_error(fmt::format("{} {}; choose others with --part", part.name, *reason));
    const Command& command = *std::ranges::find(commands(), part.kind->facts.verb, &Command::name);
    const CommandLine line = line_of(part, command);
    if (const GivenOption* memory = line.given("memory")) // whatever the file says of its run
        throw usage_error(fmt::format("{} was measured in {}, which is overwritten only on request; choose other parts "
                                      "with --part",
                                      part.name, shown(memory->value)));
    ReportStep step{.name = part.part, .command = &command};
    for (const GivenOption& option : line.options) {
        constexpr std::array<std::string_view, 5> no_settings{"format", "quiet", "output", "help", "version"};
        if (std::ranges::count(no_settings, option.name) == 0)
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

    /// Keeps what a step measured; what it measured before only if something is missing now.
    void keep(const ReportStep& step, StepResult measured) {
        if (measured.result && measured.result->kind != kind_of_part(step.name)) {
            measured.reason = "its arguments measure something else";
            measured.result.reset();
        }
        if (!measured.reason.empty() && documents_.contains(step.name))
            return;
        std::erase_if(results_.missing, [&](const MissingPart& missing) { return missing.part == step.name; });
        if (!measured.reason.empty())
            results_.missing.push_back({step.name, measured.reason});
        if (measured.result) {
            measured.result->name = fmt::format("{} ({})", file_, step.name);
            put_part(results_, *std::move(measured.result));
            documents_[step.name] = std::move(measured.document);
        }
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

/// Measures parts, each of which has to be comparable with the baselines. @param tried number of this try, from 1
void measure(const std::vector<ReportStep>& steps, NewReport& latest, const std::vector<ReportResults>& baselines,
             const CompareOptions& options, unsigned tried) {
    const std::string which = options.tries > 1 ? fmt::format("try {} of {}, ", tried, options.tries) : "";
    const auto take = [&](const ReportStep& step) {
        latest.keep(step, measure_step(step));
        for (const ReportResults& base : baselines)
            check_comparable(base, latest.results(), options);
    };
    for (const ReportStep& left : std::span(steps).subspan(run_steps(steps, take, options.quiet, which)))
        latest.keep(left, {.reason = "interrupted"});
}

/// Makes the verdict unclear, unless something is worse.
void add_doubt(FigureComparison& comparison, Notice reason, bool is_noise) {
    comparison.unclear.push_back(std::move(reason));
    comparison.only_noisy = comparison.only_noisy && is_noise;
    if (comparison.verdict != Verdict::slower)
        comparison.verdict = Verdict::cannot_tell;
}

/// Measures the parts until none is to be measured again, and compares each time.
FigureComparison compared(const std::vector<ReportResults>& baselines, std::vector<ReportStep> steps, NewReport& latest,
                          const CompareOptions& options) {
    std::set<WorseFigure> worse_before;
    std::set<std::string_view> again; // by the words of --part
    for (unsigned tried = 1;; ++tried) {
        measure(steps, latest, baselines, options, tried);
        FigureComparison comparison = compare_reports(baselines, latest.results(), options.tolerance_percent);
        std::set<std::string> worse_twice;
        std::set<std::string> unsure = parts_in_doubt(latest.results());
        for (const WorseFigure& figure : comparison.worse)
            (worse_before.contains(figure) ? worse_twice : unsure).insert(figure.part);
        for (const FigureChange& figure : comparison.figures) {
            if (figure.doubt == Doubt::unconfirmed)
                unsure.insert(figure.part);
        }
        for (const MissingPart& missing : latest.results().missing)
            unsure.insert(missing.part);
        std::erase_if(steps, [&](const ReportStep& step) {
            return worse_twice.contains(step.name) || !unsure.contains(step.name);
        });
        if (tried < options.tries && !steps.empty() && !Interruption::requested()) {
            worse_before = std::move(comparison.worse);
            for (const ReportStep& step : steps)
                again.insert(section_of_part(step.name));
            continue;
        }
        if (tried > 1 && comparison.verdict == Verdict::slower && worse_twice.empty()) {
            comparison.verdict = Verdict::cannot_tell;
            List names;
            for (const auto& [part, figure] : comparison.worse)
                names.emplace_back(figure.empty() ? part : full_name(part, figure));
            add_doubt(comparison, {Code::worse_once, {{"names", std::move(names)}}}, true);
        }
        for (const auto& [part, reason] : latest.results().missing)
            add_doubt(comparison, {Code::part_not_measured, {{"of_part", part_in_words(part)}, {"reason", reason}}},
                      false);
        if (!again.empty())
            comparison.remarks.push_back({Code::parts_measured_again, {{"parts", again}}});
        return comparison;
    }
}

} // namespace

std::optional<FigureComparison> measure_and_compare(const std::vector<ReportResults>& baselines,
                                                    const CompareOptions& options) {
    std::vector<ReportStep> steps;
    for (const Result* part : parts_of(baselines.front()))
        steps.push_back(step_like(*part));
    for (const ReportResults& base : baselines)
        check_comparable(baselines.front(), base, options);
    Options output;
    output.output = options.output.value_or("");
    output.quiet = options.quiet;
    output.told_elsewhere = true;
    FigureComparison comparison;
    write_file(output, [&](OutputFile& file, ForScreen&) {
        NewReport latest(options.output.value_or("the new report"));
        try {
            comparison = compared(baselines, std::move(steps), latest, options);
        } catch (...) {
            try { // what was measured is kept
                latest.write_to(file);
            } catch (const Error&) { // the first error counts
            }
            throw;
        }
        latest.write_to(file);
    });
    return Interruption::requested() ? std::nullopt : std::optional(std::move(comparison));
}

} // namespace memtest

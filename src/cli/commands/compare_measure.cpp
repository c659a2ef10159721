#include "memtest/base/error.hpp"
#include "memtest/base/id_list.hpp"
#include "memtest/base/text.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/commands/compare.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/measuring.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/kinds/comparison_findings.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/result/output_file.hpp"

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

/// What measured a result. @throws Error (usage) if this program has no such option
CommandLine line_of(const Result& result, const Command& command) {
    try {
        return line_for(command, *result.run.arguments);
    } catch (const Error& error) {
        throw usage_error(fmt::format("{} cannot be measured as it was: {}", result.name, error.what()));
    }
}

/// The step that measures a result again, as it was.
ReportStep step_like(const Result& result) {
    if (!result.run.arguments)
        throw usage_error(fmt::format("{} does not state how it was measured, as with --quiet; measure a baseline "
                                      "without --quiet, or choose other parts of a report with --part",
                                      result.name));
    if (const auto reason = why_incomplete(result))
        throw usage_error(fmt::format("{} {}; choose others with --part", result.name, *reason));
    const Command& command = *std::ranges::find(commands(), result.kind->facts.command, &Command::name);
    const CommandLine line = line_of(result, command);
    if (const GivenOption* memory = line.given("memory")) // whatever the file says of its run
        throw usage_error(fmt::format("{} was measured in {}, which is overwritten only on request; choose other parts "
                                      "with --part",
                                      result.name, shown(memory->value)));
    if (result.run.awake && &command == &sweep_command) {
        const std::vector<int> here = plan_run(options_of_sweep(line), read_machine()).awake;
        if (here != *result.run.awake)
            throw usage_error(fmt::format("{} was measured with the processors {} kept awake, and here they are {}; "
                                          "measure a baseline here, or choose other parts with --part",
                                          result.name, format_ids(*result.run.awake), format_ids(here)));
    }
    ReportStep step{.name = result.part,
                    .command = &command,
                    .options = line.options,
                    .seconds = result.run.most_seconds.value_or(0)};
    std::erase_if(step.options, [](const GivenOption& option) {
        constexpr std::array<std::string_view, 6> no_settings{"format", "quiet",   "output",
                                                              "help",   "version", "max-time"};
        return std::ranges::count(no_settings, option.name) > 0;
    });
    return step;
}

/// A file as it is measured, once or again.
class NewFile {
public:
    NewFile(std::string name, const StoredFile& like)
        : file_{.name = std::move(name), .is_report = like.is_report}, like_(like) {}

    /// Keeps what a step measured; what it measured before only if something is missing now.
    void keep(const ReportStep& step, StepResult measured) {
        if (!measured.reason.empty() && documents_.contains(step.name))
            return;
        std::erase_if(file_.missing, [&](const MissingPart& missing) { return missing.part == step.name; });
        if (!measured.reason.empty())
            file_.missing.push_back({step.name, measured.reason});
        if (!measured.result)
            return;
        std::erase_if(file_.results, [&](const Result& result) { return result.part == step.name; });
        measured.result->name = step.name.empty() ? file_.name : fmt::format("{} ({})", file_.name, step.name);
        file_.results.push_back(*std::move(measured.result));
        documents_[step.name] = std::move(measured.document);
    }

    void write_to(OutputFile& output) const {
        if (!file_.is_report) {
            for (const auto& [part, document] : documents_)
                output.write(document);
            return;
        }
        ReportWriter report(output);
        for (const Result& before : like_.results) { // in its order
            const auto document = documents_.find(before.part);
            if (document != documents_.end())
                report.part(before.part, document->second);
        }
        report.end(file_.missing);
    }

    [[nodiscard]] const StoredFile& file() const { return file_; }

private:
    StoredFile file_;
    const StoredFile& like_;
    std::map<std::string, std::string> documents_{}; // by part
};

using Name = std::pair<std::string, std::string>; // of a figure: its part and its own

/// The figures that make the verdict `worse`.
std::set<Name> worse_in(const Comparison& comparison) {
    std::set<Name> worse;
    for (const FigureChange& figure : comparison.figures) {
        if (figure.verdict == Verdict::worse && is_told(figure))
            worse.emplace(figure.part, figure.name);
    }
    return worse;
}

std::vector<std::string> full_names(const std::set<Name>& worse, const Comparison& comparison) {
    std::vector<std::string> names;
    for (const FigureChange& figure : comparison.figures) {
        if (worse.contains({figure.part, figure.name}))
            names.push_back(full_name(figure));
    }
    return names;
}

/// Whether a step measures what is worse for the first time, may be worse or is too noisy while nothing is worse, or
/// lacks a figure. A figure without a part comes from several.
bool is_in_doubt(const ReportStep& step, const Comparison& comparison, const std::set<Name>& worse_before) {
    return std::ranges::any_of(comparison.figures, [&](const FigureChange& figure) {
        const bool is_of_step = figure.part == step.name || figure.part.empty();
        const bool is_new =
            figure.verdict == Verdict::worse && is_told(figure) && !worse_before.contains({figure.part, figure.name});
        const bool is_unclear =
            comparison.verdict == Verdict::cannot_tell &&
            (may_be_worse(figure) || (figure.why == Why::noise && makes_verdict(figure, comparison)));
        return is_of_step && (is_new || is_unclear || (is_lost(figure) && figure.why != Why::not_in_base));
    });
}

/// Measures the steps until nothing is to be measured again, and compares each time.
Comparison compared(const std::vector<StoredFile>& baselines, std::vector<ReportStep> steps, NewFile& latest,
                    const CompareOptions& options) {
    std::set<Name> worse_before;
    std::vector<std::string> again; // parts, in words
    std::vector<std::string> worse_at_first;
    for (unsigned tried = 1;; ++tried) {
        const std::string which = options.tries > 1 ? fmt::format("try {} of up to {}: ", tried, options.tries) : "";
        bool is_refused = true; // as what this machine cannot measure
        const auto take = [&](const ReportStep& step) {
            StepResult measured = measure_step(step);
            is_refused = is_refused && measured.is_well;
            latest.keep(step, std::move(measured));
            for (const StoredFile& base : baselines)
                check_comparable(base, latest.file(), options);
        };
        for (const ReportStep& left : std::span(steps).subspan(run_steps(steps, take, options.quiet, which)))
            latest.keep(left, {.reason = "interrupted"});
        if (latest.file().results.empty()) {
            const std::string reason = fmt::format("nothing was measured: {}", latest.file().missing.front().reason);
            throw is_refused ? usage_error(reason) : Error(reason);
        }
        Comparison comparison = compare(baselines, latest.file(), options.tolerance_percent);
        const std::set<Name> worse = worse_in(comparison);
        std::erase_if(steps, [&](const ReportStep& step) { return !is_in_doubt(step, comparison, worse_before); });
        if (tried < options.tries && !steps.empty() && !Interruption::requested()) {
            worse_before = worse;
            if (tried == 1)
                worse_at_first = full_names(worse, comparison);
            for (const ReportStep& step : steps) {
                const std::string part = step.name.empty() ? "all of it" : part_in_words(step.name);
                if (std::ranges::count(again, part) == 0)
                    again.push_back(part);
            }
            continue;
        }
        const bool recurs = std::ranges::any_of(worse, [&](const Name& name) { return worse_before.contains(name); });
        if (tried > 1 && !worse.empty() && !recurs) {
            comparison.verdict = Verdict::cannot_tell;
            comparison.unclear.push_back({Code::worse_once, {{"names", full_names(worse, comparison)}}});
            std::erase_if(comparison.remarks, [](const Notice& note) { return note.code == Code::files_disturbed; });
        }
        if (!again.empty())
            comparison.remarks.push_back(
                {Code::parts_measured_again, {{"tries", tried}, {"parts", again}, {"worse_at_first", worse_at_first}}});
        return comparison;
    }
}

} // namespace

Comparison measure_steps_and_compare(const std::vector<StoredFile>& baselines, std::vector<ReportStep> steps,
                                     OutputFile& file, const CompareOptions& options) {
    NewFile latest(options.output.value_or("the new result"), baselines.front());
    Comparison comparison;
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
    return comparison;
}

std::optional<Comparison> measure_and_compare(const std::vector<StoredFile>& baselines, const CompareOptions& options) {
    std::vector<ReportStep> steps;
    for (const Result& result : baselines.front().results)
        steps.push_back(step_like(result));
    for (const StoredFile& base : baselines)
        check_comparable(baselines.front(), base, options);
    Comparison comparison;
    write_file(options.output.value_or(""), options.quiet, [&](OutputFile& file, ForScreen& screen) {
        screen.told_elsewhere = true;
        comparison = measure_steps_and_compare(baselines, std::move(steps), file, options);
    });
    return Interruption::requested() ? std::nullopt : std::optional(std::move(comparison));
}

} // namespace memtest

#include "memtest/cli/commands/report.hpp"

#include "memtest/base/text.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/messages.hpp"
#include "memtest/machine/disturbances.hpp"
#include "memtest/result/result_reader.hpp"
#include "memtest/result/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <future>
#include <optional>
#include <span>
#include <utility>

namespace memtest {
namespace {

/// What a step measured; std::nullopt if it is truncated, or has no figure.
std::optional<Result> result_in(const std::string& document, const std::string& part) {
    try {
        Result result = chosen_result(parse_file(document, part));
        result.part = part;
        return has_figure(result) ? std::optional(std::move(result)) : std::nullopt;
    } catch (const Error&) { // it has no rows
        return std::nullopt;
    }
}

/// @param times how many times as long as the limit on measuring
std::string time_of(std::span<const ReportStep> steps, double times) {
    double seconds = 0;
    for (const ReportStep& step : steps)
        seconds += step.seconds;
    return fmt::format("{:.0f} s", std::max(1.0, std::round(times * seconds)));
}

/// With the memory that steps fill and link: half of the time again, or 0.7 of it, on a guest that had 260 MiB of L3
/// and whose host gave 4 GiB in 0.4 to 8 s. Beside compilers on its two processors all took twice as long at a load of
/// 3, and up to four times at one of 8. Most runs take 0.9 to 1.2 times the limit on measuring, at a load of 4 as well.
constexpr double with_memory = 1.7;

/// What a step measures, for people.
std::string name_of(const ReportStep& step) {
    return step.name.empty() ? std::string(step.command->name.empty() ? "sweep" : step.command->name)
                             : part_in_words(step.name);
}

/// A line for each part that can be measured, with what it takes. @param tried which try it is; may be empty
std::string list_of(std::span<const ReportStep> steps, std::string_view tried, double slowdown) {
    TextTable table{.rows = {{capitalised(fmt::format("{}measuring", tried)), "Takes about",
                              slowdown > 1 ? "At most beside other processes" : "At most"}},
                    .right = "lrr"};
    const auto add = [&](const std::string& name, std::span<const ReportStep> some) {
        table.rows.push_back({name, time_of(some, 1), time_of(some, with_memory * slowdown)});
    };
    for (auto rest = steps; !rest.empty();) {
        const std::string part = name_of(rest.front());
        const auto next = std::ranges::find_if(rest, [&](const ReportStep& step) { return name_of(step) != part; });
        const auto of_part = rest.first(static_cast<std::size_t>(next - rest.begin()));
        if (of_part.front().lacking.empty())
            add(part, of_part);
        rest = rest.subspan(of_part.size());
    }
    add("all", steps);
    return aligned_text(table);
}

} // namespace

StepResult measure_step(const ReportStep& step) {
    if (!step.lacking.empty())
        return {.reason = step.lacking};
    StepResult measured;
    OutputFile document("");
    try {
        std::vector<GivenOption> options = step.options;
        options.insert(options.end(), {{"format", "json"}, {"quiet"}});
        if (step.seconds > 0)
            options.push_back({"max-time", plain_number(step.seconds, 3)});
        CommandLine line = line_with(std::move(options));
        line.output = &document;
        // On its own thread: a command may bind its thread to a processor.
        std::async(std::launch::async, step.command->run, std::cref(line)).get();
    } catch (const std::exception& error) { // the other steps are still worth having
        const auto* refusal = dynamic_cast<const Error*>(&error);
        measured.reason = error.what();
        measured.is_well = (refusal != nullptr && refusal->status() == ExitStatus::usage) ||
                           dynamic_cast<const MachineBusy*>(&error) != nullptr;
    }
    measured.document = document.text();
    measured.result = result_in(measured.document, step.name);
    // An interruption may come just after the result is complete: then the result counts.
    const bool is_whole = measured.result && !why_incomplete(*measured.result);
    if (measured.reason.empty() && Interruption::requested() && !is_whole) {
        measured.reason = "interrupted";
        measured.result.reset();
    }
    if (measured.reason.empty() && !measured.result)
        measured.reason = "it has no figure";
    return measured;
}

std::size_t run_steps(std::span<const ReportStep> steps, const std::function<void(const ReportStep&)>& take, bool quiet,
                      std::string_view prefix) {
    ProgressLine progress(!quiet);
    const bool are_timed = std::ranges::any_of(steps, [](const ReportStep& step) { return step.seconds > 0; });
    const double slowdown = are_timed ? slowdown_by_others(SystemFiles()) : 1;
    if (are_timed)
        progress.keep(list_of(steps, prefix, slowdown));
    for (std::size_t taken = 0; taken < steps.size(); ++taken) {
        if (Interruption::requested())
            return taken;
        const std::string left =
            are_timed ? fmt::format("; at most {} left", time_of(steps.subspan(taken), with_memory * slowdown)) : "";
        progress.show(
            fmt::format("{}step {} of {}: {}{}", prefix, taken + 1, steps.size(), name_of(steps[taken]), left));
        take(steps[taken]);
    }
    return steps.size();
}

bool measure_steps(std::span<const ReportStep> steps, StoredFile& report, ReportWriter& file, bool quiet) {
    bool are_well = true;
    const auto take = [&](const ReportStep& step) {
        StepResult measured = measure_step(step);
        are_well = are_well && measured.is_well;
        if (!measured.reason.empty())
            report.missing.push_back({step.name, measured.reason});
        if (measured.result) {
            file.part(step.name, measured.document);
            report.results.push_back(*std::move(measured.result));
        }
    };
    for (const ReportStep& left : steps.subspan(run_steps(steps, take, quiet)))
        report.missing.push_back({left.name, "interrupted"});
    return are_well;
}

} // namespace memtest

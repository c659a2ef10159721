#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/cli/commands/compare.hpp"
#include "memtest/cli/commands/probe.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/messages.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/insight/compare.hpp"
#include "memtest/measure/sweep.hpp"
#include "memtest/measure/team.hpp"
#include "memtest/report/run_description.hpp"
#include "memtest/report/sweep.hpp"
#include "memtest/report/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace memtest {

namespace {

std::size_t in_whole_lines(double bytes, const RunDescription& run) {
    const auto line_bytes = static_cast<double>(run.line_bytes.value_or(1));
    return static_cast<std::size_t>(std::round(bytes / line_bytes) * line_bytes);
}

/// The sizes of a sweep, ascending.
std::vector<std::size_t> sizes_of(const Result& sweep) {
    std::set<std::size_t> sizes;
    for (const Row& row : sweep.rows_of<Row>())
        sizes.insert(in_whole_lines(static_cast<double>(row.size_bytes), sweep.run));
    return {sizes.begin(), sizes.end()};
}

/// Refuses baselines whose settings no single sweep can have.
void check_baselines(const std::vector<Result>& baselines) {
    const Result& first = baselines.front();
    for (const Result& base : baselines) {
        if (const auto reason = why_incomplete(base))
            throw usage_error(fmt::format("{} {}; give a complete baseline", base.name, *reason));
        if (!base.run.order)
            throw usage_error(fmt::format(
                "{} does not describe how it was measured; give a baseline made without --quiet", base.name));
        if (base.run.memory_file)
            throw usage_error(fmt::format("{} was measured in {}, which is overwritten only on request; measure with "
                                          "--memory {} --overwrite, and compare both files",
                                          base.name, *base.run.memory_file, *base.run.memory_file));
        if (const auto found = differences(first.run, base.run, Is::setting); !found.empty())
            throw usage_error(fmt::format("{} and {} measured different things: {}; give baselines of the same kind",
                                          first.name, base.name, describe(found)));
        if (sizes_of(base) != sizes_of(first))
            throw usage_error(fmt::format("{} and {} have different sizes; give baselines with the same --min-size, "
                                          "--max-size and --points",
                                          first.name, base.name));
    }
}

/// Measures sizes again and lets the new rows replace the old ones.
void measure_again(std::vector<Row>& rows, const Options& asked, MeasuredResult& result) {
    result.warn({Code::measured_again,
                 {{"sizes", asked.sizes.size()},
                  {"from_bytes", asked.sizes.front()},
                  {"to_bytes", asked.sizes.back()},
                  {"visits", asked.timing.visits}}});
    const Machine machine = read_machine();
    const RunPlan plan = plan_run(asked, machine);
    Team team(plan.team, machine.files, Interruption::requested());
    MonotonicClock clock;
    std::map<std::pair<int, std::size_t>, Row> again;
    run_sweep(
        plan.sweep, team, clock,
        [&](const Row& row) {
            again[{row.thread, row.size_bytes}] = row;
        },
        [&](const Progress& progress) { result.show_progress(describe(progress)); });
    if (Interruption::requested())
        return;
    for (Row& row : rows) {
        if (const auto found = again.find({row.thread, row.size_bytes}); found != again.end())
            row = std::move(found->second);
    }
}

} // namespace

std::optional<Comparison> measure_and_compare(const std::vector<Result>& baselines, const CompareOptions& options,
                                              const CommandLine& line) {
    check_baselines(baselines);
    Options asked = options_as(baselines.front().run, sizes_of(baselines.front()));
    asked.columns = {ColumnGroup::stats};
    asked.format = options.format.value_or(Format::csv);
    asked.output = options.output.value_or("");
    asked.quiet = options.quiet && !options.output;
    asked.silent = options.quiet;
    asked.told_elsewhere = true;
    Result latest{.name = options.output.value_or("the new sweep"), .kind = &sweep_kind};
    Comparison comparison;
    const auto check = [&](const RunDescription& run) {
        latest.run = run;
        for (const Result& base : baselines)
            check_comparable(base, latest, options);
    };
    const auto improve = [&](std::vector<Row>& rows, MeasuredResult& result) {
        latest.run.end = RunEnd{.measured = asked.sizes.size(), .planned = asked.sizes.size()};
        for (unsigned tried = 1; !Interruption::requested(); ++tried) {
            latest.rows = rows;
            latest.run.core_clock_range = clock_range_of(rows);
            latest.warnings = those_of({result.warn_of_others()});
            const Comparison before =
                std::exchange(comparison, compare_results(baselines, latest, options.tolerance_percent));
            if (tried > 1)
                keep_far_slower(comparison, before);
            const bool is_decided =
                comparison.verdict == Verdict::slower ? tried > 1 : comparison.verdict != Verdict::cannot_tell;
            std::set<std::size_t> sizes;
            for (const double bytes : sizes_in_doubt(comparison))
                sizes.insert(in_whole_lines(bytes, latest.run));
            if (is_decided || tried == options.tries || sizes.empty())
                return;
            asked = options_to_try_again(asked, latest.run, {sizes.begin(), sizes.end()});
            measure_again(rows, asked, result);
        }
    };
    measure_sweep(asked, line, {.check = check, .improve = improve});
    return Interruption::requested() ? std::nullopt : std::optional(comparison);
}

} // namespace memtest

#include "memtest/cli/commands/probe.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/machine/arena.hpp"
#include "memtest/measure/load_generator.hpp"
#include "memtest/measure/quick_checks.hpp"
#include "memtest/measure/sweep.hpp"
#include "memtest/measure/team.hpp"
#include "memtest/report/description.hpp"
#include "memtest/report/ending.hpp"
#include "memtest/report/levels.hpp"
#include "memtest/report/sweep.hpp"
#include "memtest/report/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <memory>
#include <set>

namespace memtest {
namespace {

/// For the first thread that was disturbed: threads share most disturbances.
std::optional<Notice> warning_on_disturbances(const std::vector<ThreadCurve>& threads, Order order) {
    for (const ThreadCurve& thread : threads) {
        if (auto warning = warning_on_disturbance(thread.points, order))
            return warning;
    }
    return std::nullopt;
}

/// Takes a page from each node. @throws Error (usage) if the kernel refuses to bind memory to one
void check_nodes(const std::vector<int>& nodes, const SystemFiles& files) {
    for (const int node : std::set(nodes.begin(), nodes.end()))
        const Arena page(base_page_bytes(), PageKind::system_default, files, node);
}

/// Compares a strided sweep with a short one in random order. That is in huge pages if the user left the pages to the
/// system, so that its levels are caches. @param random takes that
std::optional<Notice> check_prefetching(TeamPlan team, const std::vector<Row>& rows, QuickCurve& random,
                                        const Machine& machine) {
    try {
        if (team.pages == PageKind::system_default && !team.memory_file && machine.gives_transparent_pages())
            team.pages = PageKind::transparent_huge;
        random = quick_random_sweep(team, machine.files, Interruption::requested());
        const auto followed = followed_stride(rows, random.rows);
        return followed ? std::optional(warning_on_prefetching(team.shape.order, *followed)) : std::nullopt;
    } catch (const std::exception& error) { // the sweep is already written
        return Notice(Code::prefetching_unchecked, {{"reason", error.what()}});
    }
}

/// Warnings from all rows together. @param random receives a short random sweep, if one is made
std::vector<Notice> warnings_after(const TeamPlan& team, const std::vector<Row>& rows, const RunDescription& run,
                                   const ChecksAfter& checks, QuickCurve& random, const Machine& machine) {
    std::vector<Notice> warnings =
        those_of({run.core_clock_range ? warning_on_moving_clock(*run.core_clock_range) : std::nullopt,
                  checks.disturbances ? warning_on_disturbances(curves_of(rows, run), team.shape.order) : std::nullopt,
                  warning_on_contested(rows, run.virtual_machine.value_or(false) && team.processors.size() == 1),
                  checks.prefetching ? check_prefetching(team, rows, random, machine) : std::nullopt});
    if (checks.foreseen_chains) {
        const ForeseenChains foreseen = quick_foreseen_chains(team, machine.files, Interruption::requested());
        std::ranges::copy(warnings_on_foreseen(foreseen, team.shape), std::back_inserter(warnings));
    }
    return warnings;
}

/// The levels of a short random sweep, for a person who requested a strided one.
std::optional<Ending> ending_in_random_order(const QuickCurve& random, const RunDescription& strided) {
    if (random.rows.empty())
        return std::nullopt;
    RunDescription run = strided;
    run.order = Order::random;
    run.pages_got.emplace();
    for (const ThreadFacts& facts : random.facts)
        run.pages_got->push_back(pages_got(facts.pages));
    const bool is_huge = strided.pages_got && pages_differ(*run.pages_got, *strided.pages_got);
    const std::string pages = is_huge ? fmt::format(" and {} pages", text_of(*run.pages_got)) : "";
    Result sweep{.kind = &sweep_kind, .run = std::move(run), .rows = random.rows};
    Ending ending = ending_of(sweep);
    ending.title = fmt::format("In random order{}, by a short check (memtest --random{} measures it in full):", pages,
                               is_huge ? " --pages thp" : "");
    return ending;
}

/// Measures the sweep, writes its rows and adds warnings about them. @return the rows
std::vector<Row> measure_rows(MeasuredResult& result, const RunPlan& plan, std::unique_ptr<Team> team,
                              const SweepUse& use) {
    std::vector<Row> rows;
    const auto take_row = [&](const Row& row) {
        rows.push_back(row);
        if (!use.improve) {
            result.row(row, row.is_settled);
            rows.back().visits.clear(); // with many threads there are many
        }
    };
    result.measure([&] {
        MonotonicClock clock;
        run_sweep(plan.sweep, *team, clock, take_row,
                  [&](const Progress& progress) { result.show_progress(describe(progress)); });
        team.reset(); // what follows may need its memory
        if (use.improve)
            use.improve(rows, result);
    });
    if (use.improve)
        std::ranges::for_each(rows, [&](const Row& row) { result.row(row, row.is_settled); });
    return rows;
}

void measure_probe(MeasuredResult& result, const Options& options, const RunPlan& plan, const Machine& machine,
                   const SweepUse& use) {
    const AwakeCores awake(plan.awake);
    auto team = std::make_unique<Team>(plan.team, machine.files, Interruption::requested());
    const RunDescription run = describe_run(plan, machine, team->facts());
    if (use.check)
        use.check(run);
    result.begin(sweep_headline(run), run, plan.sweep.sizes.size(), plan.team.processors.size() + plan.awake.size());
    result.warn_of_kinds(plan.team.processors, {}, machine);
    for (const Notice& warning : warnings_before(plan, machine))
        result.warn(warning);
    result.watch(plan.team.processors);

    const std::vector<Row> rows = measure_rows(result, plan, std::move(team), use);
    result.run().core_clock_range = clock_range_of(rows);
    if (const std::vector<int> abandoned = awake.abandoned(); !abandoned.empty())
        result.warn({Code::awake_lost, {{"processors", abandoned}}});
    QuickCurve random;
    const bool is_disturbed = result.warn_of_others().has_value();
    if (!result.failed()) {
        const ChecksAfter checks = checks_after(plan.team, is_disturbed, Interruption::requested());
        for (const Notice& warning : warnings_after(plan.team, rows, result.run(), checks, random, machine))
            result.warn(warning);
    }
    const bool has_notes_column = std::ranges::count(options.columns, ColumnGroup::stats) > 0;
    result.end(options.levels ? level_findings(report_levels(result.so_far())) : Findings{},
               has_notes_column ? Members() : Members{{"row_notes", row_notes(rows)}},
               ending_in_random_order(random, run));
}

ExitStatus run_probe(const CommandLine& line) {
    return measure_sweep(options_of_probe(line), line);
}

} // namespace

ChecksAfter checks_after(const TeamPlan& team, bool is_disturbed, bool is_interrupted) {
    const bool is_random = team.shape.order == Order::random;
    return {.disturbances = team.warmup_laps != 0U, // else the first size is slow anyway
            .prefetching = !is_random && !is_interrupted,
            .foreseen_chains = is_random && team.largest_bytes >= mib && !is_disturbed && !is_interrupted};
}

ExitStatus measure_sweep(const Options& options, const CommandLine& line, const SweepUse& use) {
    const Machine machine = read_machine();
    const RunPlan plan = plan_run(options, machine);
    check_counters(plan.team.counters, machine.files, try_counter);
    check_nodes(plan.team.nodes, machine.files);
    const KindOf<Row> kind = sweep_kind_with(options.counters);
    return measure_result(kind, options, line,
                          [&](MeasuredResult& result) { measure_probe(result, options, plan, machine, use); });
}

const Command probe_command{.summary = "measure latency by memory size",
                            .examples = {{{"memtest --random", "latency of each cache and of memory"},
                                          {"memtest -r --max-size 64 -o sweep.csv", "up to 64 MiB, into a file"}}},
                            .about = "Times a dependent walk along a chain of cache lines in memory areas of growing\n"
                                     "size and prints CSV: one row for each size and thread, in ns per access. By\n"
                                     "default it walks backward by a stride, as lat_mem_rd does. Prefetchers follow\n"
                                     "a stride, so use --random to measure latency.\n",
                            .closing = "Sizes take a unit: 64K, 1.5M, 2G, 512KiB (powers of 1024).\n"
                                       "Exit status: 0 success, 1 failure while running, 2 usage error,\n"
                                       "128+n if ended by signal n.\n",
                            .options = [] { return texts_of(probe_options()); },
                            .run = run_probe};

} // namespace memtest

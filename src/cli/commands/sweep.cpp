#include "memtest/cli/commands/sweep.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/measuring.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/kinds/levels.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/kinds/sweep_curves.hpp"
#include "memtest/machine/arena.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/measure/load_generator.hpp"
#include "memtest/measure/quick_checks.hpp"
#include "memtest/measure/sweep.hpp"
#include "memtest/measure/team.hpp"
#include "memtest/result/answer.hpp"
#include "memtest/result/description.hpp"
#include "memtest/result/row_notes.hpp"
#include "memtest/result/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <memory>
#include <set>

namespace memtest {
namespace {

constexpr double seconds_beside = 3; // after which the random sweep beside a strided one visits nothing again

bool is_strided(const TeamPlan& team) {
    return team.shape.order != Order::random;
}

/// For the first thread that was disturbed: threads share most disturbances.
std::optional<Notice> warning_on_disturbances(const std::vector<ThreadCurve>& threads, Order order) {
    for (const ThreadCurve& thread : threads) {
        if (auto warning = warning_on_disturbance(thread.points, order))
            return warning;
    }
    return std::nullopt;
}

/// Measures all rows of a plan on fresh memory.
Result measure_beside(MeasuredResult& result, const RunPlan& plan, const Machine& machine) {
    Result sweep{.kind = &sweep_kind, .rows = std::vector<Row>()};
    auto& rows = std::get<std::vector<Row>>(sweep.rows);
    Team team(plan.team, machine.files, Interruption::requested());
    sweep.run = describe_run(plan, machine, team.facts());
    MonotonicClock clock;
    run_sweep(
        plan.sweep, team, clock, [&](const Row& row) { rows.push_back(row); }, result.progress(),
        [&, began_ns = clock.now_ns()](std::size_t /*left*/) {
            return static_cast<double>(clock.now_ns() - began_ns) * 1e-9 > seconds_beside;
        });
    describe_core_clock(sweep.run, rows);
    return sweep;
}

/// What the rows of a sweep show together.
std::vector<Notice> warnings_on(const Result& sweep, const TeamPlan& team) {
    const std::vector<Row>& rows = sweep.rows_of<Row>();
    const std::vector<ReportedCache> caches = sweep.run.caches.value_or(std::vector<ReportedCache>{});
    const bool may_move = sweep.run.virtual_machine.value_or(false) && team.processors.size() == 1;
    auto warnings =
        those_of({sweep.run.core_clock_range ? warning_on_moving_clock(*sweep.run.core_clock_range) : std::nullopt,
                  team.warmup_laps == 0U // the first size is slow anyway
                      ? std::nullopt
                      : warning_on_disturbances(curves_of(sweep), team.shape.order)});
    std::ranges::move(warnings_on_contested(rows, may_move, caches), std::back_inserter(warnings));
    return warnings;
}

/// Compares a strided sweep with an ordinary one in random order. @return that
std::optional<Result> check_prefetching(MeasuredResult& result, const Options& options, const RunPlan& plan,
                                        const Machine& machine) {
    try {
        const RunPlan random = plan_random_beside(options, plan.team.largest_bytes, machine, result.has_reader());
        Result beside = measure_beside(result, random, machine);
        if (Interruption::requested())
            return std::nullopt;
        if (const auto followed = followed_stride(result.so_far().rows_of<Row>(), beside.rows_of<Row>()))
            result.warn(warning_on_prefetching(plan.team.shape.order, *followed));
        beside.warnings = warnings_on(beside, random.team);
        return beside;
    } catch (const std::exception& error) { // the sweep is already written
        result.warn({Code::prefetching_unchecked, {{"reason", error.what()}}});
        return std::nullopt;
    }
}

/// The levels that the random sweep shows, for a person who requested a strided one.
Answer answer_beside(Result random, const RunDescription& strided, const std::vector<Notice>& told) {
    // What disturbed one of them may have disturbed the other, and is told once.
    std::ranges::copy_if(told, std::back_inserter(random.warnings), is_disturbance);
    Answer answer = answer_with_warnings(random);
    std::erase_if(answer.notes, [&](const Notice& note) { return std::ranges::count(told, note) > 0; });
    const bool is_huge = strided.pages_got && pages_differ(*random.run.pages_got, *strided.pages_got);
    const std::string pages = is_huge ? " and " + pages_in_words(random.run) : "";
    const double largest_mib = static_cast<double>(random.rows_of<Row>().back().size_bytes) / mib;
    answer.title = fmt::format("In random order{} (memtest --random{} -m {:g}):", pages, is_huge ? " --pages thp" : "",
                               largest_mib);
    return answer;
}

void measure_sweep(MeasuredResult& result, const Options& options, const RunPlan& plan, const Machine& machine) {
    const AwakeCores awake(plan.awake);
    auto team = std::make_unique<Team>(plan.team, machine.files, Interruption::requested());
    RunDescription run = describe_run(plan, machine, team->facts());
    const double beside = is_strided(plan.team) ? seconds_beside : 0;
    if (const auto seconds = sweep_seconds(plan))
        run.most_seconds = *seconds + beside;
    result.begin(sweep_headline(run), run, plan.sweep.sizes.size(), plan.team.processors.size() + plan.awake.size());
    result.warn_of_kinds(plan.team.processors, {}, machine);
    for (const Notice& warning : warnings_before(plan, machine)) {
        if (warning.code == Code::little_memory && options.max_bytes)
            result.note(warning);
        else
            result.warn(warning);
    }
    result.watch(plan.team.processors);

    const double share_beside = std::min(0.5, beside / result.run().most_seconds.value_or(1)); // of the time
    result.measure([&] {
        MonotonicClock clock;
        run_sweep(
            plan.sweep, *team, clock, [&](const Row& row) { result.row(row, row.is_settled); }, result.progress(),
            result.time_is_up(1 - share_beside));
    });
    team.reset(); // what follows may need its memory
    const std::vector<Row>& rows = result.so_far().rows_of<Row>();
    describe_core_clock(result.run(), rows);
    if (const std::vector<int> abandoned = awake.abandoned(); !abandoned.empty())
        result.warn({Code::awake_lost, {{"processors", abandoned}}});
    const bool is_disturbed = result.warn_of_others().has_value();
    std::optional<Result> random;
    if (!result.failed()) {
        for (const Notice& warning : warnings_on(result.so_far(), plan.team))
            result.warn(warning);
        const CheckAfter check = check_after(plan.team, is_disturbed, Interruption::requested());
        if (check == CheckAfter::prefetching)
            random = check_prefetching(result, options, plan, machine);
        if (check == CheckAfter::foreseen_chains) {
            const auto foreseen = quick_foreseen_chains(plan.team, machine.files, Interruption::requested());
            for (const Notice& warning : warnings_on_foreseen(foreseen, plan.team.shape))
                result.warn(warning);
        }
    }
    result.warn_of_others();
    const bool has_notes_column = std::ranges::count(options.columns, ColumnGroup::stats) > 0;
    result.end(options.levels ? level_findings(report_levels(result.so_far())) : Findings{},
               has_notes_column ? Members() : Members{{"row_notes", row_notes(rows)}},
               random ? std::optional(answer_beside(*random, run, result.so_far().warnings)) : std::nullopt);
}

ExitStatus run_sweep_command(const CommandLine& line) {
    const Options options = options_of_sweep(line);
    const Machine machine = read_machine();
    const RunPlan plan = plan_run(options, machine);
    check_counters(plan.team.counters, machine.files, try_counter);
    for (const int node : std::set(plan.team.nodes.begin(), plan.team.nodes.end())) // the kernel may refuse one
        const Arena page(base_page_bytes(), PageKind::system_default, machine.files, node);
    const KindOf<Row> kind = sweep_kind_with(options.counters);
    return measure_result(kind, options, line,
                          [&](MeasuredResult& result) { measure_sweep(result, options, plan, machine); });
}

} // namespace

CheckAfter check_after(const TeamPlan& team, bool is_disturbed, bool is_interrupted) {
    if (is_interrupted)
        return CheckAfter::none;
    if (is_strided(team))
        return CheckAfter::prefetching;
    return team.largest_bytes >= mib && !is_disturbed ? CheckAfter::foreseen_chains : CheckAfter::none;
}

const Command sweep_command{.summary = "measure latency by memory size",
                            .examples = {{{"memtest --random", "latency of each cache and of memory"},
                                          {"memtest -r --max-size 64 -o sweep.csv", "up to 64 MiB, into a file"}}},
                            .about = "Times a dependent walk along a chain of cache lines in memory areas of growing\n"
                                     "size and prints CSV: one row for each size and thread, in ns per access. By\n"
                                     "default it walks backward by a stride, as lat_mem_rd does. Prefetchers follow\n"
                                     "a stride, so use --random to measure latency.\n",
                            .closing = "Sizes take a unit: 64K, 1.5M, 2G, 512KiB (powers of 1024).\n"
                                       "Exit status: 0 success, 1 failure while running, 2 usage error,\n"
                                       "128+n if ended by signal n.\n",
                            .options = [] { return texts_of(sweep_options()); },
                            .run = run_sweep_command};

} // namespace memtest

#include "memtest/cli/commands/prefetch.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/measuring.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/kinds/prefetch.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/result/description.hpp"
#include "memtest/version.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memtest {
namespace {

constexpr double prefetch_seconds = 6;

std::vector<MeasuringOption> prefetch_option_table() {
    return measuring_options<Options>({{{"Options", 0, "size", "MiB", "memory in each kind of pages",
                                         "8 times the last cache, at least 128 MiB, at most 1024 MiB"},
                                        [](auto& o, auto& a) { o.max_bytes = parse_size(a, mib); }},
                                       shared_option("seed"),
                                       one_processor_option(),
                                       time_option("6")});
}

/// The kinds of pages that the kernel gave everywhere: short of memory, it gives small ones for huge ones.
std::vector<PageKind> granted_kinds(const PatternPlan& plan, const std::vector<ThreadFacts>& facts,
                                    const SystemFiles& files) {
    std::vector<PageKind> kinds;
    for (std::size_t i = 0; i < plan.pages.size(); ++i) {
        const PageKind kind = plan.pages[i];
        if (kind == PageKind::base || is_all_in_pages_of(facts[i].pages, page_bytes_of(kind, files)))
            kinds.push_back(kind);
    }
    return kinds;
}

void measure_prefetch(MeasuredResult& result, const PrefetchRun& prefetch, const Machine& machine) {
    const PatternPlan& plan = prefetch.patterns;
    // Fewer where each lap first reads other memory, to empty the caches.
    const unsigned rounds = plan.evicted_bytes > 0 ? 3 : pattern_rounds;
    if (plan.processor)
        pin_to(*plan.processor);
    RealPatterns probe(plan, machine.files, Interruption::requested());
    const std::vector<ThreadFacts> facts = probe.facts(machine.files);
    RunDescription run = describe_machine(prefetch.team, machine, facts);
    run.pages.reset(); // each row has its own
    run.line_bytes = plan.line_bytes;
    run.seed = plan.seed;
    run.most_seconds = prefetch_seconds;
    run.largest_size = LargestSize{.bytes = plan.bytes};
    const std::vector<PatternStep> steps =
        pattern_steps(granted_kinds(plan, facts, machine.files), plan.line_bytes, plan.page_bytes);
    result.begin({fmt::format("memtest {}: what prefetchers do to dependent loads", version),
                  fmt::format("Accesses to lines that are in no cache, in {} of memory; one load in the loop",
                              human_size(plan.bytes)),
                  fmt::format("Median of {} rounds; Hops is the last of those timed (16: hops 9 to 16)", rounds)},
                 run, steps.size());
    result.warn_of_kinds(prefetch.team.processors, {}, machine);
    result.measure([&] {
        const auto points = sweep_patterns(probe, steps, rounds, result.progress(), result.time_is_up());
        for (const PatternFigure& figure : figures_of(points, plan.line_bytes))
            result.row(figure);
    });
    result.end(result.is_whole() ? prefetch_findings(prefetchers_in(result.so_far())) : Findings{});
}

ExitStatus run_prefetch(const CommandLine& line) {
    const Options options = options_of_prefetch(line);
    const Machine machine = read_machine();
    const PrefetchRun run = plan_prefetch(options, machine);
    return measure_result(prefetch_kind, options, line,
                          [&](MeasuredResult& result) { measure_prefetch(result, run, machine); });
}

} // namespace

Options options_of_prefetch(const CommandLine& line) {
    return with_options(Options{.shape = {.order = Order::random}}, prefetch_option_table(), line);
}

PrefetchRun plan_prefetch(const Options& options, const Machine& machine, bool can_flush) {
    constexpr std::size_t most_bytes = 1024 * mib;
    PrefetchRun run{.team = team_for(options, machine), .patterns = {}};
    PatternPlan& plan = run.patterns;
    const int processor = run.team.processors.front();
    plan.processor = run.team.pinned ? std::optional(processor) : std::nullopt;
    plan.seed = options.shape.seed;
    plan.line_bytes = line_bytes_of(machine.allowed, processor).value_or(options.shape.line_bytes);
    plan.pages = {PageKind::base};
    if (machine.gives_transparent_pages())
        plan.pages.push_back(PageKind::transparent_huge);
    const std::uint64_t cache = last_cache_bytes(with_ids(machine.allowed, {processor}));
    plan.page_bytes = base_page_bytes();
    const std::size_t least = least_pattern_bytes(plan.line_bytes, plan.page_bytes);
    const auto usual = static_cast<std::size_t>(
        std::clamp<std::uint64_t>(capped_product<std::uint64_t>(cache, 8), least, std::max(least, most_bytes)));
    constexpr std::uint64_t evicting = 64 * mib; // where the system reports no cache
    if (!can_flush)
        plan.evicted_bytes = static_cast<std::size_t>(
            std::clamp<std::uint64_t>(capped_product<std::uint64_t>(cache, 2), evicting, most_bytes));
    if (options.max_bytes && *options.max_bytes < least)
        throw usage_error(
            fmt::format("--size {}: the minimum is {}", human_size(*options.max_bytes), human_size(least)));
    // Each kind of pages takes as much.
    const auto kinds = plan.pages.size();
    const std::string least_name =
        options.max_bytes ? "--size " + human_size(*options.max_bytes) : "the minimum, " + human_size(least);
    const LargestSize share = share_of_memory({.option = "size",
                                               .usual = options.max_bytes.value_or(usual) * kinds + plan.evicted_bytes,
                                               .least = options.max_bytes.value_or(least) * kinds + plan.evicted_bytes,
                                               .least_name = least_name + " in each kind of pages,"},
                                              run.team, machine);
    plan.bytes = static_cast<std::size_t>(share.bytes - plan.evicted_bytes) / kinds;
    return run;
}

const Command prefetch_command{.name = "prefetch",
                               .summary = "measure what prefetchers do",
                               .examples = {{{"memtest prefetch", "strides, pairs of lines, repeated laps"},
                                             {"memtest prefetch -o a.csv", "into a file, for 'memtest plot'"}}},
                               .about =
                                   "Measures what each prefetcher is worth to dependent loads from memory: the\n"
                                   "latency of random accesses, of strides, of the other line of a pair, of a lap\n"
                                   "that repeats, and of links by pointer and by index, with small and huge pages.\n"
                                   "It prints CSV, then what the prefetchers follow.\n",
                               .options = [] { return texts_of(prefetch_option_table()); },
                               .run = run_prefetch};

} // namespace memtest

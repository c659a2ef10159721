#include "memtest/cli/verbs/loaded_plan.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/id_list.hpp"
#include "memtest/base/units.hpp"
#include "memtest/cli/probe/command_line.hpp"
#include "memtest/cli/probe/resources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

using LoadedOption = Option<LoadedOptions>;

std::vector<std::string_view> estimate_words() {
    return {word_of(Estimate::median), word_of(Estimate::mean)};
}

void set_estimate(LoadedOptions& options, const Argument& argument) {
    const auto estimate = value_of<Estimate>(argument.value);
    if (estimate == Estimate::min)
        throw usage_error("--estimate min: under load the smallest batch is one in which a loader was taken off its "
                          "processor; give median or mean");
    if (!estimate)
        throw not_one_of(argument, estimate_words());
    options.timing.estimate = *estimate;
}

/// The processor that is measured.
int measured_processor(const LoadedOptions& options, const Machine& machine) {
    if (options.cpus && options.cpus->size() != 1)
        throw usage_error(fmt::format("--cpu {}: give one processor to measure; --load-cpu names those that load",
                                      format_ids(*options.cpus)));
    if (options.cpus)
        return options.cpus->front();
    for (const int processor : choose_processors(machine.allowed, machine.current, machine.allowed.size())) {
        if (!options.load_cpus || std::ranges::count(*options.load_cpus, processor) == 0)
            return processor;
    }
    throw usage_error(
        fmt::format("--load-cpu {}: leaves no processor to measure; name fewer", format_ids(*options.load_cpus)));
}

/// The measured one first.
std::vector<int> processors_for(const LoadedOptions& options, const Machine& machine) {
    for (const auto& [name, ids] : {std::pair("cpu", options.cpus), std::pair("load-cpu", options.load_cpus)}) {
        if (ids)
            check_processors(name, *ids, machine);
    }
    const int measured = measured_processor(options, machine);
    if (!options.load_cpus)
        return choose_processors(machine.allowed, measured, std::max<std::size_t>(2, physical_cores(machine.allowed)));
    if (std::ranges::count(*options.load_cpus, measured) > 0)
        throw usage_error(fmt::format("--cpu {}: --load-cpu {} names it, too; a processor is measured or loads",
                                      measured, format_ids(*options.load_cpus)));
    std::vector<int> all{measured};
    all.insert(all.end(), options.load_cpus->begin(), options.load_cpus->end());
    return all;
}

PageKind pages_for(const LoadedOptions& options, const Machine& machine) {
    return options.page_kind.value_or(machine.gives_transparent_pages() ? PageKind::transparent_huge
                                                                        : PageKind::system_default);
}

/// Sets the memory of each thread: as asked for, or the default, or what fits.
void fit_memory(LoadedRun& run, const LoadedOptions& options, const Machine& machine, const SystemFiles& files) {
    const std::size_t smallest = Loader::lines_in_portion * run.team.shape.line_bytes;
    if (options.size_bytes && *options.size_bytes < smallest)
        throw usage_error(
            fmt::format("--size {}: give at least {}", human_size(*options.size_bytes), human_size(smallest)));
    const std::uint64_t last_cache = last_cache_bytes(with_ids(machine.allowed, {run.team.processors.front()}));
    const auto usual = static_cast<std::size_t>(std::max<std::uint64_t>(256 * mib, 8 * last_cache));
    const auto least = static_cast<std::size_t>(std::max(2 * mib, 2 * last_cache)); // less would stay in the cache
    const MemoryShare share =
        share_of_memory({.option = "size",
                         .asked = options.size_bytes,
                         .usual = usual,
                         .least = least,
                         .least_name = fmt::format("the least that reaches memory, {} MiB,", least / mib),
                         .remedy = "free some, or name fewer processors with --load-cpu"},
                        run.team, machine, files);
    run.lowered = share.lowered;
    run.team.largest_bytes = share.bytes;
    run.team.area_bytes = share.bytes;
}

} // namespace

std::vector<LoadedOption> loaded_options() {
    constexpr std::string_view group = "Options";
    LoadedOption cpu = shared_option<LoadedOptions>("cpu", "processor that is measured (default: the current one)", "");
    cpu.argument = "N";
    LoadedOption pages =
        shared_option<LoadedOptions>("pages", probe_option("pages").help, "thp where the system gives them");
    pages.set = [](LoadedOptions& o, const Argument& a) { o.page_kind = parse_choice<PageKind>(a); };
    LoadedOption points =
        shared_option<LoadedOptions>("points", "steps of load, evenly spaced in bandwidth, 1 to 64", "12");
    points.set = [](LoadedOptions& o, const Argument& a) { o.steps = parse_count(a, 1, 64); };
    LoadedOption estimate = shared_option<LoadedOptions>(
        "estimate", "what a row reports over the batches in which all loaders ran", "median");
    estimate.words = estimate_words;
    estimate.set = set_estimate;
    return {
        std::move(cpu),
        {group, 0, "load-cpu", "LIST", "processors that load (default: one per other physical core)", "",
         [](LoadedOptions& o, const Argument& a) {
             ProbeOptions list;
             probe_option("cpu").set(list, a);
             o.load_cpus = list.cpus;
         }},
        {group, 0, "writes", "PCT",
         "of the lines have a word changed, 0 to 100: 0, 33, 50 and 100 give reads only, and 3, 2 and 1 reads for "
         "each write",
         "0",
         [](LoadedOptions& o, const Argument& a) { o.write_percent = static_cast<unsigned>(parse_count(a, 0, 100)); }},
        {group, 0, "size", "MiB",
         "memory of each thread; fractions allowed (default: the larger of 256 MiB and 8 times the last cache, or "
         "what fits)",
         "", [](LoadedOptions& o, const Argument& a) { o.size_bytes = parse_size(a, mib); }},
        std::move(points),
        std::move(pages),
        shared_option<LoadedOptions>(
            "node",
            "NUMA node that the memory is taken from, or one for each thread, that of --cpu first (default: the "
            "one that the thread runs on)",
            ""),
        shared_option<LoadedOptions>("seed"),
        shared_option<LoadedOptions>("precision",
                                     "visit each step until its visits agree to PCT percent, at most 16 times", "2"),
        std::move(estimate),
        shared_option<LoadedOptions>(
            "stats",
            "append columns: disagreement between visits, visits, batches that count, batches set aside, notes", ""),
        shared_option<LoadedOptions>("format", "csv or json", "csv"),
        shared_option<LoadedOptions>("output"),
        shared_option<LoadedOptions>("quiet")};
}

LoadedOptions parse_loaded_options(const std::vector<std::string>& arguments) {
    LoadedOptions options;
    parse_options(loaded_options(), arguments, options, "memtest loaded");
    return options;
}

LoadedRun plan_loaded(const LoadedOptions& asked, const Machine& machine, const SystemFiles& files) {
    check_pinning("memtest loaded", machine);
    if (machine.allowed.size() < 2)
        throw usage_error("memtest loaded needs two processors, and one may be used here; allow more (taskset, control "
                          "group)");
    LoadedOptions options = asked;
    options.cpus = processors_for(asked, machine);
    options.threads = static_cast<unsigned>(options.cpus->size());
    if (options.nodes && options.nodes->size() != 1 && options.nodes->size() != options.threads)
        throw usage_error(fmt::format("--node {}: names {} nodes for {} processors; give one for all or one for each",
                                      format_ids(*options.nodes), options.nodes->size(), options.threads));
    options.pages = pages_for(options, machine);
    options.shape.line_bytes = line_bytes_of(machine.allowed, options.cpus->front()).value_or(options.shape.line_bytes);
    LoadedRun run;
    run.team = team_for(options, machine);
    fit_memory(run, options, machine, files);
    check_pages_available(run.team.pages, run.team.area_bytes, options.threads, run.team.nodes, files);
    run.sweep = {.steps = options.steps,
                 .pattern = {.line_bytes = run.team.shape.line_bytes, .write_percent = options.write_percent},
                 .timing = options.timing,
                 .loaders = {run.team.processors.begin() + 1, run.team.processors.end()}};
    return run;
}

} // namespace memtest

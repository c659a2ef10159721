#include "memtest/cli/load_plan.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/id_list.hpp"
#include "memtest/base/units.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/machine/kinds.hpp"
#include "memtest/measure/load_generator.hpp"
#include "memtest/result/description.hpp"
#include "memtest/result/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace memtest {
namespace {

std::vector<Option<LoadOptions>> load_option_table() {
    return {
        one_processor_option(),
        {{"Options", 0, "load-cpu", "LIST", "processors of the load threads (default: one per other physical core)"},
         [](auto& o, auto& a) {
             o.load_cpus = parse_distinct_ids(a.value);
             if (!o.load_cpus)
                 throw refused(a, "a list of distinct processors, such as 2 or 0,4 or 0-3");
         }},
        {{"Options", 0, "size", "MiB",
          "memory of each thread; fractions are allowed (default: the larger of 256 MiB and 8 times the last cache, "
          "or what fits)"},
         [](auto& o, auto& a) { o.max_bytes = parse_size(a, mib); }},
        shared_option("pages", shared_option("pages").help, huge_pages_if_granted),
        shared_option("node",
                      "NUMA node of the memory, for all threads or one per thread, that of --cpu first (default: "
                      "the node that the thread runs on)")};
}

/// The measured processor.
int measured_processor(const LoadOptions& options, const Machine& machine) {
    if (options.cpus)
        return options.cpus->front();
    const std::vector<Processor> all = processors_to_choose(options, machine);
    for (const int processor : choose_processors(all, machine.current, all.size())) {
        if (!options.load_cpus || std::ranges::count(*options.load_cpus, processor) == 0)
            return processor;
    }
    throw usage_error(
        fmt::format("--load-cpu {} leaves no processor to measure; name fewer", format_ids(*options.load_cpus)));
}

/// The measured one first, then those of the load threads. @param loads whether there are any
std::vector<int> processors_of_all(const LoadOptions& options, const Machine& machine, bool loads) {
    for (const auto& [name, ids] : {std::pair("cpu", options.cpus), std::pair("load-cpu", options.load_cpus)}) {
        if (ids)
            check_processors(name, *ids, machine);
    }
    const int measured = measured_processor(options, machine);
    if (!loads)
        return {measured};
    if (!options.load_cpus)
        return choose_processors(with_kind_first(machine.allowed, measured), measured,
                                 std::max<std::size_t>(2, physical_cores(machine.allowed)));
    if (std::ranges::count(*options.load_cpus, measured) > 0)
        throw usage_error(fmt::format("--cpu {} is also in --load-cpu {}; a processor is either measured or loads",
                                      measured, format_ids(*options.load_cpus)));
    std::vector<int> all{measured};
    all.insert(all.end(), options.load_cpus->begin(), options.load_cpus->end());
    return all;
}

/// Sets the memory of each thread: as requested, or the default, or what fits.
void fit_memory(LoadedTeam& run, const LoadOptions& options, const Machine& machine) {
    const std::size_t smallest = LoadGenerator::lines_in_portion * run.team.shape.line_bytes;
    if (options.max_bytes && *options.max_bytes < smallest)
        throw usage_error(
            fmt::format("--size {}: the minimum is {}", human_size(*options.max_bytes), human_size(smallest)));
    const std::vector<Processor> measured = with_ids(machine.allowed, {run.team.processors.front()});
    const std::uint64_t last_cache = last_cache_bytes(measured);
    const auto usual = static_cast<std::size_t>(std::max<std::uint64_t>(256 * mib, 8 * last_cache));
    const auto least = static_cast<std::size_t>(std::max(2 * mib, 2 * last_cache)); // less would stay in the cache
    run.largest = share_of_memory(
        {.option = "size",
         .asked = options.max_bytes,
         .usual = usual,
         .least = least,
         .least_name = fmt::format("the minimum that reaches memory, {} MiB,", least / mib),
         .remedy = run.team.processors.size() > 1 ? "free some, or name fewer processors in --load-cpu" : "free some"},
        run.team, machine);
    run.team.largest_bytes = run.team.area_bytes = static_cast<std::size_t>(run.largest.bytes);
    // Without --size it is what fits, and cannot be larger.
    if (options.max_bytes)
        run.warning = warning_on_little_memory(run.team.largest_bytes, measured, "size");
}

} // namespace

Option<LoadOptions> load_option(std::string_view name) {
    const std::vector<Option<LoadOptions>> table = load_option_table();
    return *std::ranges::find(table, name, &OptionText::name);
}

LoadedTeam plan_loaded_team(std::string_view command, bool loads, const LoadOptions& asked, const Machine& machine,
                            const ChainChoice& choose) {
    if (loads)
        check_pinning(command, machine);
    if (loads && machine.allowed.size() < 2)
        throw usage_error(fmt::format("{} requires two processors, but only one is available; allow more (taskset, "
                                      "control group)",
                                      command));
    LoadOptions options = asked;
    const std::vector<int> processors = processors_of_all(asked, machine, loads);
    if (!machine.pinning_refused) {
        options.cpus = processors;
        options.core_kind.reset();
    }
    options.threads = static_cast<unsigned>(processors.size());
    if (options.nodes && options.nodes->size() != 1 && options.nodes->size() != options.threads)
        throw usage_error(fmt::format("--node {} names {} nodes for {} threads; name one for all or one per thread",
                                      format_ids(*options.nodes), options.nodes->size(), options.threads));
    const bool takes_huge_pages = !options.memory_file && machine.gives_transparent_pages();
    options.pages = options.pages.value_or(takes_huge_pages ? PageKind::transparent_huge : PageKind::system_default);
    options.shape.line_bytes = line_bytes_of(machine.allowed, processors.front()).value_or(options.shape.line_bytes);
    LoadedTeam run{.team = team_for(options, machine)};
    fit_memory(run, options, machine);
    check_pages_available(run.team.pages, run.team.area_bytes, options.threads, run.team.nodes, machine.files);
    if (choose)
        run.team.shape = choose(run.team, machine);
    return run;
}

RunDescription describe_loaded(const LoadedTeam& plan, const Machine& machine, const std::vector<ThreadFacts>& facts) {
    RunDescription run = describe_machine(plan.team, machine, facts);
    run.order = plan.team.shape.order;
    run.line_bytes = plan.team.shape.line_bytes;
    run.seed = plan.team.shape.seed;
    run.largest_size = plan.largest;
    return run;
}

} // namespace memtest

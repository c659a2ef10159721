#include "memtest/cli/commands/report.hpp"

#include "memtest/base/id_list.hpp"
#include "memtest/base/units.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/machine/kinds.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/measure/load_generator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace memtest {
namespace {

/// The requested size; else well beyond the caches, or what fits. In whole lines, since some steps measure only this
/// size. @throws Error (usage) for one in which a step has nothing to measure
std::size_t largest_bytes(const Options& options, const TeamPlan& team, const Machine& machine) {
    const int processor = team.processors.front();
    const std::size_t least =
        LoadGenerator::lines_in_portion * line_bytes_of(machine.allowed, processor).value_or(options.shape.line_bytes);
    if (options.max_bytes && *options.max_bytes < least)
        throw usage_error(
            fmt::format("--max-size {}: the minimum is {}", human_size(*options.max_bytes), human_size(least)));
    const std::uint64_t beyond_caches =
        last_caches_to_memory * last_cache_bytes(machine.allowed); // of any kind of core
    const auto usual = static_cast<std::size_t>(std::max(128 * mib, beyond_caches));
    const auto bytes = static_cast<std::size_t>(share_for_sweep(options, team, machine, usual).bytes);
    return bytes / options.shape.line_bytes * options.shape.line_bytes;
}

/// One per core, or evenly spread ones if their pairs would take too long.
std::vector<int> processors_to_pair(const Machine& machine) {
    constexpr std::size_t most = 24; // 276 pairs, of about 12 ms each
    return spread(choose_processors(machine.allowed, machine.allowed.front().id, physical_cores(machine.allowed)),
                  most);
}

/// @param name none if the option is not given
GivenOption size_option(const char* name, std::size_t bytes) {
    return {name, fmt::format("{}B", bytes)};
}

// What steps are given: somewhat more than they took on an idle virtual machine of four processors (Zen 3), for the
// rounds of a sweep, and for linking and walking its largest sizes.
constexpr double most_seconds = 48; // of which run_steps() announces two thirds more
constexpr double rounds_seconds = 7;
constexpr double sweep_seconds_per_gib = 12;
constexpr double chains_seconds = 0.3;
constexpr double chains_seconds_per_gib = 2;
constexpr double pair_seconds = 0.012; // of processors; see processors_to_pair()

/// Gives each step its share of the time that is asked for, or of the usual one.
void give_time(std::vector<ReportStep>& steps, const std::optional<double>& asked) {
    double planned = 0;
    for (const ReportStep& step : steps)
        planned += step.seconds;
    for (ReportStep& step : steps)
        step.seconds *= planned > 0 ? asked.value_or(std::min(planned, most_seconds)) / planned : 0;
}

} // namespace

std::vector<ReportStep> plan_report(const ReportOptions& options, const Machine& machine) {
    const TeamPlan team = team_for(options, machine);
    const std::size_t largest = largest_bytes(options, team, machine);
    const double gib_of_largest = static_cast<double>(largest) / (1024 * static_cast<double>(mib));
    const double seconds_of_sweep = rounds_seconds + sweep_seconds_per_gib * gib_of_largest;
    const ChainShape& shape = options.shape;
    const GivenOption cpu{team.pinned ? "cpu" : "", fmt::format("{}", team.processors.front())};
    const GivenOption up_to = size_option("max-size", largest);
    const GivenOption random{"random"};
    const GivenOption orders{shape.orders > 1 ? "orders" : "", fmt::format("{}", shape.orders)};
    const GivenOption index{shape.link == Link::index ? "index" : ""};
    const GivenOption large_pages{"pages", machine.gives_transparent_pages() ? "thp" : "default"};
    const auto asks_for = [&](std::string_view section) { return std::ranges::count(options.only, section) > 0; };

    std::vector<ReportStep> steps;
    const auto add = [&](std::string name, const Command& command, std::vector<GivenOption> given, double seconds) {
        const std::string_view section = section_of_part(name);
        if (std::ranges::count(options.without, section) > 0 || (!options.only.empty() && !asks_for(section)))
            return;
        std::erase_if(given, [](const GivenOption& option) { return option.name.empty(); });
        steps.push_back({std::move(name), &command, std::move(given), seconds});
    };
    const auto add_sweep = [&](std::string name, const GivenOption& pages, const GivenOption& processor) {
        add(std::move(name), sweep_command,
            {random, orders, index, {"stats"}, {"cycles"}, {"points", "4"}, pages, up_to, processor}, seconds_of_sweep);
    };
    add_sweep("sweep", {"pages", "4k"}, cpu);
    add_sweep("huge", {"pages", "thp"}, cpu);
    const std::vector<CoreKind> kinds = team.pinned ? kinds_of(machine.allowed) : std::vector<CoreKind>{};
    for (const CoreKind& kind : kinds) {
        const int processor = kind.processors.front();
        if (kind.name != kind_with(kinds, team.processors.front()).name)
            add_sweep(fmt::format("kind{}", processor), large_pages, {"cpu", fmt::format("{}", processor)});
    }
    if (kinds.size() < 2 && asks_for("kinds"))
        steps.push_back({.name = "kinds", .lacking = "no processors of several kinds can be chosen"});
    for (const char* chains : {"1", "2", "4", "8", "16", "32"})
        add(fmt::format("parallel{}", chains), sweep_command,
            {random,
             orders,
             index,
             {"stats"},
             {"parallel", chains},
             large_pages,
             size_option("min-size", largest),
             up_to,
             cpu},
            chains_seconds + chains_seconds_per_gib * gib_of_largest);
    // By default it takes as many pages as make sense.
    const bool is_less_than_usual = largest < 128 * mib;
    add("tlb", tlb_command, {size_option(is_less_than_usual ? "max-size" : "", largest), cpu}, 4);
    // With a single core the command itself reports what it lacks.
    const bool has_pairs = team.pinned && physical_cores(machine.allowed) > 1;
    const std::vector<int> paired = has_pairs ? processors_to_pair(machine) : std::vector<int>{};
    add("cores", cores_command, {{has_pairs ? "cpu" : "", format_ids(paired)}},
        2 + pair_seconds * static_cast<double>(paired.size() * paired.size()) / 2);
    const GivenOption memory = size_option(options.max_bytes ? "size" : "", largest);
    add("loaded", loaded_command, {{"loads", "6"}, memory, cpu}, 6);
    const bool can_load = team.pinned && machine.allowed.size() > 1;
    add("tail", tail_command, {{"samples", "262144"}, {can_load ? "load" : "", "100"}, memory, cpu}, 6);
    if (machine.numa_nodes.size() > 1 || asks_for("nodes"))
        add("nodes", nodes_command, {{"bandwidth"}, memory}, 3);
    add("prefetch", prefetch_command, {memory, cpu}, 3);
    give_time(steps, options.most_seconds);
    if (steps.empty())
        throw usage_error(
            fmt::format("--without {}: nothing is left to measure here", fmt::join(options.without, ",")));
    return steps;
}

} // namespace memtest

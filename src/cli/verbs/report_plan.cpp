#include "memtest/cli/verbs/report.hpp"

#include "memtest/base/id_list.hpp"
#include "memtest/base/units.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/insight/reported_cache.hpp"
#include "memtest/machine/kinds.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/measure/load_generator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <sstream>
#include <utility>

namespace memtest {
namespace {

/// A size at which the last cache holds little, on a core of any kind.
std::size_t beyond_caches(const Machine& machine) {
    return static_cast<std::size_t>(last_caches_to_memory * last_cache_bytes(machine.allowed));
}

/// The requested size; else well beyond the caches, or what fits. In whole lines, since some steps measure only this
/// size. @throws Error (usage) for one in which a step has nothing to measure
std::size_t largest_bytes(const Options& options, const TeamPlan& team, const Machine& machine) {
    const int processor = team.processors.front();
    const std::size_t least =
        LoadGenerator::lines_in_portion * line_bytes_of(machine.allowed, processor).value_or(options.shape.line_bytes);
    if (options.max_bytes && *options.max_bytes < least)
        throw usage_error(
            fmt::format("--max-size {}: the minimum is {}", human_size(*options.max_bytes), human_size(least)));
    const std::size_t usual = std::max<std::size_t>(128 * mib, beyond_caches(machine));
    const std::size_t bytes = share_for_sweep(options, team, machine, usual).bytes;
    return bytes / options.shape.line_bytes * options.shape.line_bytes;
}

/// One per core, or evenly spread ones if their pairs would take too long.
std::vector<int> processors_to_pair(const Machine& machine) {
    constexpr std::size_t most = 24; // 276 pairs, of about 12 ms each
    auto all = choose_processors(machine.allowed, machine.allowed.front().id, physical_cores(machine.allowed));
    if (all.size() <= most)
        return all;
    std::vector<int> some;
    for (std::size_t i = 0; i < most; ++i)
        some.push_back(all[i * all.size() / most]);
    return some;
}

/// The words between blanks.
std::vector<std::string> words_of(const std::string& text) {
    std::istringstream words(text);
    return {std::istream_iterator<std::string>(words), {}};
}

} // namespace

std::vector<ReportStep> plan_report(const Options& options, const Machine& machine) {
    const TeamPlan team = team_for(options, machine);
    const std::size_t largest = largest_bytes(options, team, machine);
    const std::string cpu = team.pinned ? fmt::format(" --cpu {}", team.processors.front()) : "";
    const std::string up_to = fmt::format(" --max-size {}B", largest);
    const ChainShape& shape = options.shape;
    const std::string random = "--random" + (shape.orders > 1 ? fmt::format(" --orders {}", shape.orders) : "") +
                               (shape.link == Link::index ? " --index" : "");
    const std::string sweep = random + " --stats --cycles --points 4";

    std::vector<ReportStep> steps{{"sweep", &probe_command, words_of(sweep + " --pages 4k" + up_to + cpu)},
                                  {"huge", &probe_command, words_of(sweep + " --pages thp" + up_to + cpu)}};
    const std::string large_pages = machine.gives_transparent_pages() ? "thp" : "default";
    const std::vector<CoreKind> kinds = team.pinned ? kinds_of(machine.allowed) : std::vector<CoreKind>{};
    for (const CoreKind& kind : kinds) {
        if (kind.name != kind_with(kinds, team.processors.front()).name)
            steps.push_back({fmt::format("kind{}", kind.processors.front()), &probe_command,
                             words_of(fmt::format("{} --pages {}{} --cpu {}", sweep, large_pages, up_to,
                                                  kind.processors.front()))});
    }
    for (const unsigned chains : {1U, 2U, 4U, 8U, 16U, 32U})
        steps.push_back({fmt::format("parallel{}", chains), &probe_command,
                         words_of(fmt::format("{} --stats --parallel {} --pages {} --min-size {}B{}{}", random, chains,
                                              large_pages, largest, up_to, cpu))});
    // By default it takes as many pages as make sense.
    const bool is_less_than_usual = largest < 128 * mib;
    steps.push_back({"tlb", &tlb_command, words_of((is_less_than_usual ? up_to : "") + cpu)});
    // With a single core the command itself reports what it lacks.
    const bool has_pairs = team.pinned && physical_cores(machine.allowed) > 1;
    const std::string between = has_pairs ? "--cpu " + format_ids(processors_to_pair(machine)) : "";
    steps.push_back({"cores", &cores_command, words_of(between)});
    const std::string memory = options.max_bytes ? fmt::format(" --size {}B", largest) : "";
    steps.push_back({"loaded", &loaded_command, words_of("--points 6" + memory + cpu)});
    const bool can_load = team.pinned && machine.allowed.size() > 1;
    steps.push_back({"tail", &tail_command,
                     words_of(std::string("--accesses 262144") + (can_load ? " --load 100" : "") + memory + cpu)});
    if (machine.numa_nodes.size() > 1)
        steps.push_back({"nodes", &nodes_command, words_of("--bandwidth" + (options.max_bytes ? up_to : ""))});
    steps.push_back({"prefetch", &prefetch_command, words_of((options.max_bytes ? up_to : "") + cpu)});
    return steps;
}

} // namespace memtest

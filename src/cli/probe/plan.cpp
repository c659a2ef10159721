#include "memtest/cli/probe/plan.hpp"

#include "memtest/base/capped.hpp"
#include "memtest/base/error.hpp"
#include "memtest/base/id_list.hpp"
#include "memtest/base/units.hpp"
#include "memtest/chain/schedule.hpp"
#include "memtest/cli/probe/resources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace memtest {
namespace {

std::vector<int> processors_for(const ProbeOptions& options, const Machine& machine) {
    if (!options.cpus)
        return choose_processors(machine.allowed, machine.current, options.threads);
    if (machine.pinning_refused)
        throw usage_error(fmt::format("--cpu {}: the system does not let threads be bound to processors: {}; leave "
                                      "--cpu out",
                                      format_ids(*options.cpus), *machine.pinning_refused));
    check_processors("cpu", *options.cpus, machine);
    return *options.cpus;
}

Error too_large(const ProbeOptions& options, std::uint64_t page, const MemoryPool& pool) {
    const std::uint64_t bytes = options.max_bytes.value_or(first_size_of(options));
    const std::string size = fmt::format("{:.10g} MiB", static_cast<double>(bytes) / mib);
    const std::uint64_t most_mib = pool.share_bytes(page) / mib;
    std::string remedy = "free some, or raise the limit (control group)";
    if (options.max_bytes && most_mib > 0)
        remedy = fmt::format("give at most {} MiB", most_mib);
    else if (options.min_bytes)
        remedy = "give a smaller --min-size";
    return too_much_memory(options.max_bytes ? "--max-size " + size : fmt::format("the smallest size, {},", size),
                           bytes, page, pool, remedy);
}

/// Sets the largest size: as asked for, or the default, or what fits.
void fit_memory(RunPlan& plan, const ProbeOptions& options, const Machine& machine, const SystemFiles& files) {
    plan.max_bytes = options.max_bytes.value_or(default_max_bytes);
    const std::uint64_t page = page_bytes_of(options.pages, files);
    const auto pool = tightest_pool(plan.team, machine, page);
    if (is_reserved(options.pages) || !pool || plan.max_bytes <= pool->share_bytes(page))
        return;
    const std::uint64_t first = first_size_of(options);
    if (options.max_bytes || first > pool->share_bytes(page))
        throw too_large(options, page, *pool);
    plan.max_bytes = static_cast<std::size_t>(std::max(pool->share_bytes(page) / mib * mib, first));
    plan.lowered = {.from_bytes = default_max_bytes, .available_bytes = pool->available_bytes};
}

/// What each thread maps. With plenty of memory, up to four times a small largest size, for visits at other places.
std::size_t area_bytes_for(const RunPlan& plan, const Machine& machine, std::uint64_t page) {
    constexpr std::size_t small = 32 * mib;
    const std::size_t largest = plan.team.largest_bytes;
    const std::size_t roomy = std::max(largest, std::min<std::size_t>(small, capped_product<std::size_t>(largest, 4)));
    const auto pool = tightest_pool(plan.team, machine, page);
    const bool plentiful = !is_reserved(plan.team.pages) && pool && roomy <= pool->share_bytes(page) / 4;
    return plentiful ? roomy : largest;
}

} // namespace

RunPlan plan_run(const ProbeOptions& options, const Machine& machine, const SystemFiles& files) {
    check_clock(machine.clock);
    RunPlan plan;
    plan.team.processors = processors_for(options, machine);
    plan.team.pinned = !machine.pinning_refused;
    plan.team.nodes = nodes_for(options, machine);
    fit_memory(plan, options, machine, files);
    plan.sweep.sizes = sweep_sizes({.first_bytes = smallest_size_of(options),
                                    .last_bytes = plan.max_bytes,
                                    .line_bytes = options.shape.line_bytes,
                                    .points_per_doubling = options.points});
    plan.sweep.timing = options.timing;
    plan.team.shape = options.shape;
    plan.team.warmup_laps = options.warmup_laps;
    plan.team.pages = options.pages;
    plan.team.counters = options.counters;
    require(!plan.sweep.sizes.empty(), "the first size fits below the largest");
    plan.team.largest_bytes = plan.sweep.sizes.back();
    plan.team.kept_from_bytes = kept_from(plan.sweep.sizes, options.shape);
    plan.team.area_bytes = area_bytes_for(plan, machine, page_bytes_of(options.pages, files));
    check_pages_available(options.pages, plan.team.area_bytes, options.threads, plan.team.nodes, files);
    return plan;
}

} // namespace memtest

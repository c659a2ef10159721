#include "memtest/cli/probe/plan.hpp"

#include "memtest/base/capped.hpp"
#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"
#include "memtest/chain/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memtest {
namespace {

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

MemoryShare share_for_sweep(const ProbeOptions& options, const TeamPlan& team, const Machine& machine,
                            const SystemFiles& files) {
    const std::size_t first = first_size_of(options);
    return share_of_memory(
        {.option = "max-size",
         .asked = options.max_bytes,
         .usual = default_max_bytes,
         .least = first,
         .least_name = fmt::format("the smallest size, {} MiB,", in_units(first, mib)),
         .remedy = options.min_bytes ? "give a smaller --min-size" : "free some, or raise the limit (control group)"},
        team, machine, files);
}

RunPlan plan_run(const ProbeOptions& options, const Machine& machine, const SystemFiles& files) {
    RunPlan plan;
    plan.team = team_for(options, machine);
    const MemoryShare largest = share_for_sweep(options, plan.team, machine, files);
    plan.max_bytes = largest.bytes;
    plan.lowered = largest.lowered;
    plan.sweep.sizes = sweep_sizes({.first_bytes = smallest_size_of(options),
                                    .last_bytes = plan.max_bytes,
                                    .line_bytes = options.shape.line_bytes,
                                    .points_per_doubling = options.points});
    plan.sweep.timing = options.timing;
    require(!plan.sweep.sizes.empty(), "the first size fits below the largest");
    plan.team.largest_bytes = plan.sweep.sizes.back();
    plan.team.kept_from_bytes = kept_from(plan.sweep.sizes, options.shape);
    plan.team.area_bytes = area_bytes_for(plan, machine, page_bytes_of(options.pages, files));
    check_pages_available(options.pages, plan.team.area_bytes, options.threads, plan.team.nodes, files);
    return plan;
}

} // namespace memtest

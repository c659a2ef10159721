#include "memtest/cli/probe/resources.hpp"

#include "memtest/base/capped.hpp"
#include "memtest/base/id_list.hpp"
#include "memtest/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memtest {
namespace {

/// The memory of these nodes together; nothing where one of them does not say.
std::optional<MemoryPool> pool_of_all(const std::vector<NumaNode>& nodes, unsigned threads) {
    std::uint64_t available = 0;
    for (const NumaNode& node : nodes) {
        if (!node.available_bytes)
            return std::nullopt;
        available += *node.available_bytes;
    }
    return MemoryPool{available, threads,
                      fmt::format("on node{} {}", nodes.size() == 1 ? "" : "s", format_ids(ids_of(nodes)))};
}

/// The memory of each node asked for, and that of all allowed nodes where others are forbidden.
std::vector<MemoryPool> pools_of_nodes(const TeamPlan& team, const Machine& machine) {
    std::vector<MemoryPool> pools;
    // An only node has what the machine has, and does not count what a hypervisor would still give.
    if (machine.numa_nodes.size() < 2 && !machine.has_forbidden_numa_nodes)
        return pools;
    for (const NumaNode& node : machine.numa_nodes) {
        const auto threads = static_cast<unsigned>(std::ranges::count(team.nodes, node.id));
        if (threads > 0 && node.available_bytes)
            pools.push_back({*node.available_bytes, threads, fmt::format("on node {}", node.id)});
    }
    if (machine.has_forbidden_numa_nodes) {
        const auto threads = static_cast<unsigned>(team.processors.size());
        if (const auto pool = pool_of_all(machine.numa_nodes, threads))
            pools.push_back(*pool);
    }
    return pools;
}

/// @throws Error (usage) where it is too coarse to time memory with
void check_clock(const ClockQuality& clock) {
    constexpr double coarsest_ns = 10'000; // batches of 10 ms, and seconds for the core's clock over a sweep
    if (clock.resolution_ns > coarsest_ns)
        throw usage_error(
            fmt::format("the system's clock steps by {:.0f} us, too coarse to time memory with; {:.0f} us "
                        "or finer is needed (see /sys/devices/system/clocksource)",
                        clock.resolution_ns / 1000, coarsest_ns / 1000));
}

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

/// The node of each thread's memory; empty where none was given. @throws Error (usage) for one without memory
std::vector<int> nodes_for(const ProbeOptions& options, const Machine& machine) {
    if (!options.nodes)
        return {};
    const std::vector<int> known = ids_of(machine.numa_nodes);
    for (const int node : *options.nodes) {
        if (std::ranges::count(known, node) == 0)
            throw usage_error(fmt::format("--node {}: node {} has no usable memory; nodes with memory: {}",
                                          format_ids(*options.nodes), node, format_ids(known)));
    }
    return options.nodes->size() == 1 ? std::vector(options.threads, options.nodes->front()) : *options.nodes;
}

/// @param what needs it @param bytes for each thread
Error too_much_memory(std::string_view what, std::uint64_t bytes, std::uint64_t page, const MemoryPool& pool,
                      std::string_view remedy) {
    // Rounds the need up and the supply down, so that the two figures differ.
    return usage_error(fmt::format("{} on {} thread{} needs {} MiB of memory, and {} MiB can be used {}; {}", what,
                                   pool.threads, pool.threads == 1 ? "" : "s",
                                   units_for(capped_product<std::uint64_t>(rounded_up(bytes, page), pool.threads), mib),
                                   pool.usable_bytes() / mib, pool.place, remedy));
}

} // namespace

std::uint64_t MemoryPool::usable_bytes() const {
    // The reserve: for the program itself (about 4 MiB), page tables and the rest of the system.
    return available_bytes - std::min(available_bytes, std::max(available_bytes / 32, 8 * mib));
}

void check_pinning(std::string_view command, const Machine& machine) {
    if (machine.pinning_refused)
        throw usage_error(fmt::format("{} needs threads bound to processors, and the system refuses: {}; let "
                                      "sched_setaffinity pass (seccomp)",
                                      command, *machine.pinning_refused));
}

void check_processors(std::string_view option, const std::vector<int>& processors, const Machine& machine) {
    const std::vector<int> allowed = ids_of(machine.allowed);
    for (const int processor : processors) {
        if (std::ranges::count(allowed, processor) == 0)
            throw usage_error(fmt::format("--{} {}: processor {} may not be used here; these may: {}", option,
                                          format_ids(processors), processor, format_ids(allowed)));
    }
}

TeamPlan team_for(const ProbeOptions& options, const Machine& machine) {
    check_clock(machine.clock);
    TeamPlan team;
    team.processors = processors_for(options, machine);
    team.pinned = !machine.pinning_refused;
    team.nodes = nodes_for(options, machine);
    team.shape = options.shape;
    team.warmup_laps = options.warmup_laps;
    team.pages = options.pages;
    team.counters = options.counters;
    return team;
}

std::optional<MemoryPool> tightest_pool(const TeamPlan& team, const Machine& machine, std::uint64_t page) {
    std::vector<MemoryPool> pools = pools_of_nodes(team, machine);
    if (machine.available_bytes)
        pools.push_back({*machine.available_bytes, static_cast<unsigned>(team.processors.size()), "here"});
    const auto tightest =
        std::ranges::min_element(pools, {}, [page](const MemoryPool& pool) { return pool.share_bytes(page); });
    return tightest == pools.end() ? std::nullopt : std::optional(*tightest);
}

MemoryShare share_of_memory(const MemoryWish& wish, const TeamPlan& team, const Machine& machine,
                            const SystemFiles& files) {
    const std::uint64_t page = page_bytes_of(team.pages, files);
    const auto pool = tightest_pool(team, machine, page);
    const std::size_t bytes = wish.asked.value_or(wish.usual);
    if (is_reserved(team.pages) || !pool || bytes <= pool->share_bytes(page))
        return {.bytes = bytes};
    const std::uint64_t most_mib = pool->share_bytes(page) / mib;
    if (wish.asked)
        throw too_much_memory(fmt::format("--{} {} MiB", wish.option, in_units(bytes, mib)), bytes, page, *pool,
                              most_mib > 0 ? fmt::format("give at most {} MiB", most_mib) : wish.remedy);
    if (wish.least > pool->share_bytes(page))
        throw too_much_memory(wish.least_name, wish.least, page, *pool, wish.remedy);
    return {.bytes = std::max(static_cast<std::size_t>(most_mib * mib), wish.least),
            .lowered = LoweredSize{.from_bytes = wish.usual, .available_bytes = pool->available_bytes}};
}

} // namespace memtest

#include "memtest/cli/probe/plan.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/id_list.hpp"
#include "memtest/base/units.hpp"
#include "memtest/chain/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace memtest {
namespace {

// Left alone of what is available: for the program itself (about 4 MiB), page tables and the rest of the system.
std::uint64_t usable_part_of(std::uint64_t available) {
    return available - std::min(available, std::max(available / 32, 8 * mib));
}

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
        return choose_processors(machine.allowed, machine.current, threads_of(options));
    if (machine.pinning_refused)
        throw usage_error(fmt::format("--cpu {}: the system does not let threads be bound to processors: {}; leave "
                                      "--cpu out",
                                      format_ids(*options.cpus), *machine.pinning_refused));
    std::vector<int> allowed;
    for (const Processor& p : machine.allowed)
        allowed.push_back(p.id);
    for (const int cpu : *options.cpus) {
        if (std::ranges::count(allowed, cpu) == 0)
            throw usage_error(fmt::format("--cpu {}: processor {} may not be used here; these may: {}",
                                          format_ids(*options.cpus), cpu, format_ids(allowed)));
    }
    return *options.cpus;
}

std::vector<int> ids_of(const std::vector<NumaNode>& nodes) {
    std::vector<int> ids;
    ids.reserve(nodes.size());
    for (const NumaNode& node : nodes)
        ids.push_back(node.id);
    return ids;
}

/// The node of each thread's memory; empty where none was asked for.
std::vector<int> nodes_for(const ProbeOptions& options, const Machine& machine) {
    if (!options.nodes)
        return {};
    const std::vector<int> known = ids_of(machine.numa_nodes);
    for (const int node : *options.nodes) {
        if (std::ranges::count(known, node) == 0)
            throw usage_error(fmt::format("--node {}: no memory can be had from node {} here; from these it can: {}",
                                          format_ids(*options.nodes), node, format_ids(known)));
    }
    return options.nodes->size() == 1 ? std::vector(threads_of(options), options.nodes->front()) : *options.nodes;
}

/// Memory that some of the threads share.
struct Room {
    std::uint64_t available_bytes;
    unsigned threads;
    std::string place; ///< "here", "on node 1"

    [[nodiscard]] std::uint64_t usable_per_thread() const { return usable_part_of(available_bytes) / threads; }
};

/// What all nodes together have from which memory may be taken; nothing where one of them does not say.
std::optional<Room> room_on_all(const std::vector<NumaNode>& nodes, unsigned threads) {
    std::uint64_t available = 0;
    for (const NumaNode& node : nodes) {
        if (!node.available_bytes)
            return std::nullopt;
        available += *node.available_bytes;
    }
    return Room{available, threads,
                fmt::format("on node{} {}", nodes.size() == 1 ? "" : "s", format_ids(ids_of(nodes)))};
}

/// What the nodes have that were asked for, and what those have that are allowed where others are not.
std::vector<Room> rooms_on_nodes(const RunPlan& plan, const Machine& machine) {
    std::vector<Room> rooms;
    // A machine's only node has what the machine has, and does not count what a hypervisor would still give.
    if (machine.numa_nodes.size() < 2 && !machine.has_forbidden_numa_nodes)
        return rooms;
    for (const NumaNode& node : machine.numa_nodes) {
        const auto threads = static_cast<unsigned>(std::ranges::count(plan.team.nodes, node.id));
        if (threads > 0 && node.available_bytes)
            rooms.push_back({*node.available_bytes, threads, fmt::format("on node {}", node.id)});
    }
    if (machine.has_forbidden_numa_nodes) {
        const auto threads = static_cast<unsigned>(plan.team.processors.size());
        if (const auto room = room_on_all(machine.numa_nodes, threads))
            rooms.push_back(*room);
    }
    return rooms;
}

/// The one that leaves each thread the least; nothing where the system does not say how much there is.
std::optional<Room> tightest_room(const RunPlan& plan, const Machine& machine) {
    std::vector<Room> rooms = rooms_on_nodes(plan, machine);
    if (machine.available_bytes)
        rooms.push_back({*machine.available_bytes, static_cast<unsigned>(plan.team.processors.size()), "here"});
    const auto tightest = std::ranges::min_element(rooms, {}, &Room::usable_per_thread);
    return tightest == rooms.end() ? std::nullopt : std::optional(*tightest);
}

Error too_much_memory(std::uint64_t max_bytes, const Room& room) {
    return usage_error(
        fmt::format("--max-size {} MiB on {} thread{} needs {} MiB of memory, and {} MiB can be used {}; "
                    "give at most {} MiB",
                    static_cast<double>(max_bytes) / mib, room.threads, room.threads == 1 ? "" : "s",
                    static_cast<double>(max_bytes) * room.threads / mib, usable_part_of(room.available_bytes) / mib,
                    room.place, room.usable_per_thread() / mib));
}

/// Sets the largest size to what was asked for, or to the default, or to what fits.
void fit_memory(RunPlan& plan, const ProbeOptions& options, const Machine& machine, const SystemFiles& files) {
    plan.max_bytes = options.max_bytes.value_or(default_max_bytes);
    const auto room = tightest_room(plan, machine);
    const std::uint64_t page = page_bytes_of(options.pages, files);
    const std::uint64_t filled =
        (std::uint64_t{plan.max_bytes} + page - 1) / page * page; // whole pages, maybe huge ones
    if (is_reserved(options.pages) || !room || filled <= room->usable_per_thread())
        return;
    const std::uint64_t whole_mib = room->usable_per_thread() / mib * mib;
    if (options.max_bytes || whole_mib < smallest_size_of(options))
        throw too_much_memory(plan.max_bytes, *room);
    plan.max_bytes = static_cast<std::size_t>(whole_mib);
    plan.lowered = {.from_bytes = default_max_bytes, .available_bytes = room->available_bytes};
}

/// What each thread maps: where memory is plentiful up to four times a small largest size, so that it has room for
/// other places, too.
std::size_t area_bytes_for(const RunPlan& plan, const Machine& machine) {
    constexpr std::size_t small = 32 * mib;
    const std::size_t largest = plan.team.largest_bytes;
    const std::size_t roomy = std::max(largest, std::min(small, largest * 4));
    const auto room = tightest_room(plan, machine);
    const bool plentiful = !is_reserved(plan.team.pages) && room && roomy <= room->usable_per_thread() / 4;
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
                                    .line_bytes = options.line_bytes,
                                    .points_per_doubling = options.points});
    plan.sweep.timing = timing_of(options);
    plan.team.shape = shape_of(options);
    plan.team.warmup_laps = options.warmup_laps;
    plan.team.pages = options.pages;
    plan.team.counters = options.counters;
    plan.team.largest_bytes = plan.sweep.sizes.back();
    plan.team.area_bytes = area_bytes_for(plan, machine);
    check_pages_available(options.pages, plan.team.area_bytes, threads_of(options), plan.team.nodes, files);
    return plan;
}

} // namespace memtest

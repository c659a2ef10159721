#include "memtest/cli/plan.hpp"

#include "memtest/base/id_list.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/chain/schedule.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/machine/kinds.hpp"
#include "memtest/measure/quick_checks.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace memtest {
namespace {

/// Memory that threads share.
struct MemoryPool {
    std::uint64_t available_bytes;
    unsigned threads;
    std::string place; ///< "here", "on node 1"

    /// Without a reserve: for the program itself (about 4 MiB), page tables and the rest of the system.
    [[nodiscard]] std::uint64_t usable_bytes() const {
        return available_bytes - std::min(available_bytes, std::max(available_bytes / 32, 8 * mib));
    }

    /// The share of each thread, in whole pages.
    [[nodiscard]] std::uint64_t share_bytes(std::uint64_t page) const { return usable_bytes() / threads / page * page; }
};

/// The pool with the smallest share: the memory of each node in --node, that of all nodes that the team may use if
/// others are forbidden, or that of the machine. std::nullopt if the free memory is unknown.
std::optional<MemoryPool> tightest_pool(const TeamPlan& team, const Machine& machine, std::uint64_t page) {
    const auto all_threads = static_cast<unsigned>(team.processors.size());
    std::vector<MemoryPool> pools;
    const auto add_nodes = [&](const std::vector<NumaNode>& nodes, unsigned threads) {
        std::uint64_t available = 0;
        for (const NumaNode& node : nodes) {
            if (!node.available_bytes)
                return;
            available += *node.available_bytes;
        }
        pools.push_back(
            {available, threads, fmt::format("on node{} {}", nodes.size() == 1 ? "" : "s", format_ids(ids_of(nodes)))});
    };
    // A single node has the machine's memory, but does not count what a hypervisor would still give.
    if (machine.numa_nodes.size() > 1 || machine.has_forbidden_numa_nodes) {
        for (const NumaNode& node : machine.numa_nodes) {
            if (const auto threads = static_cast<unsigned>(std::ranges::count(team.nodes, node.id)); threads > 0)
                add_nodes({node}, threads);
        }
        if (team.nodes.empty() && machine.memory_policy && machine.memory_policy->mode == "bind") {
            std::vector<NumaNode> bound = machine.numa_nodes;
            std::erase_if(bound, [&](const NumaNode& node) {
                return std::ranges::count(machine.memory_policy->nodes, node.id) == 0;
            });
            add_nodes(bound, all_threads);
        }
        if (machine.has_forbidden_numa_nodes)
            add_nodes(machine.numa_nodes, all_threads);
    }
    if (machine.available_bytes)
        pools.push_back({*machine.available_bytes, all_threads, "here"});
    const auto tightest =
        std::ranges::min_element(pools, {}, [page](const MemoryPool& pool) { return pool.share_bytes(page); });
    return tightest == pools.end() ? std::nullopt : std::optional(*tightest);
}

/// @throws Error (usage) if it is too coarse or too slow to time memory
void check_clock(const ClockQuality& clock, const std::optional<double>& core_ghz) {
    constexpr double highest_ghz = 12; // of any core, even cooled by liquid nitrogen
    if (core_ghz > highest_ghz)
        throw usage_error(fmt::format("by the system's clock the core runs at {:.0f} GHz, so the clock is too slow to "
                                      "measure with (see /sys/devices/system/clocksource)",
                                      *core_ghz));
    constexpr double coarsest_ns = 10'000; // then batches take 10 ms, and core clock readings seconds per sweep
    if (clock.resolution_ns > coarsest_ns)
        throw usage_error(
            fmt::format("the system's clock steps by {:.0f} us, too coarse to time memory with; {:.0f} us "
                        "or finer is needed (see /sys/devices/system/clocksource)",
                        clock.resolution_ns / 1000, coarsest_ns / 1000));
}

std::vector<int> processors_for(const Options& options, const Machine& machine) {
    if (machine.pinning_refused && (options.cpus || options.core_kind))
        throw usage_error(fmt::format("--cpu {}: the system does not allow threads to be pinned to processors: {}; "
                                      "omit --cpu",
                                      options.cpus ? format_ids(*options.cpus) : *options.core_kind,
                                      *machine.pinning_refused));
    if (!options.cpus)
        return choose_processors(with_kind_first(processors_to_choose(options, machine), machine.current),
                                 machine.current, options.threads);
    check_processors("cpu", *options.cpus, machine);
    return *options.cpus;
}

/// The node of each thread's memory; empty without --node. @throws Error (usage) for a node without memory
std::vector<int> nodes_for(const Options& options, const Machine& machine) {
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

/// The file that is the memory, if any. @throws Error (usage) like read_mapped_file
std::optional<MappedFile> memory_file_for(const Options& options, const SystemFiles& files) {
    if (!options.memory_file)
        return std::nullopt;
    std::error_code missing;
    if (options.output && std::filesystem::equivalent(*options.memory_file, *options.output, missing))
        throw usage_error(
            fmt::format("--output {} is also the file of --memory; name another", shown(*options.output)));
    return read_mapped_file(*options.memory_file, options.overwrite, files);
}

/// @param what needs it @param bytes per thread
Error too_much_memory(std::string_view what, std::uint64_t bytes, std::uint64_t page, const MemoryPool& pool,
                      std::string_view remedy) {
    // Rounds the need up and the supply down, so that the two figures differ.
    return usage_error(fmt::format("{} on {} needs {} MiB of memory, but only {} MiB are usable {}; {}", what,
                                   counted(pool.threads, "thread"),
                                   units_for(capped_product<std::uint64_t>(rounded_up(bytes, page), pool.threads), mib),
                                   pool.usable_bytes() / mib, pool.place, remedy));
}

/// What to do if a file has less than is needed.
std::string remedy_for_small_file(const MemoryWish& wish, const MappedFile& file, std::size_t threads) {
    const std::uint64_t share = file.share_bytes(threads);
    if (wish.asked && share > 0 && share >= wish.least)
        return fmt::format("reduce --{} to {}", wish.option, human_size(share));
    if (file.is_device)
        return share == 0 ? "measure on fewer threads" : wish.remedy;
    const std::uint64_t needed = wish.asked.value_or(std::max(wish.usual, wish.least));
    const auto enough = capped_product<std::uint64_t>(rounded_up(needed, file.page_bytes), threads);
    return fmt::format("enlarge it with truncate -s {}K", enough / kib);
}

/// @throws Error (usage) if its pages do not fit into free memory
void check_room_for_file(std::uint64_t bytes, const MemoryWish& wish, const TeamPlan& team, const Machine& machine) {
    const MappedFile& file = *team.memory_file;
    const auto pool = file.takes_free_memory() ? tightest_pool(team, machine, file.page_bytes) : std::nullopt;
    // The pages that it holds may be in any part of it.
    const std::uint64_t more = std::min(rounded_up(bytes, file.page_bytes) * team.processors.size(),
                                        file.bytes - std::min(file.bytes, file.held_bytes));
    if (!pool || more <= pool->usable_bytes())
        return;
    const std::uint64_t most_mib = pool->share_bytes(file.page_bytes) / mib;
    throw usage_error(
        fmt::format("--memory {} needs {} MiB more of memory, but only {} MiB are usable {}; {}", shown(file.path),
                    units_for(more, mib), pool->usable_bytes() / mib, pool->place,
                    most_mib > 0 ? fmt::format("reduce --{} to {} MiB", wish.option, most_mib) : wish.remedy));
}

/// As much of the file as requested; else the usual, or all of it.
LargestSize share_of_file(const MemoryWish& wish, const TeamPlan& team, const Machine& machine) {
    const MappedFile& file = *team.memory_file;
    const std::size_t threads = team.processors.size();
    const std::uint64_t share = file.share_bytes(threads);
    const std::uint64_t needed = wish.asked.value_or(wish.least);
    if (needed > share)
        throw usage_error(
            fmt::format("--memory {}: {} on {} needs {}, but the file has {}; {}", shown(file.path),
                        wish.asked ? fmt::format("--{} {}", wish.option, human_size(needed)) : wish.least_name,
                        counted(threads, "thread"),
                        human_size(capped_product<std::uint64_t>(rounded_up(needed, file.page_bytes), threads)),
                        human_size(file.bytes), remedy_for_small_file(wish, file, threads)));
    const std::uint64_t bytes = wish.asked ? needed : std::min<std::uint64_t>(wish.usual, share);
    check_room_for_file(bytes, wish, team, machine);
    return {.bytes = bytes};
}

/// What each thread maps: with plenty of memory up to four times a small max size, so that visits can use other places.
/// No more than the max size of a file is overwritten.
std::size_t area_bytes_for(const RunPlan& plan, const Machine& machine, std::uint64_t page) {
    constexpr std::size_t small = 32 * mib;
    const std::size_t largest = plan.team.largest_bytes;
    const std::size_t roomy = std::max(largest, std::min<std::size_t>(small, capped_product<std::size_t>(largest, 4)));
    const auto pool = tightest_pool(plan.team, machine, page);
    const bool plentiful =
        !is_reserved(plan.team.pages) && !plan.team.memory_file && pool && roomy <= pool->share_bytes(page) / 4;
    return plentiful ? roomy : largest;
}

} // namespace

void check_pinning(std::string_view command, const Machine& machine) {
    if (machine.pinning_refused)
        throw usage_error(fmt::format("{} requires threads pinned to processors, and the system refuses: {}; allow "
                                      "sched_setaffinity (seccomp)",
                                      command, *machine.pinning_refused));
}

void check_processors(std::string_view option, const std::vector<int>& processors, const Machine& machine) {
    const std::vector<int> allowed = ids_of(machine.allowed);
    for (const int processor : processors) {
        if (std::ranges::count(allowed, processor) == 0)
            throw usage_error(fmt::format("--{} {}: processor {} is not available; available: {}", option,
                                          format_ids(processors), processor, format_ids(allowed)));
    }
}

std::vector<Processor> processors_to_choose(const Options& options, const Machine& machine) {
    if (!options.core_kind)
        return machine.allowed;
    const std::vector<CoreKind> kinds = kinds_of(machine.allowed);
    const CoreKind* kind = kind_called(kinds, *options.core_kind);
    if (kind == nullptr)
        throw usage_error(fmt::format("--cpu {}: no kind of cores here has this name; {}", shown(*options.core_kind),
                                      kinds.size() < 2 ? "the available processors are all of one kind"
                                                       : "kinds: " + text_of(kinds)));
    return with_ids(machine.allowed, kind->processors);
}

TeamPlan team_for(const Options& options, const Machine& machine) {
    check_clock(machine.clock, machine.core_ghz);
    TeamPlan team;
    team.processors = processors_for(options, machine);
    team.pinned = !machine.pinning_refused;
    team.nodes = nodes_for(options, machine);
    team.shape = options.shape;
    team.warmup_laps = options.warmup_laps;
    team.pages = options.pages.value_or(PageKind::system_default);
    team.counters = options.counters;
    team.memory_file = memory_file_for(options, machine.files);
    return team;
}

ChainShape unforeseen_chain(TeamPlan team, const Machine& machine) {
    team.memory_file.reset();
    team.largest_bytes = mib;
    return unforeseen(team.shape, quick_foreseen_chains(team, machine.files, Interruption::requested()));
}

LargestSize share_of_memory(const MemoryWish& wish, const TeamPlan& team, const Machine& machine) {
    if (team.memory_file)
        return share_of_file(wish, team, machine);
    const std::uint64_t page = page_bytes_of(team.pages, machine.files);
    const auto pool = tightest_pool(team, machine, page);
    const std::size_t bytes = wish.asked.value_or(wish.usual);
    if (is_reserved(team.pages) || !pool || bytes <= pool->share_bytes(page))
        return {.bytes = bytes};
    const std::uint64_t most_mib = pool->share_bytes(page) / mib;
    if (wish.asked)
        throw too_much_memory(fmt::format("--{} {} MiB", wish.option, in_units(bytes, mib)), bytes, page, *pool,
                              most_mib > 0 ? fmt::format("reduce it to {} MiB", most_mib) : wish.remedy);
    if (wish.least > pool->share_bytes(page))
        throw too_much_memory(wish.least_name, wish.least, page, *pool, wish.remedy);
    return {.bytes = std::max<std::uint64_t>(most_mib * mib, wish.least),
            .lowered_from_bytes = wish.usual,
            .available_bytes = pool->available_bytes / mib * mib};
}

LargestSize share_for_sweep(const Options& options, const TeamPlan& team, const Machine& machine,
                            std::size_t usual_bytes, std::string_view size_option) {
    const std::size_t first = first_size_of(options);
    MemoryWish wish{.option = size_option,
                    .asked = options.max_bytes,
                    .usual = usual_bytes,
                    .least = first,
                    .least_name = fmt::format("the smallest size, {} MiB,", in_units(first, mib))};
    if (options.min_bytes)
        wish.remedy = "reduce --min-size";
    return share_of_memory(wish, team, machine);
}

RunPlan plan_run(const Options& options, const Machine& machine, std::string_view size_option) {
    RunPlan plan;
    plan.team = team_for(options, machine);
    if (options.awake) {
        check_pinning("memtest --awake", machine);
        plan.awake = on_other_cores(machine.allowed, plan.team.processors);
        if (plan.awake.empty())
            throw usage_error("--awake: the measured threads occupy every available physical core; omit --awake, or "
                              "allow more cores (taskset, control group)");
    }
    plan.largest = share_for_sweep(options, plan.team, machine, default_max_bytes, size_option);
    plan.sweep.sizes = sweep_sizes({.first_bytes = smallest_size_of(options),
                                    .last_bytes = static_cast<std::size_t>(plan.largest.bytes),
                                    .line_bytes = options.shape.line_bytes,
                                    .points_per_doubling = options.points});
    plan.sweep.timing = options.timing;
    require(!plan.sweep.sizes.empty(), "the first size fits below the largest");
    plan.team.largest_bytes = plan.sweep.sizes.back();
    plan.team.kept_from_bytes = kept_from(plan.sweep.sizes, options.shape);
    plan.team.area_bytes = area_bytes_for(plan, machine, page_bytes_of(plan.team.pages, machine.files));
    check_pages_available(plan.team.pages, plan.team.area_bytes, options.threads, plan.team.nodes, machine.files);
    return plan;
}

RunPlan plan_random_beside(Options strided, std::size_t largest_bytes, const Machine& machine, bool for_levels) {
    constexpr std::uint64_t usual_last_cache = 16 * mib; // if the system reports none
    constexpr std::uint64_t most_bytes = 512 * mib;      // walked in some 5 s of visits
    const Options usual;
    strided.shape.order = Order::random;
    strided.timing = usual.timing;
    strided.warmup_laps = usual.warmup_laps;
    strided.points = for_levels ? usual.points : 1;
    strided.min_bytes = for_levels ? usual.min_bytes : std::min(64 * kib, largest_bytes);
    strided.counters.clear();
    if (!strided.pages && !strided.memory_file && machine.gives_transparent_pages())
        strided.pages = PageKind::transparent_huge;
    const std::uint64_t last_cache = last_cache_bytes(with_ids(machine.allowed, processors_for(strided, machine)));
    const auto enough = capped_product<std::uint64_t>(last_cache == 0 ? usual_last_cache : last_cache, 4);
    strided.max_bytes = static_cast<std::size_t>(std::min<std::uint64_t>({largest_bytes, enough, most_bytes}));
    return plan_run(strided, machine);
}

std::optional<double> sweep_seconds(const RunPlan& plan) {
    // Of a virtual machine of two processors with 4 KiB pages beside other work (Zen 4).
    constexpr double seconds_per_size = 0.15;
    constexpr double seconds_per_gib = 5; // linked and cleared
    if (!plan.sweep.timing.precision_percent)
        return std::nullopt;
    const double gib = static_cast<double>(plan.team.largest_bytes) / static_cast<double>(1024 * mib);
    return std::ceil(2 + seconds_per_size * static_cast<double>(plan.sweep.sizes.size()) + seconds_per_gib * gib);
}

} // namespace memtest

#include "memtest/result/description.hpp"

#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"
#include "memtest/machine/kinds.hpp"
#include "memtest/measure/timing.hpp"
#include "memtest/measure/warm_up.hpp"
#include "memtest/version.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

ProcessorsUsed processors_used(const TeamPlan& team, const Machine& machine) {
    ProcessorsUsed result{.ids = team.processors, .relation = "", .not_pinned = machine.pinning_refused.value_or("")};
    if (result.ids.size() > 1 && !machine.pinning_refused)
        result.relation = word_of(relation(with_ids(machine.allowed, result.ids)));
    return result;
}

NodesUsed nodes_used(std::vector<int> nodes, const std::vector<ThreadFacts>& facts) {
    if (std::ranges::count(nodes, nodes.front()) == static_cast<std::ptrdiff_t>(nodes.size()))
        nodes.erase(nodes.begin() + 1, nodes.end()); // GCC 14 warns of resize(1)
    return {.ids = std::move(nodes), .verified = std::ranges::all_of(facts, &ThreadFacts::node_verified)};
}

std::vector<ReportedCache> reported_caches(const std::vector<Cache>& caches) {
    std::vector<ReportedCache> reported;
    for (const Cache& cache : caches)
        reported.push_back({.level = cache.level,
                            .size_bytes = cache.size_bytes,
                            .shared_by = std::max(1, static_cast<int>(cache.shared_by.size())),
                            .data_only = cache.data_only});
    return reported;
}

/// Each text once, in this order.
std::vector<std::string> distinct(std::vector<std::string> texts) {
    std::vector<std::string> kept;
    for (std::string& text : texts) {
        if (!text.empty() && std::ranges::count(kept, text) == 0)
            kept.push_back(std::move(text));
    }
    return kept;
}

/// The names of the processors, and the kinds of cores here if there are several.
void describe_cores(RunDescription& run, const std::vector<int>& used, const std::vector<Processor>& allowed) {
    std::vector<std::string> names;
    for (const Processor& processor : with_ids(allowed, used))
        names.push_back(processor.name);
    if (names = distinct(std::move(names)); !names.empty())
        run.cpu_model = fmt::format("{}", fmt::join(names, " and "));
    std::vector<CoreKind> kinds = kinds_of(allowed);
    if (kinds.size() < 2)
        return;
    std::vector<std::string> used_kinds;
    for (const int processor : used)
        used_kinds.push_back(kind_with(kinds, processor).name);
    run.core_kinds = distinct(std::move(used_kinds));
    run.kinds_here = std::move(kinds);
}

std::vector<NumaNode> special_nodes(std::vector<NumaNode> nodes) {
    std::erase_if(nodes, [](const NumaNode& node) { return node.memory.empty() && node.cache_bytes == 0; });
    for (NumaNode& node : nodes)
        node.available_bytes.reset(); // changes all the time
    return nodes;
}

/// Each vulnerability that affects the processor, with the start of what the kernel says of it.
std::vector<std::string> mitigations(const SystemFiles& files) {
    constexpr std::string_view folder = "/sys/devices/system/cpu/vulnerabilities";
    std::vector<std::string> states;
    for (const std::string& name : files.names(folder)) {
        const std::string state = files.line(fmt::format("{}/{}", folder, name)).value_or("Not affected");
        if (!state.starts_with("Not affected")) // details follow "; " or ", "
            states.push_back(fmt::format("{}: {}", name, state.substr(0, state.find_first_of(";,"))));
    }
    return states;
}

/// The value if it is not empty.
template<class Type>
std::optional<Type> if_any(Type value) {
    return value.empty() ? std::nullopt : std::optional(std::move(value));
}

} // namespace

RunDescription describe_machine(const TeamPlan& team, const Machine& machine, const std::vector<ThreadFacts>& facts) {
    RunDescription run;
    run.version = version;
    if (team.memory_file)
        run.memory_file = std::filesystem::absolute(team.memory_file->path).lexically_normal().string();
    else
        run.pages = team.pages;
    run.pages_got.emplace();
    for (const ThreadFacts& f : facts)
        run.pages_got->push_back(pages_got(f.pages));
    if (team.shape.orders > 1)
        run.orders = team.shape.orders;
    if (team.shape.link == Link::index)
        run.link = team.shape.link;
    if (!team.nodes.empty())
        run.nodes = nodes_used(team.nodes, facts);
    else
        run.memory_policy = machine.memory_policy;
    run.processors = processors_used(team, machine);
    describe_cores(run, team.processors, machine.allowed);
    run.machine = if_any(machine.name);
    run.special_nodes = if_any(special_nodes(machine.numa_nodes));
    run.caches = if_any(reported_caches(caches_in_common(with_ids(machine.allowed, team.processors))));
    if (machine.memory_bytes)
        run.memory_bytes = *machine.memory_bytes / mib * mib;
    run.kernel = machine.kernel;
    run.microcode = machine.files.field("/proc/cpuinfo", "microcode");
    run.governor = machine.files.line(
        fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", team.processors.front()));
    run.mitigations = if_any(mitigations(machine.files));
    if (machine.virtualization.is_guest) // else unknown: not every virtual machine says that it is one
        run.virtual_machine = true;
    run.hypervisor = if_any(machine.virtualization.hypervisor);
    run.container = if_any(machine.virtualization.container);
    run.transparent_policy = if_any(machine.transparent_policy);
    if (!facts.empty())
        run.core_clock_ghz = facts.front().core_ghz;
    return run;
}

RunDescription describe_run(const RunPlan& plan, const Machine& machine, const std::vector<ThreadFacts>& facts) {
    const ChainShape& shape = plan.team.shape;
    const TimingPlan& timing = plan.sweep.timing;
    const bool random = shape.order == Order::random;
    RunDescription run = describe_machine(plan.team, machine, facts);
    run.awake = if_any(plan.awake);
    run.order = shape.order;
    run.link = shape.link;
    run.line_bytes = shape.line_bytes;
    if (random)
        run.seed = shape.seed;
    else
        run.stride_bytes = shape.stride_bytes;
    run.tlb_locality_bytes = shape.tlb_locality_bytes;
    run.largest_size = plan.largest;
    run.threads = plan.team.processors.size();
    run.parallel = shape.parallel;
    run.estimate = timing.estimate;
    if (timing.accesses != any_number_of_accesses)
        run.accesses = timing.accesses;
    run.precision_percent = timing.precision_percent;
    if (!timing.precision_percent)
        run.batches = timing.batches;
    run.visits = timing.visits;
    run.warmup = plan.team.warmup_laps ? Warmup{.laps = *plan.team.warmup_laps}
                                       : Warmup{.laps = warmup_laps, .most_ms = warmup_bound_ms};
    run.counters = if_any(plan.team.counters);
    return run;
}

PagesGot pages_got(const GrantedPages& granted) {
    PagesGot pages{.page_bytes = granted.page_bytes};
    const std::uint64_t transparent = std::min(granted.transparent_bytes.value_or(0), granted.total_bytes);
    if (transparent == 0 || granted.page_bytes == 0)
        return pages;
    pages.transparent_page_bytes = granted.transparent_page_bytes;
    pages.transparent_percent = 100.0 * static_cast<double>(transparent) / static_cast<double>(granted.total_bytes);
    return pages;
}

std::string present_time() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, sizeof "2026-01-31T23:59:59Z"> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

} // namespace memtest

#include "memtest/cli/commands/nodes.hpp"

#include "memtest/base/units.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/measuring.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/kinds/loaded.hpp"
#include "memtest/kinds/nodes.hpp"
#include "memtest/machine/arena.hpp"
#include "memtest/machine/numa.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/measure/node_sweep.hpp"
#include "memtest/measure/sweep.hpp"
#include "memtest/measure/team.hpp"
#include "memtest/result/description.hpp"
#include "memtest/result/warnings.hpp"
#include "memtest/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace memtest {
namespace {

constexpr double seconds_of_pair = 8;
constexpr double seconds_of_nodes = 60;

std::vector<MeasuringOption> nodes_option_table() {
    return measuring_options<Options>(
        {{{"Options", 0, "bandwidth", "",
           "also measure bandwidth: all processors of a node read the memory of each node at full load"},
          [](auto& o, auto&) { o.columns.push_back(ColumnGroup::bandwidth); }},
         {{"Options", 0, "size", "MiB",
           "memory to walk on each node, and an upper limit for each load thread of --bandwidth",
           "8 times the last cache, at least 256 MiB, or what fits"},
          [](auto& o, auto& a) { o.max_bytes = parse_size(a, mib); }},
         shared_option("seed"),
         shared_option("pages", shared_option("pages").help, huge_pages_if_granted),
         shared_option("precision", "visit each pair of nodes until its latencies agree to PCT percent", "2"),
         time_option("8 for each pair of nodes, 60 at most")});
}

/// Well beyond the caches.
std::uint64_t usual_bytes(const Machine& machine) {
    return std::max(256 * mib, last_caches_to_memory * last_cache_bytes(machine.allowed));
}

/// The requested size; else the usual, or what fits on every node.
std::size_t size_for(const Options& options, const Machine& machine) {
    if (options.max_bytes)
        return *options.max_bytes;
    auto bytes = static_cast<std::size_t>(usual_bytes(machine));
    for (const NumaNode& node : machine.numa_nodes) {
        Options probe = options;
        probe.nodes = std::vector{node.id};
        std::uint64_t fitting = 0;
        if (is_reserved(options.pages.value_or(PageKind::system_default)))
            fitting = free_reserved_bytes(*options.pages, node.id, machine.files).value_or(0);
        else
            fitting = share_for_sweep(probe, team_for(probe, machine), machine, bytes).bytes;
        if (fitting > 0) // else planning explains how to reserve pages
            bytes = std::min<std::size_t>(bytes, fitting);
    }
    return bytes;
}

bool wants_bandwidth(const Options& options) {
    return std::ranges::count(options.columns, ColumnGroup::bandwidth) > 0;
}

/// Gives all load threads the same memory: as much as is walked, at most the usual, or what fits on every node.
void fit_load(NodesPlan& plan, const Machine& machine) {
    const std::size_t usual = std::min<std::size_t>(plan.bytes, usual_bytes(machine));
    const auto least = std::min<std::size_t>(usual, std::max(2 * mib, 2 * last_cache_bytes(machine.allowed)));
    MemoryWish wish{.option = "size", .usual = usual, .least = least};
    wish.least_name = fmt::format("--bandwidth: the minimum that reaches memory, {},", human_size(wish.least));
    for (const NodePair& pair : plan.pairs)
        wish.usual = static_cast<std::size_t>(share_of_memory(wish, pair.load, machine).bytes);
    for (NodePair& pair : plan.pairs) {
        pair.load.area_bytes = wish.usual;
        check_pages_available(pair.load.pages, wish.usual, static_cast<unsigned>(pair.load.processors.size()),
                              pair.load.nodes, machine.files);
    }
}

std::vector<std::string> nodes_headline(const NodesPlan& plan, const Options& options) {
    std::vector<std::string> sentences{
        fmt::format("memtest {}: latency{} from each node's processors to each node's memory", version,
                    wants_bandwidth(options) ? " and bandwidth" : ""),
        fmt::format("Random order over {} of memory, walked by one processor of a node", human_size(plan.bytes)),
        fmt::format("Min over timed batches; each pair is measured in up to {1} visits, until they agree to {0:g} %",
                    *options.timing.precision_percent, options.timing.visits)};
    if (wants_bandwidth(options)) {
        const auto of_load = load_sentences(plan.all.shape.line_bytes, {0}, plan.pairs.front().load.area_bytes);
        sentences.insert(sentences.end() - 1, of_load.begin(), of_load.end());
    }
    return sentences;
}

/// Takes memory from each node, and returns its pages and placement.
std::vector<ThreadFacts> try_nodes(const TeamPlan& all, const SystemFiles& files) {
    std::vector<ThreadFacts> facts;
    for (const int node : all.nodes) {
        const Arena area(page_bytes_of(all.pages, files), all.pages, files, node);
        const auto found = numa_nodes_of(area.memory());
        facts.push_back({.pages = area.granted(files), .node_verified = found == std::vector{node}});
    }
    return facts;
}

/// std::nullopt if interrupted.
std::optional<Row> walk_pair(const NodePair& pair, const SystemFiles& files, const TimeIsUp& time_is_up) {
    Team team(pair.plan.team, files, Interruption::requested());
    MonotonicClock clock;
    std::optional<Row> found;
    run_sweep(
        pair.plan.sweep, team, clock, [&found](const Row& row) { found = row; }, [](const auto& /*phrase*/) {},
        time_is_up);
    return Interruption::requested() ? std::nullopt : found;
}

void measure_nodes(MeasuredResult& result, const Options& options, const NodesPlan& plan,
                   const std::vector<ThreadFacts>& facts, const Machine& machine) {
    RunDescription run = describe_machine(plan.all, machine, facts);
    run.line_bytes = plan.all.shape.line_bytes;
    run.largest_size = LargestSize{.bytes = plan.bytes};
    run.seed = options.shape.seed;
    run.most_seconds = std::min(seconds_of_nodes, seconds_of_pair * static_cast<double>(plan.pairs.size()));
    result.begin(nodes_headline(plan, options), run, plan.pairs.size());
    result.warn(plan.warning);
    result.watch(ids_of(machine.allowed));

    List disturbed;
    const auto take = [&](const NodeFigures& figures) {
        const NodePair& pair = plan.pairs[figures.pair];
        if (std::ranges::count(figures.walk.notes, Note::limit) > 0 || figures.load_disturbed)
            disturbed.emplace_back(List{pair.processors_of, pair.memory_of});
        NodesRow row{pair.processors_of, pair.memory_of, figures.walk.latency_ns};
        row.visits_percent = figures.walk.visits_percent;
        if (figures.lines_per_ns)
            row.bytes_per_ns = bytes_moved(*figures.lines_per_ns, {.line_bytes = plan.all.shape.line_bytes});
        result.row(row);
    };
    const double share_of_pair =
        (wants_bandwidth(options) ? 0.6 : 1) / static_cast<double>(plan.pairs.size()); // of the time
    NodeProbe probe{.walk =
                        [&](std::size_t pair) {
                            return walk_pair(plan.pairs[pair], machine.files,
                                             result.time_is_up(share_of_pair * static_cast<double>(pair + 1)));
                        },
                    .load = {}};
    if (wants_bandwidth(options))
        probe.load = [&](std::size_t pair) {
            return load_batches(plan.pairs[pair].load, machine.files, Interruption::requested());
        };
    result.measure([&] { run_node_sweep(plan.pairs.size(), probe, take, result.progress(), result.time_is_up()); });
    Findings findings{.told = true};
    if (!disturbed.empty())
        findings.list.push_back(remark({Code::disturbed_pairs, {{"pairs", disturbed}}}));
    result.end(findings);
}

ExitStatus run_nodes(const CommandLine& line) {
    const Options options = options_of_nodes(line);
    const Machine machine = read_machine();
    const NodesPlan plan = plan_nodes(options, machine);
    const std::vector<ThreadFacts> facts = try_nodes(plan.all, machine.files);
    check_placement(facts);
    return measure_result(nodes_kind, options, line,
                          [&](MeasuredResult& result) { measure_nodes(result, options, plan, facts, machine); });
}

} // namespace

Options options_of_nodes(const CommandLine& line) {
    return with_options(Options{.shape = {.order = Order::random}}, nodes_option_table(), line);
}

NodesPlan plan_nodes(const Options& options, const Machine& machine) {
    check_pinning("memtest nodes", machine);
    if (machine.numa_nodes.empty())
        throw usage_error("memtest nodes: no node allows memory to be taken from it; see Mems_allowed_list in "
                          "/proc/self/status");
    const std::vector<int> allowed = ids_of(machine.allowed);
    NodesPlan plan;
    Options probe = options;
    probe.shape.line_bytes = line_bytes_of(machine.allowed, allowed.front()).value_or(options.shape.line_bytes);
    const std::size_t line = probe.shape.line_bytes;
    const std::size_t bytes = size_for(probe, machine);
    if (bytes < line)
        throw usage_error(fmt::format("--size {} is smaller than the line of {} bytes", human_size(bytes), line));
    plan.bytes = bytes / line * line;
    plan.warning = warning_on_little_memory(plan.bytes, machine.allowed, "size");
    probe.min_bytes = probe.max_bytes = plan.bytes;
    if (!options.pages && machine.gives_transparent_pages()) // else page walks are most of the difference
        probe.pages = PageKind::transparent_huge;
    plan.all.pages = probe.pages.value_or(PageKind::system_default);
    plan.all.shape = probe.shape;
    plan.all.nodes = ids_of(machine.numa_nodes);
    for (const auto& [node, processors] : processors_of_nodes(machine.files, allowed)) {
        plan.all.processors.push_back(processors.front());
        probe.cpus = std::vector{processors.front()};
        for (const int memory : plan.all.nodes) {
            probe.nodes = std::vector{memory};
            const RunPlan walk = plan_run(probe, machine, "size");
            plan.pairs.push_back({.processors_of = node, .memory_of = memory, .plan = walk, .load = walk.team});
            plan.pairs.back().load.processors = processors;
            plan.pairs.back().load.nodes.assign(processors.size(), memory);
        }
    }
    if (wants_bandwidth(options))
        fit_load(plan, machine);
    return plan;
}

void check_placement(std::span<const ThreadFacts> facts) {
    if (facts.size() > 1 && !std::ranges::all_of(facts, &ThreadFacts::node_verified))
        throw usage_error(fmt::format("memtest nodes: the kernel does not report on which of the {} nodes memory is "
                                      "(move_pages); run it where that is permitted",
                                      facts.size()));
}

const Command nodes_command{.name = "nodes",
                            .summary = "measure latency between NUMA nodes",
                            .examples = {{{"memtest nodes", "each node to the memory of each node"},
                                          {"memtest nodes --bandwidth --format table", "also bandwidth, as a table"}}},
                            .about = "Measures the latency from the processors of each NUMA node to the memory of\n"
                                     "each node, in random order beyond the last cache, and prints it as CSV. Nodes\n"
                                     "without processors are included. With --bandwidth it then measures what all\n"
                                     "processors of a node read together from the memory of each node.\n",
                            .options = [] { return texts_of(nodes_option_table()); },
                            .run = run_nodes};

} // namespace memtest

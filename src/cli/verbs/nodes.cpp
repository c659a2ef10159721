#include "memtest/cli/verbs/nodes.hpp"

#include "memtest/base/units.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/measuring.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/cli/verbs/verbs.hpp"
#include "memtest/insight/reported_cache.hpp"
#include "memtest/machine/arena.hpp"
#include "memtest/machine/numa.hpp"
#include "memtest/measure/sweep.hpp"
#include "memtest/measure/team.hpp"
#include "memtest/report/description.hpp"
#include "memtest/report/matrix.hpp"
#include "memtest/report/warnings.hpp"
#include "memtest/version.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

namespace memtest {
namespace {

constexpr std::size_t usual_bytes = 256 * mib;

std::vector<MeasuringOption> nodes_option_table() {
    return {shared_option("max-size", "memory to walk on each node",
                          "8 times the last cache, at least 256 MiB, or what fits"),
            shared_option("seed"),
            shared_option("pages"),
            shared_option("precision", "visit each pair of nodes until its visits agree to PCT percent", "2"),
            shared_option("format"),
            shared_option("output"),
            shared_option("quiet")};
}

/// What fits on the node. If no reserved page is free, what is wanted: planning then explains how to reserve some.
std::uint64_t most_bytes_on(int node, std::uint64_t wanted, const Options& options, const Machine& machine) {
    if (is_reserved(options.pages.value_or(PageKind::system_default))) {
        const std::uint64_t free = free_reserved_bytes(*options.pages, node, machine.files).value_or(0);
        return free == 0 ? wanted : free;
    }
    Options probe = options;
    probe.nodes = std::vector{node};
    return share_for_sweep(probe, team_for(probe, machine), machine, static_cast<std::size_t>(wanted)).bytes;
}

/// The requested size; else well beyond the caches, or what fits on every node.
std::size_t size_for(const Options& options, const Machine& machine) {
    if (options.max_bytes)
        return *options.max_bytes;
    std::uint64_t bytes =
        std::max<std::uint64_t>(usual_bytes, last_caches_to_memory * last_cache_bytes(machine.allowed));
    for (const NumaNode& node : machine.numa_nodes)
        bytes = std::min(bytes, most_bytes_on(node.id, bytes, options, machine));
    return static_cast<std::size_t>(bytes);
}

std::size_t whole_lines(std::size_t bytes, std::size_t line_bytes) {
    if (bytes < line_bytes)
        throw usage_error(
            fmt::format("--max-size {} is smaller than the line of {} bytes", human_size(bytes), line_bytes));
    return bytes / line_bytes * line_bytes;
}

std::vector<std::string> nodes_headline(const NodesPlan& plan, const Options& options) {
    return {
        fmt::format("memtest {}: latency from each node's processors to each node's memory", version),
        fmt::format("Random order over {} of memory, walked by one processor of a node", human_size(plan.bytes)),
        fmt::format("Min over timed batches; each pair is measured in up to {1} visits, until they agree to {0:g} %",
                    *options.timing.precision_percent, options.timing.visits)};
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
std::optional<Row> measure_pair(const NodePair& pair, const SystemFiles& files) {
    Team team(pair.plan.team, files, Interruption::requested());
    MonotonicClock clock;
    std::optional<Row> found;
    run_sweep(
        pair.plan.sweep, team, clock, [&found](const Row& row) { found = row; }, [](const Progress&) {});
    return Interruption::requested() ? std::nullopt : found;
}

void measure_nodes(MeasuredResult& result, const Options& options, const NodesPlan& plan,
                   const std::vector<ThreadFacts>& facts, const Machine& machine) {
    RunDescription run = describe_machine(plan.all, machine, facts);
    run.line_bytes = plan.all.shape.line_bytes;
    run.largest_size = LargestSize{.bytes = plan.bytes};
    run.seed = options.shape.seed;
    result.begin(nodes_headline(plan, options), run, plan.pairs.size());
    if (plan.warning)
        result.warn(*plan.warning);
    result.watch(ids_of(machine.allowed));

    Json disturbed = Json::array();
    std::size_t measured = 0;
    result.measure([&] {
        for (const NodePair& pair : plan.pairs) {
            result.show_progress(fmt::format("{} of {} rows", measured++, plan.pairs.size()));
            const auto row = measure_pair(pair, machine.files);
            if (!row)
                return;
            if (any_disturbing(row->notes))
                disturbed.push_back(Json::array({pair.processors_of, pair.memory_of}));
            result.row(NodesRow{pair.processors_of, pair.memory_of, row->latency_ns});
        }
    });
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
    plan.bytes = whole_lines(size_for(probe, machine), probe.shape.line_bytes);
    plan.warning = warning_on_little_memory(plan.bytes, machine.allowed, "max-size");
    probe.min_bytes = probe.max_bytes = plan.bytes;
    plan.all.pages = options.pages.value_or(PageKind::system_default);
    plan.all.shape = probe.shape;
    plan.all.nodes = ids_of(machine.numa_nodes);
    for (const NodeProcessor& node : first_processors_of_nodes(machine.files, allowed)) {
        plan.all.processors.push_back(node.processor);
        probe.cpus = std::vector{node.processor};
        for (const int memory : plan.all.nodes) {
            probe.nodes = std::vector{memory};
            plan.pairs.push_back({.processors_of = node.node, .memory_of = memory, .plan = plan_run(probe, machine)});
        }
    }
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
                                          {"memtest nodes --pages thp --format table", "with huge pages, as a table"}}},
                            .about = "Measures the latency from the processors of each NUMA node to the memory of\n"
                                     "each node, in random order beyond the last cache, and prints it as CSV. Nodes\n"
                                     "without processors are included.\n",
                            .options = [] { return texts_of(nodes_option_table()); },
                            .run = run_nodes};

} // namespace memtest

#include "memtest/report/description.hpp"

#include "memtest/base/id_list.hpp"
#include "memtest/base/units.hpp"
#include "memtest/measure/walker.hpp"
#include "memtest/report/reported_caches.hpp"
#include "memtest/version.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h> // join, which moved here with fmt 11

#include <algorithm>

namespace memtest {
namespace {

std::string in_words(std::size_t count, std::string_view thing) {
    if (count == 1)
        return fmt::format("one {}", thing);
    return count == 2 ? fmt::format("two {}s", thing) : fmt::format("{} {}s", count, thing);
}

std::string portions(const TimingPlan& timing) {
    if (timing.precision_percent)
        return fmt::format("{} until known to {:g} %, at most {} times, reporting the {}",
                           timing.accesses == any_number_of_accesses
                               ? "Each size visited"
                               : fmt::format("At most {} accesses per size, visited", timing.accesses),
                           *timing.precision_percent, timing.visits, word_of(timing.estimate));
    // On a fast size, shorter batches than this may be too short for the clock, and are joined to fewer.
    constexpr std::uint64_t surely_long_enough = 100'000;
    const std::string_view maybe_fewer =
        timing.accesses / timing.batches < surely_long_enough ? "up to " : std::string_view();
    return fmt::format("{} accesses per size in {}{} batches{}, reporting the {}", timing.accesses, maybe_fewer,
                       timing.batches,
                       timing.visits == 1 ? "" : fmt::format(" over {}{} visits", maybe_fewer, timing.visits),
                       word_of(timing.estimate));
}

std::string describe_processors(const RunPlan& plan, const Machine& machine) {
    const std::vector<int>& ids = plan.team.processors;
    if (machine.pinning_refused)
        return fmt::format("{} (not pinned: {})", format_ids(ids), *machine.pinning_refused);
    std::vector<Processor> used;
    used.reserve(ids.size());
    for (const int id : ids)
        used.push_back(*std::ranges::find(machine.allowed, id, &Processor::id));
    return ids.size() == 1 ? format_ids(ids) : fmt::format("{} ({})", format_ids(ids), relation(used));
}

/// What all threads were granted, or what each was where they differ.
std::string describe_granted(const std::vector<ThreadFacts>& facts) {
    std::vector<std::string> of_threads;
    of_threads.reserve(facts.size());
    for (const ThreadFacts& f : facts)
        of_threads.push_back(describe(f.pages));
    if (std::ranges::count(of_threads, of_threads.front()) == static_cast<std::ptrdiff_t>(of_threads.size()))
        return of_threads.front();
    return fmt::format("{}", fmt::join(of_threads, "; "));
}

std::string describe_nodes(const std::vector<int>& nodes, const std::vector<ThreadFacts>& facts) {
    const bool one_for_all = std::ranges::count(nodes, nodes.front()) == static_cast<std::ptrdiff_t>(nodes.size());
    return fmt::format("{} ({})", format_ids(one_for_all ? std::vector{nodes.front()} : nodes),
                       std::ranges::all_of(facts, &ThreadFacts::node_verified)
                           ? "verified"
                           : "not verified: the kernel does not tell where memory is");
}

} // namespace

std::vector<std::string> headline(const RunPlan& plan) {
    const ChainShape& shape = plan.team.shape;
    const std::string chains = shape.parallel == 1 ? "" : fmt::format(", {} chains side by side", shape.parallel);
    const std::string stride = shape.order == Order::random ? "" : fmt::format("stride {} B, ", shape.stride_bytes);
    return {fmt::format("memtest {}: {} {}-based scan on {}{}", version, word_of(shape.order), word_of(shape.link),
                        in_words(plan.team.processors.size(), "thread"), chains),
            fmt::format("Cache line size {} B, {}max memory size {:.10g} MiB", shape.line_bytes, stride,
                        static_cast<double>(plan.max_bytes) / mib),
            portions(plan.sweep.timing)};
}

Description describe_run(const RunPlan& plan, const Machine& machine, const std::vector<ThreadFacts>& facts) {
    const ChainShape& shape = plan.team.shape;
    Description lines;
    const auto add = [&](const char* key, const auto& value) { lines.emplace_back(key, fmt::format("{}", value)); };
    add("order", word_of(shape.order));
    add("link", word_of(shape.link));
    add("line", shape.line_bytes);
    if (shape.order != Order::random)
        add("stride", shape.stride_bytes);
    if (shape.tlb_locality_bytes)
        add("tlb locality", *shape.tlb_locality_bytes);
    if (plan.lowered)
        add("max size", fmt::format("lowered from {} to {}: {} are available", human_size(plan.lowered->from_bytes),
                                    human_size(plan.max_bytes), human_size(plan.lowered->available_bytes / mib * mib)));
    add("threads", plan.team.processors.size());
    add("parallel", shape.parallel);
    add("estimate", word_of(plan.sweep.timing.estimate));
    add("visits", plan.sweep.timing.visits);
    add("warmup", plan.team.warmup_laps ? fmt::format("{}", *plan.team.warmup_laps)
                                        : fmt::format("1, at most {} ms", warmup_bound_ms));
    add("pages", word_of(plan.team.pages));
    add("pages got", describe_granted(facts));
    if (!plan.team.nodes.empty())
        add("node", describe_nodes(plan.team.nodes, facts));
    if (!machine.cpu_model.empty())
        add("cpu", machine.cpu_model);
    add("processors", describe_processors(plan, machine));
    if (!machine.caches.empty())
        add("caches", describe_caches(machine.caches));
    add("kernel", machine.kernel);
    if (!plan.team.counters.empty())
        add("counters", words_of(plan.team.counters));
    if (!facts.empty())
        add("core clock", fmt::format("{:.3f} GHz", facts.front().core_ghz));
    if (shape.order == Order::random)
        add("seed", shape.seed);
    return lines;
}

} // namespace memtest

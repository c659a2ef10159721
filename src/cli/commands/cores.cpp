#include "memtest/cli/commands/cores.hpp"

#include "memtest/base/id_list.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/measuring.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/machine/clock.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/measure/statistics.hpp"
#include "memtest/result/description.hpp"
#include "memtest/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <thread>
#include <utility>

namespace memtest {
namespace {

std::vector<Option<CoresOptions>> cores_option_table() {
    return measuring_options<CoresOptions>(
        {{{"Options", 0, "both", "", "measure each pair in both directions"}, [](auto& o, auto&) { o.both = true; }},
         {{"Options", 0, "smt", "", "measure between all hardware threads instead of one per core"},
          [](auto& o, auto&) { o.smt = true; }},
         {{"Options", 0, "all-pairs", "", "measure all pairs, even if that takes more than a minute"},
          [](auto& o, auto&) { o.all = true; }},
         {{"Options", 0, "clean", "", "read lines that their owner has only read, not changed"},
          [](auto& o, auto&) { o.clean = true; }},
         shared_option("cpu",
                       "processors to measure between, such as 0,4 or 0-3, or the name of a kind of cores (default: "
                       "one per physical core)"),
         shared_option("node", "NUMA node of the lines (default: the node that their owner runs on)"),
         time_option("as it says when it begins")});
}

constexpr unsigned fewest_visits_to_pair = 4;
constexpr double slower_when_busy = 2;
constexpr double watched_s = 2; // on a virtual machine: a hypervisor moved processors every 0.3 to 1.5 s

std::vector<std::string> cores_headline(const CoresOptions& options, unsigned visits) {
    return {
        fmt::format("memtest {}: core-to-core latency", version),
        fmt::format("The owner writes {} lines, {} B apart in fresh memory{}; the reader walks them in random order",
                    transferred_lines, transferred_line_pitch,
                    options.clean ? ", flushes them from all caches and reads them" : ""),
        fmt::format("Median of {} visits to each pair, of {} laps each; the relation is what the system reports",
                    visits, laps_in_visit)};
}

Relation relation_of(const TransferPlan& pair, const Machine& machine) {
    return relation(with_ids(machine.allowed, {pair.reader, pair.owner}));
}

/// For each processor, the first of its group. None in a group is farther from the first than `farthest`.
std::map<int, int> grouped_by(Relation farthest, const std::vector<Processor>& processors) {
    std::vector<Processor> firsts;
    std::map<int, int> group_of;
    for (const Processor& processor : processors) {
        auto near = std::ranges::find_if(firsts, [&](const Processor& first) {
            return relation({first, processor}) <= farthest;
        });
        if (near == firsts.end())
            near = firsts.insert(near, processor);
        group_of[processor.id] = near->id;
    }
    return group_of;
}

void measure_cores(MeasuredResult& result, const CoresOptions& options, TeamPlan team, const Machine& machine) {
    const std::vector<TransferPlan> all = pairs_of(team, options);
    // A first transfer describes the rows, shows what the system refuses, wakes the core's clock, and tells how long
    // the rows take. Its pair is measured again.
    MonotonicClock clock;
    const std::uint64_t start_ns = clock.now_ns();
    const auto first = measure_transfer(all.front(), 0, machine.files, Interruption::requested());
    const double visit_s = static_cast<double>(clock.now_ns() - start_ns) / 1e9;
    const PairChoice choice = choose_pairs(all, options, machine, fewest_visits_to_pair * visit_s);
    const std::vector<TransferPlan>& pairs = choice.pairs;
    std::erase_if(team.processors, [&](int id) {
        return std::ranges::none_of(pairs, [&](const TransferPlan& p) { return p.reader == id || p.owner == id; });
    });
    RunDescription run = describe_machine(team, machine, {first ? first->owner : ThreadFacts{}});
    run.clean_lines = options.clean;
    // On a virtual machine more if they take less than the time over which they are spread.
    const double rounds_s = 2 * fewest_visits_to_pair * static_cast<double>(pairs.size()) * visit_s;
    const unsigned rounds = (machine.virtualization.is_guest && rounds_s < watched_s ? 2 : 1) * fewest_visits_to_pair;
    run.most_seconds =
        std::ceil(2 + watched_s + slower_when_busy * visit_s * static_cast<double>(rounds * pairs.size()));
    result.begin(cores_headline(options, rounds), std::move(run), pairs.size(), 2);

    const auto& caches = machine.allowed.front().caches;
    CoresReport told{.pairs = {},
                     .at_moments = {{}, {}},
                     .bimodal = {},
                     .last_cache = caches.empty() ? "" : cache_name(caches.back()),
                     .left_out = choice.left_out,
                     .kinds = result.so_far().run.kinds_here.value_or(std::vector<CoreKind>{})};
    std::vector<PairMoments> moments;
    const auto take = [&](std::size_t number, std::span<const std::vector<double>> visits) {
        const TransferPlan& pair = pairs[number];
        const Relation near = relation_of(pair, machine);
        moments.push_back(add_pair(told, pair, near, visits));
        CoresRow row{pair.reader, pair.owner, transfer_ns_over(visits), near};
        if (const std::vector<double>& of_visits = moments.back().latencies_ns; !of_visits.empty()) {
            row.low_ns = told.pairs.back().low_ns;
            row.high_ns = std::ranges::max(of_visits);
        }
        result.row(row);
    };
    const std::uint64_t first_ns = clock.now_ns();
    const auto probe = [&](std::size_t number, unsigned visit) {
        if (machine.virtualization.is_guest && number == 0) { // spread over the time
            const double due_s = watched_s * visit / (rounds - 1);
            const double passed_s = static_cast<double>(clock.now_ns() - first_ns) / 1e9;
            std::this_thread::sleep_for(std::chrono::duration<double>(std::max(0.0, due_s - passed_s)));
        }
        return measure_transfer(pairs[number], visit, machine.files, Interruption::requested());
    };
    result.measure(
        [&] { measure_transfers(pairs.size(), rounds, probe, take, result.progress(), result.time_is_up()); });
    told.seconds = static_cast<double>(clock.now_ns() - first_ns) / 1e9;
    told.has_groups = !result.warn_of_others();
    if (machine.virtualization.is_guest)
        told.moved = moved_pairs(moments);
    result.end(result.is_whole() ? cores_findings(told) : Findings{});
}

ExitStatus run_cores(const CommandLine& line) {
    const CoresOptions options = options_of_cores(line);
    const Machine machine = read_machine();
    const TeamPlan team = plan_cores(options, machine);
    return measure_result(cores_kind, options, line,
                          [&](MeasuredResult& result) { measure_cores(result, options, team, machine); });
}

} // namespace

PairMoments add_pair(CoresReport& told, const TransferPlan& pair, Relation near,
                     std::span<const std::vector<double>> visits) {
    const auto add_to = [&](std::vector<CorePair>& list, std::span<const std::vector<double>> of_visits) {
        if (const auto ns = transfer_ns_over(of_visits))
            list.push_back({.reader = pair.reader, .owner = pair.owner, .latency_ns = *ns, .relation = near});
    };
    const std::size_t half = visits.size() / 2;
    add_to(told.pairs, visits);
    add_to(told.at_moments.front(), visits.first(half));
    add_to(told.at_moments.back(), visits.subspan(half));
    PairMoments moments{.reader = pair.reader, .owner = pair.owner};
    std::vector<double> lap_ns;
    for (const std::vector<double>& visit : visits) {
        lap_ns.insert(lap_ns.end(), visit.begin(), visit.end());
        if (const auto ns = transfer_ns_over({&visit, 1}))
            moments.latencies_ns.push_back(*ns);
    }
    if (!moments.latencies_ns.empty())
        told.pairs.back().low_ns = std::ranges::min(moments.latencies_ns);
    if (is_bimodal(lap_ns))
        told.bimodal.emplace_back(pair.reader, pair.owner);
    return moments;
}

CoresOptions options_of_cores(const CommandLine& line) {
    CoresOptions options = with_options(CoresOptions(), cores_option_table(), line);
    if (options.smt && options.cpus)
        throw usage_error(fmt::format("--smt cannot be combined with --cpu {}, which names the processors",
                                      format_ids(*options.cpus)));
    if (options.nodes && options.nodes->size() > 1)
        throw usage_error(fmt::format("--node {}: expected one node, from which the lines of all pairs come",
                                      format_ids(*options.nodes)));
    return options;
}

TeamPlan plan_cores(const CoresOptions& options, const Machine& machine, bool can_flush) {
    if (options.clean && !can_flush)
        throw usage_error("--clean requires a processor that can flush lines from all caches, and this one cannot");
    Options threads = static_cast<const Options&>(options);
    const std::vector<Processor> all = processors_to_choose(options, machine);
    const std::size_t count = options.smt ? all.size() : physical_cores(all);
    threads.threads = static_cast<unsigned>(options.cpus ? options.cpus->size() : count);
    TeamPlan team = team_for(threads, machine);
    check_pinning("memtest cores", machine);
    if (team.processors.size() < 2 && options.cpus)
        throw usage_error(fmt::format("--cpu {}: expected at least two processors", format_ids(*options.cpus)));
    if (team.processors.size() < 2)
        throw usage_error(
            fmt::format("memtest cores requires two {}, but only one is available{}",
                        machine.allowed.size() > 1 ? "cores" : "processors",
                        machine.allowed.size() > 1 ? "; --smt measures between its hardware threads" : ""));
    if (!options.cpus) // else the current one comes first
        std::ranges::sort(team.processors);
    return team;
}

std::vector<TransferPlan> pairs_of(const TeamPlan& team, const CoresOptions& options) {
    std::vector<TransferPlan> pairs;
    const auto& processors = team.processors;
    for (std::size_t reader = 0; reader < processors.size(); ++reader) {
        for (std::size_t owner = options.both ? 0 : reader + 1; owner < processors.size(); ++owner) {
            if (owner != reader)
                pairs.push_back({.reader = processors[reader],
                                 .owner = processors[owner],
                                 .node = team.nodes.empty() ? std::nullopt : std::optional(team.nodes.front()),
                                 .clean = options.clean});
        }
    }
    return pairs;
}

PairChoice choose_pairs(std::vector<TransferPlan> pairs, const CoresOptions& options, const Machine& machine,
                        double seconds_per_pair) {
    constexpr double longest_s = 60;
    const std::size_t all = pairs.size();
    const double all_s = static_cast<double>(all) * seconds_per_pair;
    if (options.all || all_s <= longest_s)
        return {.pairs = std::move(pairs)};
    const bool share_caches = std::ranges::any_of(
        pairs, [&](const TransferPlan& pair) { return relation_of(pair, machine) == Relation::same_last_cache; });
    const auto group_of =
        grouped_by(share_caches ? Relation::same_last_cache : Relation::same_package, machine.allowed);
    const auto place_of = [&](const TransferPlan& pair) {
        return std::pair(std::minmax({group_of.at(pair.reader), group_of.at(pair.owner)}), relation_of(pair, machine));
    };
    std::map<std::pair<std::pair<int, int>, Relation>, std::pair<int, int>> chosen;
    for (const TransferPlan& pair : pairs)
        chosen.try_emplace(place_of(pair), std::minmax({pair.reader, pair.owner}));
    const std::size_t left_out = std::erase_if(pairs, [&](const TransferPlan& pair) {
        return chosen.at(place_of(pair)) != std::minmax({pair.reader, pair.owner});
    });
    PairChoice choice{.pairs = std::move(pairs)};
    if (left_out > 0)
        choice.left_out = Notice(Code::pairs_left_out, {{"left_out", left_out},
                                                        {"of", all},
                                                        {"within", share_caches ? "last-level cache" : "package"},
                                                        {"minutes", std::ceil(all_s / 60)}});
    return choice;
}

const Command cores_command{.name = "cores",
                            .summary = "measure core-to-core latency",
                            .examples = {{{"memtest cores", "each pair of physical cores"},
                                          {"memtest cores --cpu 0-3", "each pair of processors 0 to 3"}}},
                            .about = "Measures core-to-core latency: how long a core takes to read lines that another\n"
                                     "core has changed or, with --clean, has only read. For each pair one processor\n"
                                     "writes a chain of lines and the other walks it. It prints CSV, then the groups\n"
                                     "of cores that it finds.\n",
                            .options = [] { return texts_of(cores_option_table()); },
                            .run = run_cores};

} // namespace memtest

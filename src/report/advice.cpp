#include "memtest/report/advice.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/machine/disturbances.hpp"
#include "memtest/machine/mapped_file.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memtest {
namespace {

using Sentence = std::optional<std::string>;

constexpr std::string_view busy_machine =
    "other processes use the processors and disturb the figures; measure when the machine is quiet";
constexpr std::string_view used_by_others =
    " % of the processors meanwhile, and disturbed the figures; measure again when the machine is quiet";
constexpr std::string_view cache_serves = "so the cache serves a part of the accesses";
constexpr std::string_view unsettled = " did not settle; measure again when the machine is quiet";

Sentence on_governor(const RunPlan& plan, const SystemFiles& files) {
    for (const int processor : plan.team.processors) {
        const auto governor =
            files.line(fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", processor));
        if (governor && *governor != "performance")
            return fmt::format("processor {} runs under the frequency governor '{}': results move with its clock; set "
                               "'performance' (cpupower frequency-set -g performance), or read --cycles",
                               processor, *governor);
    }
    return std::nullopt;
}

/// A pair of lines is right, too: some processors fetch it as one.
Sentence on_line_size(const RunPlan& plan, const Machine& machine) {
    const std::size_t line = plan.team.shape.line_bytes;
    for (const Processor& p : with_ids(machine.allowed, plan.team.processors)) {
        for (const Cache& cache : p.caches) {
            if (cache.line_bytes != 0 && cache.line_bytes != line && 2 * cache.line_bytes != line)
                return fmt::format("the system reports lines of {} bytes for {} of processor {}, not {}; give "
                                   "--line-size {}",
                                   cache.line_bytes, cache_name(cache), p.id, line, cache.line_bytes);
        }
    }
    return std::nullopt;
}

Sentence on_siblings(const RunPlan& plan, const Machine& machine) {
    const std::vector<Processor> used = with_ids(machine.allowed, plan.team.processors);
    const std::size_t cores = physical_cores(used);
    if (cores == used.size())
        return std::nullopt;
    return fmt::format("{} threads run on {}, and share caches and load units; give at most {} threads, "
                       "or processors of different cores with --cpu",
                       used.size(), counted(cores, "physical core"), physical_cores(machine.allowed));
}

Sentence on_pinning(const Machine& machine) {
    if (!machine.pinning_refused)
        return std::nullopt;
    return fmt::format("the system does not let threads be bound to processors ({}): they may move during the run, "
                       "away from their caches; repeat it and compare, or let sched_setaffinity pass (seccomp)",
                       *machine.pinning_refused);
}

} // namespace

std::vector<std::string> advice_of(std::initializer_list<Sentence> all) {
    std::vector<std::string> given;
    for (const Sentence& sentence : all) {
        if (sentence)
            given.push_back(*sentence);
    }
    return given;
}

std::optional<std::string> advice_on_busy_machine(const SystemFiles& files) {
    return is_machine_busy(files) ? std::optional<std::string>(busy_machine) : std::nullopt;
}

std::optional<std::string> advice_on_use_by_others(double percent) {
    constexpr double clearly = 20; // a compiler beside the run takes 50 of two processors, a quiet machine less than 2
    if (percent < clearly)
        return std::nullopt;
    return fmt::format("others used {:.0f}{}", percent, used_by_others);
}

std::optional<std::string> advice_on_unsettled(std::size_t count, std::size_t of, std::string_view things) {
    constexpr std::size_t many = 5; // one of so many
    if (count == 0 || many * count < of)
        return std::nullopt;
    things.remove_suffix(of == 1 ? 1 : 0);
    return fmt::format("{} of {} {}{}", count, of, things, unsettled);
}

bool is_on_others(std::string_view warning) {
    return warning == busy_machine || warning.ends_with(used_by_others);
}

std::optional<std::string> advice_on_little_memory(std::size_t bytes, const std::vector<Processor>& processors,
                                                   std::string_view option) {
    constexpr std::size_t fewest_last_caches = 4; // in less, the caches serve many accesses
    if (bytes >= fewest_last_caches * last_cache_bytes(processors))
        return std::nullopt;
    return fmt::format("{} is less than {} times the last cache, {}; give a larger --{}", human_size(bytes),
                       fewest_last_caches, cache_serves, option);
}

bool is_on_little_memory(std::string_view warning) {
    return warning.find(cache_serves) != std::string_view::npos;
}

bool is_on_whole_result(std::string_view warning) {
    return is_on_others(warning) || warning.ends_with(unsettled);
}

std::vector<std::string> advice_before(const RunPlan& plan, const Machine& machine) {
    return advice_of({on_governor(plan, machine.files), on_line_size(plan, machine), on_siblings(plan, machine),
                      on_pinning(machine)});
}

std::optional<std::string> advice_on_memory_file(const RunDescription& run) {
    if (!run.memory_file || !is_on_disk(*run.memory_file))
        return std::nullopt;
    return fmt::format("{} is on a disk: its memory is the page cache, which is written back meanwhile; give a file on "
                       "tmpfs, hugetlbfs or DAX",
                       *run.memory_file);
}

std::optional<std::string> advice_on_prefetching(Order order, double last_row_ns, double random_ns) {
    constexpr double far_below = 0.5; // cheaper page walks alone explain no more
    if (last_row_ns >= far_below * random_ns)
        return std::nullopt;
    return fmt::format(
        "the {} scan ends at {:.1f} ns where a short random check shows {:.0f} ns: the prefetcher follows the "
        "stride; --random shows the latency",
        word_of(order), last_row_ns, random_ns);
}

std::optional<std::string> advice_on_learned_laps(const LapTimes& laps) {
    if (!are_learned(laps))
        return std::nullopt;
    return fmt::format(
        "this processor learns the order of a random walk: a lap walked again takes {:.1f} ns per access in "
        "place of {:.1f}; sizes that are walked many times may look faster than they are",
        laps.later_ns, laps.first_ns);
}

std::optional<std::string> advice_on_moving_clock(const ClockRange& range) {
    constexpr double clearly = 1.1; // ordinary sweeps on a shared virtual machine: 1.02 to 1.095
    if (range.highest_ghz <= clearly * range.lowest_ghz)
        return std::nullopt;
    return fmt::format("the core's clock moved between {:.3f} and {:.3f} GHz during the run, and cache latencies in ns "
                       "with it; compare cycles (--cycles), or fix the frequency",
                       range.lowest_ghz, range.highest_ghz);
}

std::optional<std::string> advice_on_disturbance(Curve sweep, Order order) {
    constexpr double clearly = 1.25; // 21 of 240 sweeps on a shared virtual machine exceeded it
    CurvePoint larger;
    CurvePoint disturbed;
    double worst = clearly;
    for (std::size_t i = 0; i + 1 < sweep.size(); ++i) {
        const double ns = sweep[i].latency_ns;
        const bool towers = towers_over(ns, sweep[i == 0 ? 1 : i - 1].latency_ns, sweep[i + 1].latency_ns);
        const Curve behind = order == Order::random ? sweep.subspan(i + 1) : sweep.subspan(i + 1, towers ? 1 : 0);
        const auto quickest = std::ranges::min_element(behind, {}, &CurvePoint::latency_ns);
        if (quickest == behind.end() || ns <= worst * quickest->latency_ns)
            continue;
        worst = ns / quickest->latency_ns;
        disturbed = sweep[i];
        larger = *quickest;
    }
    if (worst == clearly)
        return std::nullopt;
    return fmt::format(
        "{} took {:.1f} ns per access and {}, though larger, {:.1f} ns: something else filled the caches "
        "meanwhile; sweep again, or give more --visits",
        human_size(static_cast<std::uint64_t>(disturbed.size_bytes)), disturbed.latency_ns,
        human_size(static_cast<std::uint64_t>(larger.size_bytes)), larger.latency_ns);
}

} // namespace memtest

#include "memtest/result/warnings.hpp"

#include "memtest/machine/control_group.hpp"
#include "memtest/machine/disturbances.hpp"
#include "memtest/machine/kinds.hpp"
#include "memtest/machine/mapped_file.hpp"
#include "memtest/result/row_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

namespace memtest {
namespace {

using Warning = std::optional<Notice>;

Warning on_governor(const RunPlan& plan, const SystemFiles& files) {
    for (const int processor : plan.team.processors) {
        const auto governor =
            files.line(fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", processor));
        if (governor && *governor != "performance")
            return Notice(Code::frequency_governor, {{"processor", processor}, {"governor", *governor}});
    }
    return std::nullopt;
}

/// A pair of lines is right, too: some processors fetch it as one.
Warning on_line_size(const RunPlan& plan, const Machine& machine) {
    const std::size_t line = plan.team.shape.line_bytes;
    for (const Processor& p : with_ids(machine.allowed, plan.team.processors)) {
        for (const Cache& cache : p.caches) {
            if (cache.line_bytes != 0 && cache.line_bytes != line && 2 * cache.line_bytes != line)
                return Notice(Code::other_line_size, {{"line_bytes", cache.line_bytes},
                                                      {"cache", cache_name(cache)},
                                                      {"processor", p.id},
                                                      {"given_bytes", line}});
        }
    }
    return std::nullopt;
}

Warning on_siblings(const RunPlan& plan, const Machine& machine) {
    const std::vector<Processor> used = with_ids(machine.allowed, plan.team.processors);
    const std::size_t cores = physical_cores(used);
    if (cores == used.size())
        return std::nullopt;
    return Notice(Code::threads_share_cores,
                  {{"threads", used.size()}, {"cores", cores}, {"most_threads", physical_cores(machine.allowed)}});
}

/// The ranges of neighbouring sizes that are contested, of those from the first size to below the end.
List contested_ranges(std::span<const Row> rows, std::uint64_t first_bytes, std::uint64_t end_bytes) {
    const auto joined = [](const LatencyBand& a, const LatencyBand& b) {
        return LatencyBand{.low_ns = std::min(a.low_ns, b.low_ns), .high_ns = std::max(a.high_ns, b.high_ns)};
    };
    std::map<std::uint64_t, std::optional<LatencyBand>> sizes;
    for (const Row& row : rows) {
        if (row.size_bytes < first_bytes || row.size_bytes >= end_bytes)
            continue;
        auto& band = sizes[row.size_bytes];
        if (const auto found = contested_band_of(row))
            band = joined(*found, band.value_or(*found));
    }
    List ranges;
    for (auto size = sizes.begin(); size != sizes.end(); ++size) {
        if (!size->second)
            continue;
        const std::uint64_t from_bytes = size->first;
        LatencyBand band = *size->second;
        for (auto next = std::next(size); next != sizes.end() && next->second; ++next) {
            band = joined(band, *next->second);
            size = next;
        }
        ranges.emplace_back(Members{{"from_bytes", from_bytes},
                                    {"to_bytes", size->first},
                                    {"low_ns", figure(band.low_ns)},
                                    {"high_ns", figure(band.high_ns)}});
    }
    return ranges;
}

} // namespace

std::vector<Notice> those_of(std::initializer_list<Warning> all) {
    std::vector<Notice> there;
    for (const Warning& warning : all) {
        if (warning)
            there.push_back(*warning);
    }
    return there;
}

Warning warning_on_busy_machine(const SystemFiles& files) {
    return is_machine_busy(files) ? Warning(Notice(Code::busy_machine)) : std::nullopt;
}

Warning warning_on_quota(std::size_t threads, const SystemFiles& files) {
    const auto processors = cpu_quota(files);
    if (!processors || *processors >= static_cast<double>(threads))
        return std::nullopt;
    return Notice(Code::cpu_quota, {{"processors", figure(*processors)}, {"threads", threads}});
}

Warning warning_on_throttling(std::uint64_t periods) {
    return periods == 0 ? std::nullopt : Warning(Notice(Code::throttled, {{"periods", periods}}));
}

Warning warning_on_kinds(const std::vector<int>& measured, const std::vector<int>& load, const Machine& machine) {
    const std::vector<CoreKind> kinds = kinds_of(machine.allowed);
    if (kinds.size() < 2)
        return std::nullopt;
    const auto by_kind = [&](const std::vector<int>& processors) { // in their order
        std::vector<CoreKind> found;
        for (const int processor : processors) {
            const std::string& name = kind_with(kinds, processor).name;
            if (found.empty() || found.back().name != name)
                found.push_back({name, {}});
            found.back().processors.push_back(processor);
        }
        return as_value(found);
    };
    std::vector<CoreKind> others;
    for (const CoreKind& kind : kinds) {
        if (std::ranges::find_first_of(kind.processors, measured) == kind.processors.end())
            others.push_back(kind);
    }
    if (others.empty())
        return std::nullopt;
    Members values{{"measured", by_kind(measured)}, {"others", as_value(others)}};
    if (!load.empty())
        values.set("load", by_kind(load));
    return Notice(Code::several_kinds, std::move(values));
}

Warning warning_on_use_by_others(double percent) {
    constexpr double clearly = 20; // a compiler during the run takes 50 on two processors, a quiet machine less than 2
    if (percent < clearly)
        return std::nullopt;
    return Notice(Code::others_used, {{"percent", figure(percent, decimals(0))}});
}

Warning warning_on_unsettled(std::size_t count, std::size_t of, std::string_view things) {
    constexpr std::size_t many = 5; // one in this many
    if (count == 0 || many * count < of)
        return std::nullopt;
    return Notice(Code::unsettled, {{"count", count}, {"of", of}, {"things", things}});
}

Warning warning_on_little_memory(std::size_t bytes, const std::vector<Processor>& processors, std::string_view option) {
    const std::uint64_t last_cache = last_cache_bytes(processors);
    if (exceeds_cache(bytes, last_cache))
        return std::nullopt;
    return Notice(Code::little_memory, {{"bytes", bytes},
                                        {"caches", fewest_last_caches},
                                        {"option", option},
                                        {"least_bytes", fewest_last_caches * last_cache}});
}

std::vector<Notice> warnings_before(const RunPlan& plan, const Machine& machine) {
    const std::vector<int>& used = plan.team.processors;
    return those_of({warning_on_little_memory(plan.team.largest_bytes, with_ids(machine.allowed, used), "max-size"),
                     on_governor(plan, machine.files), on_line_size(plan, machine), on_siblings(plan, machine),
                     machine.pinning_refused ? Warning(Notice(Code::not_pinned, {{"reason", *machine.pinning_refused}}))
                                             : std::nullopt});
}

Warning warning_on_memory_file(const RunDescription& run) {
    if (!run.memory_file || !is_on_disk(*run.memory_file))
        return std::nullopt;
    return Notice(Code::memory_file_on_disk, {{"file", *run.memory_file}});
}

Warning warning_on_moved_processors(const std::vector<std::pair<int, int>>& moved, std::size_t pairs) {
    if (moved.empty())
        return std::nullopt;
    return Notice(Code::processors_moved, {{"changed", moved.size()}, {"of", pairs}});
}

Notice warning_on_prefetching(Order order, const FollowedStride& followed) {
    return {Code::prefetcher_follows_stride,
            {{"order", word_of(order)},
             {"from_bytes", followed.from_bytes},
             {"last_bytes", followed.last_bytes},
             {"strided_ns", figure(followed.strided_ns)},
             {"random_ns", figure(followed.random_ns)}}};
}

std::vector<Notice> warnings_on_foreseen(const ForeseenChains& foreseen, const ChainShape& shape) {
    std::vector<Notice> warnings;
    if (foreseen.learned && shape.orders == 1)
        warnings.push_back({Code::learned_laps,
                            {{"first_ns", figure(foreseen.learned->unforeseen_ns)},
                             {"later_ns", figure(foreseen.learned->foreseen_ns)}}});
    if (foreseen.followed && shape.link == Link::pointer)
        warnings.push_back({Code::followed_addresses,
                            {{"pointer_ns", figure(foreseen.followed->foreseen_ns)},
                             {"index_ns", figure(foreseen.followed->unforeseen_ns)}}});
    return warnings;
}

std::vector<Notice> warnings_on_contested(std::span<const Row> rows, bool may_move,
                                          const std::vector<ReportedCache>& caches) {
    constexpr std::uint64_t endless = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t cached_bytes = largest_cache_bytes(caches);
    const std::uint64_t beyond = cached_bytes > 0 ? fewest_last_caches * cached_bytes : endless;
    std::vector<ReportedCache> of_one_processor;
    std::ranges::copy_if(caches, std::back_inserter(of_one_processor), [](const ReportedCache& cache) {
        return cache.shared_by == 1 && static_cast<std::size_t>(cache.level) <= private_caches;
    });
    const auto own_bytes = static_cast<double>(largest_cache_bytes(of_one_processor));
    std::vector<Notice> warnings;
    const auto add = [&](List ranges, const char* why) {
        if (ranges.empty())
            return;
        Members values{{"ranges", std::move(ranges)}};
        if (why != nullptr)
            values.set(why, true);
        warnings.emplace_back(Code::contested_sizes, std::move(values));
    };
    List own;
    List shared;
    for (Value& range : contested_ranges(rows, 0, beyond)) {
        const bool is_own = range["to_bytes"].number().value_or(0) <= own_bytes;
        (is_own ? own : shared).push_back(std::move(range));
    }
    add(std::move(own), "private");
    add(std::move(shared), may_move ? "virtual" : nullptr);
    add(contested_ranges(rows, beyond, endless), "beyond_caches");
    return warnings;
}

Warning warning_on_moving_clock(const ClockRange& range) {
    constexpr double clearly = 1.1; // ordinary sweeps on a shared virtual machine: 1.02 to 1.095
    if (range.highest_ghz <= clearly * range.lowest_ghz)
        return std::nullopt;
    return Notice(Code::core_clock_moved,
                  {{"lowest_ghz", figure(range.lowest_ghz)}, {"highest_ghz", figure(range.highest_ghz)}});
}

Warning warning_on_memory_clocks(std::span<const std::vector<ScaledClock>> readings) {
    constexpr double clearly = 1.01; // drivers round
    for (std::size_t controller = 0; !readings.empty() && controller < readings.front().size(); ++controller) {
        std::vector<double> ghz;
        for (const std::vector<ScaledClock>& reading : readings) {
            if (controller < reading.size() && reading[controller].current_ghz)
                ghz.push_back(*reading[controller].current_ghz);
        }
        if (ghz.empty())
            continue;
        const auto [lowest, highest] = std::ranges::minmax(ghz);
        if (highest > clearly * lowest)
            return Notice(Code::memory_clock_moved, {{"lowest_ghz", figure(lowest)},
                                                     {"highest_ghz", figure(highest)},
                                                     {"governor", readings.front()[controller].governor}});
    }
    return std::nullopt;
}

Warning warning_on_disturbance(Curve sweep, Order order) {
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
    return Notice(Code::disturbed_size, {{"bytes", disturbed.size_bytes},
                                         {"ns", figure(disturbed.latency_ns)},
                                         {"larger_bytes", larger.size_bytes},
                                         {"larger_ns", figure(larger.latency_ns)}});
}

} // namespace memtest

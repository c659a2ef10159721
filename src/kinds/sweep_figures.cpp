#include "memtest/kinds/figures.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/insight/latency_curve.hpp"
#include "memtest/insight/level_rules.hpp"
#include "memtest/insight/level_search.hpp"
#include "memtest/insight/reported_levels.hpp"
#include "memtest/kinds/levels.hpp"
#include "memtest/kinds/sweep_curves.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/measure/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <variant>

namespace memtest {
namespace {

/// Whether it is a sweep of several sizes.
bool is_of_levels(const Result& part) {
    const auto* rows = std::get_if<std::vector<Row>>(&part.rows);
    return rows != nullptr && rows->front().size_bytes != rows->back().size_bytes;
}

/// With "of thread 1" behind the name if there are several threads.
std::string on_thread(std::string name, int thread, bool several) {
    return several ? fmt::format("{} of thread {}", name, thread) : name;
}

/// The points of one thread, in the order of their sizes.
std::vector<LogPoint> points_of(const LatencyCurve& curve, int thread) {
    std::vector<LogPoint> points;
    for (auto at = curve.lower_bound({thread, 0}); at != curve.end() && at->first.first == thread; ++at)
        points.push_back(at->second);
    return points;
}

bool covers(const SizeRange& level, double size_bytes) {
    return size_bytes >= level.from_bytes - size_resolution_bytes / 2 &&
           size_bytes <= level.to_bytes + size_resolution_bytes / 2;
}

/// The latency of a level at its sizes, without those that others contest unless they are most.
Figure level_figure(const std::vector<LogPoint>& points, const SizeRange& level) {
    std::vector<LogPoint> inside;
    std::ranges::copy_if(points, std::back_inserter(inside),
                         [&](const LogPoint& point) { return covers(level, point.size_bytes); });
    const std::size_t all = inside.size();
    Figure figure{.name = fmt::format("{} latency", level.name), .quantity = Quantity::level_latency};
    const auto contested = static_cast<std::size_t>(std::ranges::count(inside, true, &LogPoint::contested));
    figure.has_contested_sizes = contested > 0;
    if (2 * contested > all)
        figure.doubt = Why::contested;
    else
        std::erase_if(inside, [](const LogPoint& point) { return point.contested; });
    std::vector<double> latencies;
    std::vector<double> noises;
    for (const LogPoint& point : inside) {
        latencies.push_back(point.log_latency);
        noises.push_back(point.noise);
        figure.readings.push_back({fmt::format("{:.0f}", point.size_bytes), std::exp(point.log_latency)});
    }
    figure.value = inside.empty() ? 0 : std::exp(median(latencies));
    figure.noise = inside.empty() ? 0 : median(noises);
    return figure;
}

/// The size at which the latency is half way, as logarithms go, from one level to the next; value 0 if it never is.
Figure capacity_figure(const std::vector<LogPoint>& points, const SizeRange& level, double ns, double behind_ns) {
    Figure figure{.name = fmt::format("{} capacity", level.name), .quantity = Quantity::capacity};
    const double half_way = (std::log(ns) + std::log(behind_ns)) / 2;
    for (std::size_t i = points.size(); i-- > 1;) {
        const LogPoint& below = points[i - 1];
        const LogPoint& above = points[i];
        if (below.size_bytes < level.from_bytes || below.log_latency > half_way || above.log_latency <= half_way)
            continue;
        const double slope = (above.log_latency - below.log_latency) / std::log(above.size_bytes / below.size_bytes);
        const double bytes = below.size_bytes * std::exp((half_way - below.log_latency) / slope);
        figure.value = bytes / static_cast<double>(kib);
        figure.noise = std::max(below.noise, above.noise) / slope;
        figure.range =
            FigureRange{below.size_bytes / static_cast<double>(kib), above.size_bytes / static_cast<double>(kib)};
        if (std::ranges::any_of(points, [&](const LogPoint& point) {
                return point.contested && std::abs(std::log(point.size_bytes / bytes)) < 2 * std::log(nearby_sizes);
            }))
            figure.doubt = Why::contested;
        return figure;
    }
    return figure;
}

void scale(Figure& figure, double by) {
    figure.value *= by;
    if (figure.range)
        figure.range = FigureRange{figure.range->low * by, figure.range->high * by};
}

/// The latency of memory; and as each size shows it that is memory here and in the frame, without the share that caches
/// still serve, but for the sizes that others contest unless they are most. A mean of all sizes would depend on where
/// memory begins.
Figure memory_figure(std::vector<LogPoint> points, const Hierarchy& hierarchy, const std::vector<SizeRange>& levels) {
    if (!hierarchy.memory)
        return {};
    for (LogPoint& point : points) {
        const double ns = std::exp(point.log_latency); // the least, where a cache is slower than its share suggests
        point.log_latency = std::log(std::max(ns, latency_behind_ns(hierarchy.caches, ns, point.size_bytes)));
    }
    const SizeRange here{.name = std::string(memory_level),
                         .from_bytes = hierarchy.memory->from_bytes,
                         .to_bytes = hierarchy.memory->to_bytes};
    SizeRange in_both = here;
    if (!levels.empty() && levels.back().name == memory_level) {
        in_both.from_bytes = std::max(here.from_bytes, levels.back().from_bytes);
        in_both.to_bytes = std::min(here.to_bytes, levels.back().to_bytes);
    }
    Figure figure = level_figure(points, in_both);
    if (figure.readings.empty())
        figure = level_figure(points, here);
    figure.name = "memory latency";
    figure.quantity = Quantity::memory_latency;
    figure.value = hierarchy.memory->latency_ns;
    return figure;
}

/// Its standard deviation from run to run, each of which settled to 2 %: 12.0 to 13.3 ns at 6 MiB of an L3 of 32 MiB in
/// 16 reports in a row (Zen 5).
constexpr double noise_of_shared_cache = 0.035;

/// Whether a capacity is what other guests of the host leave of its cache: it changes with them.
bool is_left_by_guests(double capacity_kib, const RunDescription& run) {
    const std::uint64_t reported_bytes = largest_cache_bytes(run.caches.value_or(std::vector<ReportedCache>{}));
    return run.virtual_machine.value_or(false) &&
           capacity_kib * static_cast<double>(kib) < own_share * static_cast<double>(reported_bytes);
}

/// Whether a cache that other guests of the host use ends before the last of these sizes, or is not there although even
/// the baselines had but part of it.
bool ends_early_beside_guests(const Hierarchy& hierarchy, const SizeRange& level, const RunDescription& run) {
    const auto cache =
        std::ranges::find(hierarchy.caches, level.name, [](const Level& one) { return level_name(one.number); });
    if (cache != hierarchy.caches.end())
        return cache->capacity_bytes.value_or(level.to_bytes) < level.to_bytes;
    return level.capacity_bytes > 0 && is_left_by_guests(level.capacity_bytes / static_cast<double>(kib), run);
}

/// Makes the latency of a shared cache as noisy as others make it: other processes, and other guests of a host.
void allow_for_others(Figure& level, const FigureList& list, const Hierarchy& hierarchy, const SizeRange& sizes,
                      const RunDescription& run) {
    level.noise = list.beside_others(level.noise);
    if (list.is_disturbed())
        level.has_contested_sizes = true; // they may fill all of it
    if (!run.virtual_machine.value_or(false))
        return;
    level.noise = std::max(level.noise, noise_of_shared_cache);
    if (ends_early_beside_guests(hierarchy, sizes, run))
        level.doubt = Why::shared;
}

/// The latency of memory; @param with_caches also the latency and capacity of each cache, and single sizes
void add_levels(FigureList& list, const Result& sweep, const std::vector<SizeRange>& levels, bool with_caches) {
    const LatencyCurve curve = latency_curve_of(sweep);
    const std::map<int, Hierarchy>& threads = list.stated().levels.at(sweep.part);
    const bool several = threads.size() > 1;
    for (const auto& [thread, hierarchy] : threads) {
        const std::vector<LogPoint> points = points_of(curve, thread);
        const auto add = [&, thread = thread](Figure figure) {
            figure.name = on_thread(figure.name, thread, several);
            list.add(std::move(figure));
        };
        for (std::size_t i = 0; with_caches && i < levels.size() && levels[i].name != memory_level; ++i) {
            if (hierarchy.prefetched_from_bytes && levels[i].to_bytes >= *hierarchy.prefetched_from_bytes)
                break;
            Figure level = level_figure(points, levels[i]);
            if (i > 0)
                level.cause = on_thread(levels[i - 1].name + " capacity", thread, several);
            if (levels[i].is_shared)
                allow_for_others(level, list, hierarchy, levels[i], sweep.run);
            const Figure next = i + 1 < levels.size() ? level_figure(points, levels[i + 1]) : Figure{};
            if (next.value > 0)
                level.behind = next.value;
            Figure scaled = level;
            scale(scaled, levels[i].latency_scale);
            add(std::move(scaled));
            if (level.value > 0 && next.value > level.value) {
                Figure capacity = capacity_figure(points, levels[i], level.value, next.value);
                capacity.cause = on_thread(level.name, thread, several);
                if (levels[i].is_shared && is_left_by_guests(capacity.value, sweep.run))
                    capacity.doubt = Why::shared;
                else if (levels[i].is_shared && list.is_disturbed())
                    capacity.doubt = Why::disturbed;
                scale(capacity, levels[i].capacity_scale);
                add(std::move(capacity));
            }
        }
        Figure memory = memory_figure(points, hierarchy, levels);
        if (several || section_of_part(sweep.part) == "kinds")
            add(std::move(memory));
        else
            list.add_memory(sweep.run.pages, memory.value, memory.noise, memory.doubt, std::move(memory.readings));
        for (std::size_t i = 0; with_caches && i < points.size(); ++i)
            add({.name = rounded_size(points[i].size_bytes),
                 .quantity = Quantity::size_latency,
                 .value = std::exp(points[i].log_latency),
                 .noise = points[i].noise,
                 .doubt = points[i].contested ? Why::contested : Why::none,
                 .at_bytes = points[i].size_bytes});
    }
}

/// @param one_chain the same with one chain; null: this is it
void add_access_time(FigureList& list, const Result& sweep, const Result* one_chain) {
    const LatencyCurve curve = latency_curve_of(sweep);
    const std::uint64_t chains = sweep.run.parallel.value_or(1);
    const bool is_slowed =
        one_chain != nullptr && slowed_single_chain(parallel_chains_in(list.stated().file->results)).has_value();
    const auto single = one_chain == nullptr ? LatencyCurve() : latency_curve_of(*one_chain);
    for (const auto& [key, point] : curve) {
        const double ns = std::exp(point.log_latency);
        const Why doubt = is_slowed ? Why::disturbed : point.contested ? Why::contested : Why::none;
        const auto base = single.find(key);
        if (chains == 1 && curve.size() == 1 && ns >= LevelRules().least_memory_ns && !sweep.part.empty())
            list.add_memory(sweep.run.pages, ns, point.noise, doubt);
        else if (chains > 1 && base != single.end())
            list.add({.name = counted(chains, "chain"),
                      .quantity = Quantity::access_time,
                      .value = 100 * ns / std::exp(base->second.log_latency),
                      .noise = std::hypot(point.noise, base->second.noise),
                      .doubt = doubt});
        else
            list.add(
                {.name = on_thread(fmt::format("{} at {}", counted(chains, "chain"), rounded_size(point.size_bytes)),
                                   key.first, curve.size() > 1),
                 .quantity = ns < LevelRules().least_memory_ns ? Quantity::level_latency : Quantity::memory_latency,
                 .value = ns,
                 .noise = point.noise,
                 .doubt = doubt});
    }
}

/// Sets the scales of the ranges that begin with those of these caches. @param curve that the caches are inferred from
void set_scales(std::vector<SizeRange>& ranges, const std::vector<Level>& caches,
                const std::vector<CurvePoint>& curve) {
    std::vector<LogPoint> points;
    for (const CurvePoint& point : curve)
        points.push_back({point.size_bytes, std::log(point.latency_ns), 0, point.contested.has_value()});
    for (std::size_t i = 0; i < caches.size(); ++i) {
        const double ns = level_figure(points, ranges[i]).value;
        const double next_ns = i + 1 < ranges.size() ? level_figure(points, ranges[i + 1]).value : 0;
        const double kibibytes = next_ns > ns ? capacity_figure(points, ranges[i], ns, next_ns).value : 0;
        if (ns > 0)
            ranges[i].latency_scale = caches[i].latency_ns / ns;
        if (kibibytes > 0 && caches[i].capacity_bytes)
            ranges[i].capacity_scale = *caches[i].capacity_bytes / static_cast<double>(kib) / kibibytes;
    }
}

/// A sweep of several sizes, and what its first thread shows.
using FirstThread = std::pair<const Result*, const Hierarchy*>;

/// The levels of the median of several sweeps; all sizes if it shows none.
std::vector<SizeRange> levels_of(const std::vector<FirstThread>& sweeps) {
    std::map<double, std::vector<CurvePoint>> points;
    for (const auto& [sweep, hierarchy] : sweeps) {
        const std::vector<ThreadCurve> threads = curves_of(*sweep);
        for (const CurvePoint& point : threads.front().points)
            points[point.size_bytes].push_back(point);
    }
    std::vector<CurvePoint> curve;
    for (auto& [size, here] : points) { // the middle point, with its doubts
        std::ranges::sort(here, {}, &CurvePoint::latency_ns);
        curve.push_back(here[(here.size() - 1) / 2]);
    }
    const auto& [sweep, only] = sweeps.front();
    const Hierarchy hierarchy = sweeps.size() == 1 ? *only : read_levels(curve, *sweep);
    std::vector<SizeRange> ranges;
    for (const Level& level : hierarchy.caches)
        ranges.push_back({.name = level_name(level.number),
                          .from_bytes = level.from_bytes,
                          .to_bytes = level.to_bytes,
                          .capacity_bytes = level.capacity_bytes.value_or(0),
                          .is_shared = static_cast<std::size_t>(level.number) > private_caches});
    if (hierarchy.memory)
        ranges.push_back({.name = std::string(memory_level),
                          .from_bytes = hierarchy.memory->from_bytes,
                          .to_bytes = hierarchy.memory->to_bytes});
    set_scales(ranges, hierarchy.caches, curve);
    if (ranges.empty() && !curve.empty())
        ranges.push_back(
            {.name = "sweep", .from_bytes = curve.front().size_bytes, .to_bytes = curve.back().size_bytes});
    return ranges;
}

} // namespace

Stated::Stated(const StoredFile& stored) : file(&stored) {
    for (const Result& part : stored.results) {
        if (!is_of_levels(part))
            continue;
        for (const ThreadCurve& curve : curves_of(part))
            levels[part.part].emplace(curve.thread, read_levels(curve.points, part));
    }
}

Frame frame_of(std::span<const Stated> baselines) {
    std::map<std::string, std::vector<FirstThread>> sweeps;
    for (const Stated& base : baselines) {
        for (const Result& part : base.file->results) {
            if (is_of_levels(part))
                sweeps[part.part].emplace_back(&part, &base.levels.at(part.part).begin()->second);
        }
    }
    Frame frame;
    for (const auto& [part, all] : sweeps)
        frame.emplace(part, levels_of(all));
    return frame;
}

void add_sweep_figures(FigureList& list, const Result& sweep) {
    if (!is_of_levels(sweep))
        return add_access_time(list, sweep,
                               sweep.part.empty() ? nullptr : find_part(list.stated().file->results, "parallel1"));
    const Frame& frame = list.frame();
    if (const auto levels = frame.find(sweep.part); levels != frame.end())
        add_levels(list, sweep, levels->second, sweep.part != "sweep" || !frame.contains("huge"));
}

} // namespace memtest

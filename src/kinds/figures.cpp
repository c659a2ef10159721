#include "memtest/kinds/figures.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/insight/latency_curve.hpp"
#include "memtest/kinds/levels.hpp"
#include "memtest/kinds/sweep_curves.hpp"
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

/// Sizes up to this factor apart are near each other: one step of a sweep.
constexpr double nearby_sizes = 1.3;

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

/// The latency of memory, less the share of the accesses that caches still serve; and its noise.
std::pair<double, double> memory_of(const std::vector<LogPoint>& points, const Hierarchy& hierarchy) {
    if (!hierarchy.memory)
        return {0, 0};
    const auto& [latency_ns, from_bytes, to_bytes] = *hierarchy.memory;
    return {latency_ns, level_figure(points, {.name = "", .from_bytes = from_bytes, .to_bytes = to_bytes}).noise};
}

/// From the third cache on, other guests of a host use it, too.
constexpr std::size_t private_caches = 2;

/// Its standard deviation from run to run, each of which settled to 2 %: 12.0 to 13.3 ns at 6 MiB of an L3 of 32 MiB in
/// 16 reports in a row (Zen 5).
constexpr double noise_of_shared_cache = 0.035;

/// That of memory where other guests contest a cache: 162 to 183 ns, 4.9 %, in 5 reports in a row (Zen 3). With 4.3 %
/// it would not be comparable at the usual tolerance.
constexpr double noise_of_contested_memory = 0.042;

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
            Figure level = level_figure(points, levels[i]);
            if (i > 0)
                level.cause = on_thread(levels[i - 1].name + " capacity", thread, several);
            if (i >= private_caches && sweep.run.virtual_machine.value_or(false))
                level.noise = std::max(level.noise, noise_of_shared_cache);
            const Figure next = i + 1 < levels.size() ? level_figure(points, levels[i + 1]) : Figure{};
            if (next.value > 0)
                level.behind = next.value;
            Figure scaled = level;
            scale(scaled, levels[i].latency_scale);
            add(std::move(scaled));
            if (level.value > 0 && next.value > level.value) {
                Figure capacity = capacity_figure(points, levels[i], level.value, next.value);
                capacity.cause = on_thread(level.name, thread, several);
                scale(capacity, levels[i].capacity_scale);
                add(std::move(capacity));
            }
        }
        const auto [memory_ns, noise] = memory_of(points, hierarchy);
        if (several || section_of_part(sweep.part) == "kinds")
            add({.name = "memory latency", .quantity = Quantity::memory_latency, .value = memory_ns, .noise = noise});
        else
            list.add_memory(sweep.run.pages, memory_ns, noise);
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
                 .quantity = Quantity::level_latency,
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

/// What the sweep knows of its sizes counts for other figures of these sizes, too. At the end of a level, where the
/// latency rises from size to size, it is the noise of how much the level holds.
void spread_doubts(std::vector<Figure>& figures) {
    constexpr double noise_per_rise = 0.25;
    const std::vector<Figure> all = figures;
    for (Figure& figure : figures) {
        if (!figure.at_bytes || figure.quantity == Quantity::size_latency)
            continue;
        std::vector<double> nearby_ns;
        for (const Figure& size : all) {
            if (size.quantity != Quantity::size_latency ||
                std::abs(std::log(*size.at_bytes / *figure.at_bytes)) > std::log(nearby_sizes))
                continue;
            figure.noise = std::max(figure.noise, size.noise);
            nearby_ns.push_back(size.value);
            if (figure.doubt == Why::none && size.doubt == Why::contested)
                figure.doubt = Why::contested;
        }
        if (!nearby_ns.empty()) {
            const auto [low, high] = std::ranges::minmax(nearby_ns);
            figure.noise = std::max(figure.noise, noise_per_rise * std::log(high / low));
        }
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
        ranges.push_back(
            {.name = level_name(level.number), .from_bytes = level.from_bytes, .to_bytes = level.to_bytes});
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

/// One figure for all parts that measure it, in each kind of pages.
std::string memory_latency_in(const std::optional<PageKind>& pages) {
    return pages == PageKind::base ? "memory latency in small pages" : "memory latency";
}

/// The standard deviation from run to run of what the host of a virtual machine decides: nested page walks took 20 or
/// 38 ns, and all guests share the bandwidth of memory (12 reports in a row of an EPYC). Where these contest a cache,
/// several chains side by side have it, too: 32 took 7.8 to 10.4 ns in 5 reports in a row (Zen 3).
constexpr double noise_of_guest = 0.08;

/// Whether the host decides it. The median of single loads from memory, of one moment, was 281 and 160 ns while the
/// sweeps of the same reports agreed.
bool is_of_host(const Figure& figure) {
    return figure.quantity == Quantity::page_walk || figure.quantity == Quantity::peak ||
           (figure.quantity == Quantity::p50 && figure.value >= LevelRules().least_memory_ns);
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

std::vector<Figure> figures_in(const Stated& stated, const Frame& frame) {
    FigureList list(stated, frame);
    for (const Result& part : stated.file->results) {
        list.begin(part);
        part.kind->facts.add_figures(list, part);
    }
    std::vector<Figure> figures = list.take();
    spread_doubts(figures);
    return figures;
}

void FigureList::begin(const Result& part) {
    part_ = part.part;
    incomplete_ = why_incomplete(part).has_value();
    disturbed_ = std::ranges::any_of(part.warnings, is_disturbance);
    is_guest_ = part.run.virtual_machine.value_or(false);
}

void FigureList::add(Figure figure) {
    figure.part = part_;
    if (is_guest_ && is_of_host(figure))
        figure.noise = std::max(figure.noise, noise_of_guest);
    if (incomplete_)
        figure.doubt = Why::incomplete;
    else if (disturbed_ && figure.noise == 0 && figure.doubt == Why::none)
        figure.doubt = Why::disturbed;
    if (figure.value > 0 && names_.insert({figure.part, figure.name}).second)
        all_.push_back(std::move(figure));
}

void FigureList::add_memory(const std::optional<PageKind>& pages, double ns, double noise, Why doubt) {
    if (ns <= 0)
        return;
    Figure& figure = memory_[memory_latency_in(pages)];
    const bool is_first = figure.readings.empty();
    if (is_guest_ && pages == PageKind::base)
        noise = std::max(noise, noise_of_guest);
    if (incomplete_)
        doubt = Why::incomplete;
    if (is_first || figure.doubt != Why::none) { // a sound reading counts, not one in doubt
        figure.value = ns;
        figure.noise = noise;
        if (doubt == Why::none)
            figure.readings.clear();
        figure.doubt = doubt;
    } else if (doubt == Why::none) {
        figure.noise = std::min(figure.noise, noise);
    } else {
        return;
    }
    figure.readings.push_back({part_, ns});
}

std::vector<Figure> FigureList::take() {
    std::vector<Figure> all;
    for (auto& [name, figure] : memory_) {
        figure.name = name;
        figure.quantity = Quantity::memory_latency;
        all.push_back(std::move(figure));
    }
    all.insert(all.end(), std::make_move_iterator(all_.begin()), std::make_move_iterator(all_.end()));
    const bool guests_contest = is_guest_ && std::ranges::any_of(all, [](const Figure& figure) {
                                    return figure.quantity == Quantity::size_latency && figure.doubt == Why::contested;
                                });
    for (Figure& figure : all) {
        if (guests_contest && figure.quantity == Quantity::memory_latency)
            figure.noise = std::max(figure.noise, noise_of_contested_memory);
        if (guests_contest && figure.quantity == Quantity::access_time)
            figure.noise = std::max(figure.noise, noise_of_guest);
    }
    return all;
}

double noise_of_quartiles(std::optional<double> low, std::optional<double> high, double middle) {
    constexpr double noise_per_range = 0.25;
    return low && high && middle > 0 ? noise_per_range * std::max(*high - *low, 0.0) / middle : 0;
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

#include "memtest/kinds/figures.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"
#include "memtest/insight/load_curve.hpp"
#include "memtest/kinds/loaded.hpp"
#include "memtest/kinds/matrix.hpp"
#include "memtest/kinds/prefetch.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/kinds/sweep_figures.hpp"
#include "memtest/kinds/tail.hpp"
#include "memtest/kinds/translation.hpp"
#include "memtest/measure/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numbers>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

/// The TLBs as the page has them, and what translation adds far beyond them: at the most pages, and at a quarter.
void add_translation(FigureList& list, const Result& tlb) {
    double most_entries = 0;
    bool has_walks = false;
    for (const Finding& finding : stored_tlb_findings(tlb).list) {
        const Members& values = finding.notice.values;
        has_walks = has_walks || finding.notice.code == Code::page_walks;
        if (finding.notice.code != Code::tlb)
            continue;
        const auto number = [&](std::string_view name) { return values[name].number().value_or(0); };
        const std::string name = fmt::format("{} TLB", text_of(values["level"]));
        most_entries = number("entries_high");
        const bool is_first = text_of(values["level"]) == "L1";
        list.add({.name = name + " entries",
                  .quantity = is_first ? Quantity::tlb_entries : Quantity::fitted_tlb_entries,
                  .value = number("entries"),
                  .range = FigureRange{std::max(number("entries_low"), 1.0), most_entries}});
        if (number("hit_ns") <= 0 || is_first) // hits of the first cost nothing
            continue;
        constexpr double least_ns = 0.1; // of less, chance decides
        const double hit_ns = std::max(number("hit_ns"), least_ns);
        list.add(
            {.name = name + " hit", .quantity = Quantity::tlb_hit, .value = hit_ns, .noise = least_ns / 3 / hit_ns});
    }
    const auto& rows = tlb.rows_of<TlbRow>();
    const std::vector<std::size_t> doubtful = read_tlb(tlb).translation.disturbed_pages;
    for (const TlbRow& row : rows) {
        constexpr double far_beyond = 2;
        const bool is_wanted = row.pages == rows.back().pages || 4 * row.pages == rows.back().pages;
        if (has_walks && is_wanted && static_cast<double>(row.pages) >= far_beyond * most_entries)
            list.add({.name = fmt::format("page walk at {}", rounded_size(row.reach_kib * static_cast<double>(kib))),
                      .quantity = Quantity::page_walk,
                      .value = row.translation_ns.value_or(0),
                      .doubt = std::ranges::count(doubtful, row.pages) > 0 ? Why::disturbed : Why::none});
    }
}

/// The noise that quartiles of batches suggest. Batches of one run resemble each other, so their median moves from run
/// to run by more than their number suggests.
double noise_of_quartiles(std::optional<double> low, std::optional<double> high, double middle) {
    constexpr double noise_per_range = 0.25;
    return low && high && middle > 0 ? noise_per_range * std::max(*high - *low, 0.0) / middle : 0;
}

double latency_noise(const LoadPoint& point) {
    return noise_of_quartiles(point.latency_low_ns, point.latency_high_ns, point.latency_ns);
}

/// The latency at a bandwidth, and its noise, between the two points next to it; 0 beyond them.
std::pair<double, double> latency_at(double bytes_per_ns, std::vector<LoadPoint> points) {
    std::ranges::sort(points, {},
                      [](const LoadPoint& point) { return std::pair(point.bytes_per_ns, point.latency_ns); });
    const auto above = std::ranges::upper_bound(points, bytes_per_ns, {}, &LoadPoint::bytes_per_ns);
    if (above == points.begin() || above == points.end())
        return {0, 0};
    const LoadPoint& below = *std::prev(above);
    const double share = (bytes_per_ns - below.bytes_per_ns) / (above->bytes_per_ns - below.bytes_per_ns);
    return {std::lerp(below.latency_ns, above->latency_ns, share),
            std::max(latency_noise(below), latency_noise(*above))};
}

/// @param is_first of several curves
void add_load_curve(FigureList& list, const LoadPoints& load, const std::string& of_curve,
                    std::optional<double> reference, const std::optional<PageKind>& pages, bool is_first) {
    const LoadCurve curve = read_load_curve(load.points);
    const auto name = [&](std::string_view what) { return fmt::format("{}{}", what, of_curve); };
    // The standard deviation of two moments, before the load and after it.
    const double idle_ns = curve.idle_ns.value_or(0);
    const double drift = idle_ns > 0 && curve.idle_last_ns.value_or(0) > 0
                             ? std::abs(std::log(*curve.idle_last_ns / idle_ns)) / std::numbers::sqrt2
                             : 0;
    if (is_first)
        list.add_memory(pages, idle_ns, drift);
    if (!curve.peak || !curve.reaches_full_load)
        return;
    if (curve.knee)
        list.add({.name = name("knee bandwidth"), .quantity = Quantity::knee, .value = curve.knee->bytes_per_ns});
    const LoadPoint& peak = *curve.peak;
    list.add({.name = name("peak bandwidth"),
              .quantity = Quantity::peak,
              .value = peak.bytes_per_ns,
              .noise = noise_of_quartiles(peak.bytes_per_ns_low, peak.bytes_per_ns_high, peak.bytes_per_ns)});
    for (const int percent : {50, 75}) {
        const auto [ns, noise] = latency_at(reference.value_or(peak.bytes_per_ns) * percent / 100, load.points);
        if (idle_ns > 0)
            list.add({.name = name(fmt::format("latency at {} % of peak", percent)),
                      .quantity = Quantity::loaded_latency,
                      .value = 100 * ns / idle_ns,
                      .noise = std::hypot(noise, drift)});
    }
}

void add_load(FigureList& list, const Result& loaded, const PeakBandwidths& peaks) {
    const std::vector<LoadPoints> curves = load_curves_of(loaded);
    for (const LoadPoints& curve : curves) {
        const unsigned writes = curve.write_percent.value_or(0);
        const auto reference = peaks.find(writes);
        add_load_curve(list, curve, curves.size() > 1 ? fmt::format(" at {} % writes", writes) : "",
                       reference == peaks.end() ? std::nullopt : std::optional(reference->second), loaded.run.pages,
                       &curve == curves.data());
    }
}

/// The median of all pairs and of those of each relation, and the nearest and farthest pair.
/// @param at_bytes a size in the last cache, through which lines go
void add_pairs(FigureList& list, const Result& cores, std::optional<double> at_bytes) {
    // A host may run two processors of a guest within one last cache or apart: 30 or 148 ns from run to run of a Zen 5.
    constexpr double noise_of_placement = 0.8; // the standard deviation of the two
    const double noise = cores.run.virtual_machine.value_or(false) ? noise_of_placement : 0;
    const Why doubt = stored_cores(cores).has_groups ? Why::none : Why::disturbed;
    std::vector<double> all;
    std::map<Relation, std::vector<double>> by_relation;
    for (const CoresRow& row : cores.rows_of<CoresRow>()) {
        if (!row.latency_ns)
            continue;
        all.push_back(*row.latency_ns);
        if (row.relation)
            by_relation[*row.relation].push_back(*row.latency_ns);
    }
    const auto add = [&](std::string name, Quantity quantity, double ns) {
        list.add({.name = std::move(name),
                  .quantity = quantity,
                  .value = ns,
                  .noise = noise,
                  .doubt = doubt,
                  .at_bytes = at_bytes});
    };
    if (all.empty())
        return;
    add("all pairs", Quantity::core_latency, median(all));
    for (const auto& [relation, latencies] : by_relation) {
        if (by_relation.size() > 1)
            add(std::string(word_of(relation)), Quantity::core_latency, median(latencies));
    }
    if (all.size() == 1)
        return;
    add("nearest pair", Quantity::pair_latency, std::ranges::min(all));
    add("farthest pair", Quantity::pair_latency, std::ranges::max(all));
}

/// Those that a remark of the run calls disturbed are in doubt.
void add_nodes(FigureList& list, const Result& nodes) {
    const auto remark = std::ranges::find(nodes.remarks, Code::disturbed_pairs, &Notice::code);
    const List disturbed = remark == nodes.remarks.end() ? List() : remark->values["pairs"].list();
    for (const NodesRow& row : nodes.rows_of<NodesRow>()) {
        const bool is_disturbed = std::ranges::count(disturbed, Value(List{row.processors_of, row.memory_of})) > 0;
        const auto add = [&](std::string_view what, Quantity quantity, std::optional<double> value) {
            list.add({.name = fmt::format("{} from {} to {}", what, row.processors_of, row.memory_of),
                      .quantity = quantity,
                      .value = value.value_or(0),
                      .doubt = is_disturbed ? Why::disturbed : Why::none});
        };
        add("latency", Quantity::node_latency, row.latency_ns);
        add("bandwidth", Quantity::node_bandwidth, row.bytes_per_ns);
    }
}

/// The noise of a percentile from the number of samples beyond it. @param before the percentile with ten times as many
double noise_of_percentile(std::optional<double> ns, std::optional<double> before, double samples_beyond) {
    if (!ns || !before || samples_beyond <= 0)
        return 0;
    return std::log(std::max(*ns / *before, 1.0)) / std::log(10) / std::sqrt(samples_beyond);
}

/// The step of the counter in ns. If the file does not state it, it is at most the least difference between percentiles
/// of one row; 0 if all are alike. Rows of the smallest groups show it, whose samples are rounded least.
double counter_step(const Result& tail) {
    if (tail.resolution_ns)
        return *tail.resolution_ns;
    const auto& rows = tail.rows_of<PercentileRow>();
    const auto group_of = [](const PercentileRow& row) { return std::max<std::uint64_t>(row.group.value_or(1), 1); };
    const std::uint64_t smallest = rows.empty() ? 1 : group_of(*std::ranges::min_element(rows, {}, group_of));
    double step = 0;
    for (const PercentileRow& row : rows) {
        if (group_of(row) != smallest)
            continue;
        const std::array<double, 5> all{row.p50_ns.value_or(0), row.p90_ns.value_or(0), row.p99_ns.value_or(0),
                                        row.p99_9_ns.value_or(0), row.p99_99_ns.value_or(0)};
        for (std::size_t i = 1; i < all.size(); ++i) {
            const double between = (all[i] - all[i - 1]) * static_cast<double>(smallest);
            if (between > 0 && all[i - 1] > 0 && (step == 0 || between < step))
                step = between;
        }
    }
    return step;
}

void add_percentiles(FigureList& list, const Result& tail) {
    constexpr double most_step = 0.6; // half a step, and what is not known of it
    const auto& rows = tail.rows_of<PercentileRow>();
    const double step = counter_step(tail);
    for (const PercentileRow& row : rows) {
        const double group = static_cast<double>(std::max<std::uint64_t>(row.group.value_or(1), 1));
        const std::string of = " of " + row_name(static_cast<double>(row.size_bytes), row.load_percent);
        const double samples = static_cast<double>(row.accesses.value_or(0)) / group;
        const bool missed = row.achieved_percent && std::abs(*row.achieved_percent - row.load_percent) > near_load;
        const auto add = [&](const char* name, Quantity quantity, std::optional<double> ns, double noise) {
            const double value = ns.value_or(0);
            list.add({.name = name + of,
                      .quantity = quantity,
                      .value = value,
                      .noise = row.load_percent > 0 ? std::hypot(noise, 0.1) : noise, // from moment to moment
                      .doubt = missed ? Why::disturbed : Why::none,
                      .range = FigureRange{value - most_step * step / group, value + most_step * step / group},
                      .at_bytes = static_cast<double>(row.size_bytes)});
        };
        add("p50", Quantity::p50, row.p50_ns, 0);
        add("p99", Quantity::p99, row.p99_ns, noise_of_percentile(row.p99_ns, row.p90_ns, samples / 100));
        add("p99.9", Quantity::p99_9, row.p99_9_ns, noise_of_percentile(row.p99_9_ns, row.p99_ns, samples / 1000));
    }
}

/// Strides, the nearest of each direction, as shares of random order; other patterns as they are.
void add_patterns(FigureList& list, const Result& prefetch) {
    const auto& rows = prefetch.rows_of<PatternFigure>();
    std::map<PageKind, std::pair<double, double>> random; // with its noise
    for (const PatternFigure& row : rows) {
        if (row.pattern != Pattern::random || !row.latency_ns)
            continue;
        const double noise = noise_of_quartiles(row.low_ns, row.high_ns, *row.latency_ns);
        if (random.emplace(row.pages, std::pair(*row.latency_ns, noise)).second)
            list.add_memory(row.pages, *row.latency_ns, noise);
    }
    for (const PatternFigure& row : rows) {
        const bool is_stride = row.pattern == Pattern::forward || row.pattern == Pattern::backward;
        const bool is_random =
            row.pattern == Pattern::random || row.pattern == Pattern::index || row.pattern == Pattern::repeated_lap;
        const bool is_of_others = row.pages == PageKind::base && random.size() > 1; // walks are in the way
        const auto base = random.find(row.pages);
        if (is_random || is_of_others || base == random.end() || row.latency_ns.value_or(0) <= 0)
            continue;
        const auto [random_ns, random_noise] = base->second;
        list.add({.name = std::string(word_of(row.pattern)), // of the first row, with the shortest stride
                  .quantity = is_stride ? Quantity::pattern : Quantity::pattern_difference,
                  .value = is_stride ? 100 * *row.latency_ns / random_ns : *row.latency_ns,
                  .noise = std::hypot(noise_of_quartiles(row.low_ns, row.high_ns, *row.latency_ns),
                                      is_stride ? random_noise : 0)});
    }
}

/// std::nullopt if the frame has no cache of a sweep with huge pages.
std::optional<double> size_in_last_cache(const Frame& frame) {
    const auto levels = frame.levels.find("huge");
    if (levels == frame.levels.end())
        return std::nullopt;
    std::optional<double> bytes;
    for (const SizeRange& level : levels->second) {
        if (level.name != memory_level)
            bytes = std::sqrt(level.from_bytes * level.to_bytes);
    }
    return bytes;
}

void add_part(FigureList& list, const StoredFile& file, const Result& part, const Frame& frame) {
    list.begin(part);
    if (is_of_levels(part)) {
        const auto levels = frame.levels.find(part.part);
        if (levels != frame.levels.end())
            add_sweep_levels(list, part, levels->second, part.part != "sweep" || !frame.levels.contains("huge"));
    } else if (part.kind == &sweep_kind) {
        const auto one = std::ranges::find(file.results, "parallel1", &Result::part);
        add_access_time(list, part, part.part.empty() || one == file.results.end() ? nullptr : &*one);
    } else if (part.kind == &tlb_kind) {
        add_translation(list, part);
    } else if (part.kind == &loaded_kind) {
        add_load(list, part, frame.peaks);
    } else if (part.kind == &cores_kind) {
        add_pairs(list, part, size_in_last_cache(frame));
    } else if (part.kind == &nodes_kind) {
        add_nodes(list, part);
    } else if (part.kind == &tail_kind) {
        add_percentiles(list, part);
    } else if (part.kind == &prefetch_kind) {
        add_patterns(list, part);
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

PeakBandwidths peak_bandwidths(const Result& loaded) {
    PeakBandwidths peaks;
    for (const LoadPoints& curve : load_curves_of(loaded)) {
        const auto peak = read_load_curve(curve.points).peak;
        if (peak && peak->bytes_per_ns > 0)
            peaks.emplace(curve.write_percent.value_or(0), peak->bytes_per_ns);
    }
    return peaks;
}

} // namespace

Frame frame_of(std::span<const StoredFile> baselines) {
    Frame frame;
    std::map<std::string, std::vector<const Result*>> sweeps;
    for (const StoredFile& file : baselines) {
        for (const Result& part : file.results) {
            if (is_of_levels(part))
                sweeps[part.part].push_back(&part);
            else if (part.kind == &loaded_kind && frame.peaks.empty())
                frame.peaks = peak_bandwidths(part);
        }
    }
    for (const auto& [part, all] : sweeps)
        frame.levels.emplace(part, sweep_levels_of(all));
    return frame;
}

std::vector<Figure> figures_in(const StoredFile& file, const Frame& frame) {
    FigureList list;
    for (const Result& part : file.results)
        add_part(list, file, part, frame);
    std::vector<Figure> figures = list.take();
    spread_doubts(figures);
    return figures;
}

} // namespace memtest

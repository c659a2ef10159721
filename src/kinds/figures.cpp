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
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numbers>
#include <optional>
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
        if (is_first) // hits of it cost nothing, and the edge of a second is no single step
            list.add({.name = name + " entries",
                      .quantity = Quantity::tlb_entries,
                      .value = number("entries"),
                      .range = FigureRange{std::max(number("entries_low"), 1.0), most_entries}});
        if (is_first || number("hit_ns") <= 0)
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

/// The idle latency, which is that of memory, and the peak bandwidth of each curve.
void add_load(FigureList& list, const Result& loaded) {
    const std::vector<LoadPoints> curves = load_curves_of(loaded);
    for (const LoadPoints& load : curves) {
        const LoadCurve curve = read_load_curve(load.points);
        // The standard deviation of two moments, before the load and after it.
        const double idle_ns = curve.idle_ns.value_or(0);
        const double drift = idle_ns > 0 && curve.idle_last_ns.value_or(0) > 0
                                 ? std::abs(std::log(*curve.idle_last_ns / idle_ns)) / std::numbers::sqrt2
                                 : 0;
        if (&load == curves.data())
            list.add_memory(loaded.run.pages, idle_ns, drift);
        if (!curve.peak || !curve.reaches_full_load)
            continue;
        const LoadPoint& peak = *curve.peak;
        list.add({.name = curves.size() > 1
                              ? fmt::format("peak bandwidth at {} % writes", load.write_percent.value_or(0))
                              : "peak bandwidth",
                  .quantity = Quantity::peak,
                  .value = peak.bytes_per_ns,
                  .noise = noise_of_quartiles(peak.bytes_per_ns_low, peak.bytes_per_ns_high, peak.bytes_per_ns)});
    }
}

/// The median of all pairs and of those of each relation.
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
    const auto add = [&](std::string name, double ns) {
        list.add({.name = std::move(name),
                  .quantity = Quantity::core_latency,
                  .value = ns,
                  .noise = noise,
                  .doubt = doubt,
                  .at_bytes = at_bytes});
    };
    if (all.empty())
        return;
    add("all pairs", median(all));
    for (const auto& [relation, latencies] : by_relation) {
        if (by_relation.size() > 1)
            add(std::string(word_of(relation)), median(latencies));
    }
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

void add_percentiles(FigureList& list, const Result& tail) {
    constexpr double most_step = 0.6; // half a step, and what is not known of it
    const auto& rows = tail.rows_of<PercentileRow>();
    const double step = tail.resolution_ns.value_or(0);
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

/// Strides, the nearest of each direction, as shares of random order.
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
        const bool is_of_others = row.pages == PageKind::base && random.size() > 1; // walks are in the way
        const auto base = random.find(row.pages);
        if (is_stride && !is_of_others && base != random.end() && row.latency_ns.value_or(0) > 0)
            list.add({.name = std::string(word_of(row.pattern)), // of the first row, with the shortest stride
                      .quantity = Quantity::pattern,
                      .value = 100 * *row.latency_ns / base->second.first,
                      .noise = std::hypot(noise_of_quartiles(row.low_ns, row.high_ns, *row.latency_ns),
                                          base->second.second)});
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
        add_load(list, part);
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

} // namespace

Frame frame_of(std::span<const StoredFile> baselines) {
    Frame frame;
    std::map<std::string, std::vector<const Result*>> sweeps;
    for (const StoredFile& file : baselines) {
        for (const Result& part : file.results) {
            if (is_of_levels(part))
                sweeps[part.part].push_back(&part);
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

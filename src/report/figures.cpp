#include "memtest/report/figures.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"
#include "memtest/insight/latency_curve.hpp"
#include "memtest/insight/load_curve.hpp"
#include "memtest/insight/translation.hpp"
#include "memtest/measure/statistics.hpp"
#include "memtest/report/levels.hpp"
#include "memtest/report/loaded.hpp"
#include "memtest/report/matrix.hpp"
#include "memtest/report/prefetch.hpp"
#include "memtest/report/sweep.hpp"
#include "memtest/report/tail.hpp"
#include "memtest/report/translation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <numbers>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

/// What casts doubt on all figures of a result.
Doubt doubt_on(const Result& result) {
    if (why_incomplete(result))
        return Doubt::incomplete;
    return std::ranges::any_of(result.warnings, is_disturbance) ? Doubt::disturbed : Doubt::none;
}

/// A subject, one for each kind of pages, since translation may change alone; empty if the kind is not known.
std::string memory_latency_in(const std::optional<PageKind>& pages) {
    return pages ? fmt::format("memory latency in {}", word_of(*pages)) : "";
}

constexpr const char* memory_under_load = "memory under load";

/// What is known of a figure besides its value.
struct Details {
    double noise = 0;
    Doubt doubt = Doubt::none;
    std::optional<FigureRange> range = std::nullopt;
    std::string subject = {};
};

/// The figures of one result.
class FigureList {
public:
    explicit FigureList(const Result& result) : part_(result.part), doubt_(doubt_on(result)) {}

    /// Adds a figure unless it is unknown, not above 0, or there.
    void add(Quantity quantity, std::string name, std::optional<double> value, const Details& details = {}) {
        if (value.value_or(0) > 0 && names_.insert(name).second)
            all_.push_back({.part = part_,
                            .name = std::move(name),
                            .quantity = quantity,
                            .subject = details.subject,
                            .value = *value,
                            .noise = details.noise,
                            .range = details.range,
                            .doubt = doubt_ == Doubt::none ? details.doubt : doubt_});
    }

    [[nodiscard]] std::vector<Figure> take() { return std::move(all_); }

private:
    std::string part_;
    Doubt doubt_;
    std::set<std::string> names_{};
    std::vector<Figure> all_{};
};

/// With "of thread 1" behind the name if there are several threads.
std::string on_thread(std::string name, int thread, bool several) {
    return several ? fmt::format("{} of thread {}", name, thread) : name;
}

/// The noise of a level, and whether most of its sizes are contested.
std::pair<double, Doubt> noise_of(const LatencyCurve& curve, const LevelRow& level) {
    std::vector<double> noises;
    std::size_t contested = 0;
    for (const auto& [key, point] : curve) {
        const double size_mib = point.size_bytes / static_cast<double>(mib);
        if (key.thread != level.thread || size_mib < *level.from_mib || size_mib > *level.to_mib)
            continue;
        noises.push_back(point.noise);
        contested += point.contested ? 1 : 0;
    }
    return {noises.empty() ? 0 : median(noises), 2 * contested > noises.size() ? Doubt::contested : Doubt::none};
}

void add_levels(FigureList& list, const Result& sweep) {
    const LatencyCurve curve = curve_of(figures_of(sweep));
    const std::vector<LevelReport> reports = report_levels(sweep);
    for (const LevelReport& report : reports) {
        for (const LevelRow& level : level_rows(report)) {
            if (!level.is_shown())
                continue;
            const auto name = [&](std::string_view what) {
                return on_thread(fmt::format("{} {}", level.level, what), level.thread, reports.size() > 1);
            };
            const auto [noise, doubt] = noise_of(curve, level);
            if (level.latency_confidence != Confidence::low)
                list.add(Quantity::level_latency, name("latency"), level.latency_ns,
                         {.noise = noise, .doubt = doubt, .subject = subject_of_level(sweep, level.level)});
            if (level.capacity_confidence != Confidence::low && level.capacity_low_kib && level.capacity_high_kib)
                list.add(
                    Quantity::capacity, name("capacity"),
                    level.capacity_best_kib.value_or(std::sqrt(*level.capacity_low_kib * *level.capacity_high_kib)),
                    {.doubt = level.contested_to_kib ? Doubt::contested : Doubt::none,
                     .range = FigureRange{*level.capacity_low_kib, *level.capacity_high_kib}});
        }
    }
}

/// A sweep of a single size: the time of an access by the number of chains.
void add_access_times(FigureList& list, const Result& sweep) {
    const std::vector<SizeFigure> figures = figures_of(sweep);
    for (const auto& [key, point] : curve_of(figures))
        list.add(Quantity::access_time,
                 on_thread(fmt::format("{} at {}", counted(sweep.run.parallel.value_or(1), "chain"),
                                       rounded_size(point.size_bytes)),
                           key.thread, figures.size() > 1),
                 std::exp(point.log_latency),
                 {.noise = point.noise,
                  .doubt = point.contested ? Doubt::contested : Doubt::none,
                  .subject = memory_latency_in(sweep.run.pages)});
}

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
        list.add(is_first ? Quantity::tlb_entries : Quantity::fitted_tlb_entries, name + " entries", number("entries"),
                 {.range = FigureRange{std::max(number("entries_low"), 1.0), most_entries}});
        if (number("hit_ns") <= 0 || is_first) // hits of the first cost nothing
            continue;
        constexpr double least_ns = 0.1; // of less, chance decides
        const double hit_ns = std::max(number("hit_ns"), least_ns);
        list.add(Quantity::tlb_hit, name + " hit", hit_ns, {.noise = least_ns / 3 / hit_ns});
    }
    const auto& rows = tlb.rows_of<TlbRow>();
    const std::vector<std::size_t> doubtful = read_tlb(tlb).translation.disturbed_pages;
    for (const TlbRow& row : rows) {
        constexpr double far_beyond = 2;
        const bool is_wanted = row.pages == rows.back().pages || 4 * row.pages == rows.back().pages;
        if (has_walks && is_wanted && static_cast<double>(row.pages) >= far_beyond * most_entries)
            list.add(Quantity::page_walk,
                     fmt::format("page walk at {}", rounded_size(row.reach_kib * static_cast<double>(kib))),
                     row.translation_ns,
                     {.doubt = std::ranges::count(doubtful, row.pages) > 0 ? Doubt::disturbed : Doubt::none});
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

void add_load_curve(FigureList& list, const LoadPoints& load, const std::string& of_curve,
                    std::optional<double> reference, const std::string& memory_latency) {
    const LoadCurve curve = read_load_curve(load.points);
    const auto name = [&](std::string_view what) { return fmt::format("{}{}", what, of_curve); };
    // The standard deviation of two moments, before the load and after it.
    const double drift = curve.idle_ns.value_or(0) > 0 && curve.idle_last_ns.value_or(0) > 0
                             ? std::abs(std::log(*curve.idle_last_ns / *curve.idle_ns)) / std::numbers::sqrt2
                             : 0;
    const auto idle_noise = [&](bool awake) {
        const auto found = std::ranges::find_if(
            load.points, [&](const LoadPoint& point) { return point.load_percent <= 0 && point.awake == awake; });
        return found == load.points.end() ? 0 : std::max(latency_noise(*found), drift);
    };
    list.add(Quantity::idle_latency, name("idle latency"), curve.idle_ns,
             {.noise = idle_noise(false), .subject = memory_latency});
    list.add(Quantity::idle_latency, name("awake latency"), curve.awake_ns,
             {.noise = idle_noise(true), .subject = memory_latency});
    if (!curve.peak || !curve.reaches_full_load)
        return;
    if (curve.knee)
        list.add(Quantity::knee, name("knee bandwidth"), curve.knee->bytes_per_ns, {.subject = memory_under_load});
    const LoadPoint& peak = *curve.peak;
    list.add(Quantity::peak, name("peak bandwidth"), peak.bytes_per_ns,
             {.noise = noise_of_quartiles(peak.bytes_per_ns_low, peak.bytes_per_ns_high, peak.bytes_per_ns),
              .subject = memory_under_load});
    for (const int percent : {50, 75}) {
        const auto [ns, noise] = latency_at(reference.value_or(peak.bytes_per_ns) * percent / 100, load.points);
        list.add(Quantity::loaded_latency, name(fmt::format("latency at {} % of peak", percent)), ns,
                 {.noise = noise, .subject = memory_under_load});
    }
}

void add_load(FigureList& list, const Result& loaded, const PeakBandwidths& peaks) {
    const std::vector<LoadPoints> curves = load_curves_of(loaded);
    for (const LoadPoints& curve : curves) {
        const unsigned writes = curve.write_percent.value_or(0);
        const auto reference = peaks.find(writes);
        add_load_curve(list, curve, curves.size() > 1 ? fmt::format(" at {} % writes", writes) : "",
                       reference == peaks.end() ? std::nullopt : std::optional(reference->second),
                       memory_latency_in(loaded.run.pages));
    }
}

/// The median of all pairs and of those of each relation, and the nearest and farthest pair.
void add_pairs(FigureList& list, const Result& cores) {
    // A host may run two processors of a guest within one last cache or apart: 30 or 148 ns from run to run of a Zen 5.
    constexpr double noise_of_guest = 0.8; // the standard deviation of the two
    const Details details{.noise = cores.run.virtual_machine.value_or(false) ? noise_of_guest : 0,
                          .doubt = stored_cores(cores).has_groups ? Doubt::none : Doubt::disturbed};
    std::vector<double> all;
    std::map<Relation, std::vector<double>> by_relation;
    for (const CoresRow& row : cores.rows_of<CoresRow>()) {
        if (!row.latency_ns)
            continue;
        all.push_back(*row.latency_ns);
        if (row.relation)
            by_relation[*row.relation].push_back(*row.latency_ns);
    }
    if (all.empty())
        return;
    list.add(Quantity::core_latency, "all pairs", median(all), details);
    for (const auto& [relation, latencies] : by_relation) {
        if (by_relation.size() > 1)
            list.add(Quantity::core_latency, std::string(word_of(relation)), median(latencies), details);
    }
    if (all.size() == 1)
        return;
    list.add(Quantity::pair_latency, "nearest pair", std::ranges::min(all), details);
    list.add(Quantity::pair_latency, "farthest pair", std::ranges::max(all), details);
}

void add_nodes(FigureList& list, const Result& nodes) {
    for (const NodesRow& row : nodes.rows_of<NodesRow>()) {
        const auto name = [&](std::string_view what) {
            return fmt::format("{} from {} to {}", what, row.processors_of, row.memory_of);
        };
        list.add(Quantity::node_latency, name("latency"), row.latency_ns);
        list.add(Quantity::node_bandwidth, name("bandwidth"), row.bytes_per_ns);
    }
}

/// The noise of a percentile from the number of samples beyond it. @param before the percentile with ten times as many
double noise_of_percentile(std::optional<double> ns, std::optional<double> before, double samples_beyond) {
    if (!ns || !before || samples_beyond <= 0)
        return 0;
    return std::log(std::max(*ns / *before, 1.0)) / std::log(10) / std::sqrt(samples_beyond);
}

/// Where p99.9 would be with a third and with three times as many slow loads: their number changes from minute to
/// minute, and it lies at the foot of a cliff, so that one run finds 0.5 us and the next 4 us (tests/bench).
std::optional<FigureRange> range_of_slowest(const PercentileRow& row) {
    if (!row.p99_ns || !row.p99_9_ns || !row.p99_99_ns)
        return std::nullopt;
    return FigureRange{std::sqrt(*row.p99_ns * *row.p99_9_ns), std::sqrt(*row.p99_9_ns * *row.p99_99_ns)};
}

void add_percentiles(FigureList& list, const Result& tail) {
    const auto& rows = tail.rows_of<PercentileRow>();
    for (const PercentileRow& row : rows) {
        const std::uint64_t group =
            std::max<std::uint64_t>(row.group.value_or(1), 1); // is another figure than one load
        const std::string of = (group > 1 ? fmt::format("/{} ", group) : " of ") +
                               rounded_size(static_cast<double>(row.size_bytes)) +
                               (row.load_percent > 0 ? fmt::format(" at {:.0f} %", row.load_percent) : "");
        const double samples = static_cast<double>(row.accesses.value_or(0)) / static_cast<double>(group);
        const bool missed = row.achieved_percent && std::abs(*row.achieved_percent - row.load_percent) > near_load;
        const Doubt doubt = missed ? Doubt::disturbed : Doubt::none;
        const bool is_memory = row.size_bytes == rows.back().size_bytes && group == 1;
        list.add(Quantity::p50, "p50" + of, row.p50_ns,
                 {.doubt = doubt,
                  .subject = !is_memory             ? ""
                             : row.load_percent > 0 ? memory_under_load
                                                    : memory_latency_in(tail.run.pages)});
        list.add(Quantity::p99, "p99" + of, row.p99_ns,
                 {.noise = noise_of_percentile(row.p99_ns, row.p90_ns, samples / 100), .doubt = doubt});
        list.add(Quantity::p99_9, "p99.9" + of, row.p99_9_ns,
                 {.noise = noise_of_percentile(row.p99_9_ns, row.p99_ns, samples / 1000),
                  .doubt = doubt,
                  .range = range_of_slowest(row)});
    }
}

bool is_difference(Pattern pattern) {
    constexpr std::array differences{Pattern::pair, Pattern::pair_backward, Pattern::next_line, Pattern::start};
    return std::ranges::find(differences, pattern) != differences.end();
}

/// Each pattern with its shortest stride, or soonest after a start: what is farther changes along with it.
void add_patterns(FigureList& list, const Result& prefetch) {
    const auto& rows = prefetch.rows_of<PatternFigure>();
    const bool several =
        std::ranges::any_of(rows, [&](const PatternFigure& row) { return row.pages != rows.front().pages; });
    std::map<std::pair<Pattern, PageKind>, std::pair<std::optional<std::uint64_t>, std::optional<std::uint64_t>>>
        nearest;
    for (const PatternFigure& row : rows) {
        const std::pair from(row.stride_bytes, row.hops);
        auto& least = nearest.emplace(std::pair(row.pattern, row.pages), from).first->second;
        least = std::min(least, from);
    }
    for (const PatternFigure& row : rows) {
        const bool is_nearest = nearest.at({row.pattern, row.pages}) == std::pair(row.stride_bytes, row.hops);
        if (is_nearest)
            list.add(
                is_difference(row.pattern) ? Quantity::pattern_difference : Quantity::pattern,
                fmt::format("{}{}", word_of(row.pattern), several ? fmt::format(" in {}", word_of(row.pages)) : ""),
                row.latency_ns,
                {.noise = noise_of_quartiles(row.low_ns, row.high_ns, row.latency_ns.value_or(0)),
                 .subject = row.pattern == Pattern::random ? memory_latency_in(row.pages) : ""});
    }
}

} // namespace

std::string subject_of_level(const Result& sweep, std::string_view level) {
    if (!sweep.part.empty() && section_of_part(sweep.part) == "kinds") // has other caches
        return "";
    return level == "memory" ? memory_latency_in(sweep.run.pages) : fmt::format("{} latency", level);
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

std::vector<Figure> figures_in(const Result& result, const PeakBandwidths& peaks) {
    FigureList list(result);
    if (result.kind == &sweep_kind && has_several_sizes(result))
        add_levels(list, result);
    else if (result.kind == &sweep_kind)
        add_access_times(list, result);
    else if (result.kind == &tlb_kind)
        add_translation(list, result);
    else if (result.kind == &loaded_kind)
        add_load(list, result, peaks);
    else if (result.kind == &cores_kind)
        add_pairs(list, result);
    else if (result.kind == &nodes_kind)
        add_nodes(list, result);
    else if (result.kind == &tail_kind)
        add_percentiles(list, result);
    else if (result.kind == &prefetch_kind)
        add_patterns(list, result);
    return list.take();
}

std::vector<Figure> savings_in(const ReportResults& results) {
    std::vector<TranslationCost> costs = translation_costs_of(results);
    std::erase_if(costs, [](const TranslationCost& cost) { return !is_shown(cost); });
    if (costs.empty())
        return {};
    const LatencyCurve small = curve_of(figures_of(*results.small_pages));
    const LatencyCurve huge = curve_of(figures_of(*results.huge_pages));
    FigureList list(*results.huge_pages);
    const bool is_sound = doubt_on(*results.small_pages) == Doubt::none;
    for (const TranslationCost& cost : std::span(costs).last(std::min<std::size_t>(costs.size(), 2))) {
        const RowKey key{cost.thread, std::llround(cost.size_bytes / size_resolution_bytes)};
        const double noise =
            std::hypot(small.at(key).noise * cost.small_pages_ns, huge.at(key).noise * cost.huge_pages_ns);
        list.add(Quantity::saving, fmt::format("saved at {}", rounded_size(cost.size_bytes)), cost.cost_ns,
                 {.noise = noise / cost.cost_ns.value_or(1), .doubt = is_sound ? Doubt::none : Doubt::disturbed});
    }
    return list.take();
}

std::vector<Figure> figures_in(const ReportResults& results, const PeakBandwidths& peaks) {
    std::vector<Figure> all;
    const auto add = [&](std::vector<Figure> figures) {
        all.insert(all.end(), std::make_move_iterator(figures.begin()), std::make_move_iterator(figures.end()));
    };
    for (const Result* part : parts_of(results))
        add(figures_in(*part, peaks));
    add(savings_in(results));
    return all;
}

} // namespace memtest

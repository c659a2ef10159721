#include "memtest/kinds/loaded.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/kinds/figures.hpp"
#include "memtest/result/answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <utility>

namespace memtest {
namespace {

/// The values of a notice about a point, and its curve's name if there are several.
Members values_of(const LoadRow& point, const LoadCurve& curve) {
    const auto unloaded_ns = curve.unloaded_ns();
    return {{"bandwidth_gb_s", figure(point.bytes_per_ns)},
            {"latency_ns", figure(point.latency_ns)},
            {"times", unloaded_ns ? figure(*point.latency_ns / *unloaded_ns) : Value()},
            {"awake", curve.awake_ns.has_value()}};
}

Finding knee_finding(const LoadCurve& curve) {
    Members values = curve.knee ? values_of(*curve.knee, curve) : Members{{"awake", curve.awake_ns.has_value()}};
    values.set("most_times", knee_times);
    values.set("is_peak",
               curve.knee && curve.reaches_full_load && curve.knee->bytes_per_ns >= curve.peak->bytes_per_ns);
    return {"knee", {Code::knee, values}, {{"knee_bandwidth_gb_s", values["bandwidth_gb_s"]}}};
}

/// "0, 33 or 50"
std::string alternatives(const std::vector<unsigned>& numbers) {
    const auto last = numbers.end() - 1;
    return last == numbers.begin() ? fmt::format("{}", *last)
                                   : fmt::format("{} or {}", fmt::join(numbers.begin(), last, ", "), *last);
}

/// Moves the members of all findings into one element of the list of curves, with null for unknown figures, and adds to
/// each the curve that it is about.
Findings of_one_of_several(unsigned write_percent, Findings findings) {
    Members figures;
    for (const FindingMember& member : loaded_kind.facts.findings) {
        if (!member.is_list)
            figures.set(member.name, {});
    }
    figures.set("write_percent", write_percent);
    for (Finding& finding : findings.list) {
        finding.notice = with_value(finding.notice, "write_percent", write_percent);
        figures.set(std::exchange(finding.members, {}));
    }
    findings.list.push_back({.key = "", .members = {{"curves", List{figures}}}});
    return findings;
}

/// The share of lines that are written in a curve; 0 if the file does not say.
unsigned written_percent(const std::vector<LoadRow>& points) {
    return points.front().write_percent.value_or(0);
}

/// If its visits do not agree, with the range of the batches' quartiles and the figure over the visits.
std::string range_in_ns(const LoadRow& point) {
    const bool is_range = has_note(point, LoadNote::limit) || has_note(point, LoadNote::few);
    return is_range && point.latency_low_ns && point.latency_high_ns
               ? fmt::format("{} ({} to {}) ns", three_digits(*point.latency_ns),
                             three_digits(std::min(*point.latency_low_ns, *point.latency_ns)),
                             three_digits(std::max(*point.latency_high_ns, *point.latency_ns)))
               : ns_text(point.latency_ns);
}

/// Whether noise leaves open only between which loads the knee lies.
bool tells_knee(const LoadCurve& curve) {
    const auto& high = curve.knee_high_bytes_per_ns;
    return curve.peak_differs && curve.reaches_full_load && high &&
           (curve.knee_low_bytes_per_ns || *high < *curve.peak->bytes_per_ns);
}

/// "268 to 277 ns"
std::string range_of(double low_ns, double high_ns) {
    const std::string low = fixed(low_ns, 0);
    const std::string high = fixed(high_ns, 0);
    return (low == high ? low : low + " to " + high) + " ns";
}

/// What the load makes of the latency, and where that begins; empty where the curve does not tell.
/// @param has_one_thread to load memory with
/// @param is_median whether latencies are medians; those of other parts may be minima
/// @param largest_bytes that are walked; 0 if unknown
std::string load_sentence(const LoadCurve& curve, bool has_one_thread, bool is_median, double largest_bytes) {
    const auto unloaded_ns = curve.unloaded_ns();
    if (!curve.peak || !unloaded_ns || !curve.reaches_full_load)
        return "";
    const std::string access =
        "an access" + (largest_bytes > 0 ? fmt::format(" to {} of memory", rounded_size(largest_bytes)) : "");
    const std::string_view medians = is_median ? " (median of batches)" : "";
    const std::string load = three_digits(*curve.peak->bytes_per_ns) + " GB/s";
    const double times = *curve.peak->latency_ns / *unloaded_ns;
    const auto [lowest, highest] =
        std::minmax({*unloaded_ns, curve.idle_ns.value_or(*unloaded_ns), curve.idle_last_ns.value_or(*unloaded_ns)});
    if (!curve.peak_differs) {
        const double least_ns = curve.near_peak_low_ns - highest;
        const std::string what = least_ns < 1 ? "This run does not show what load does to latency"
                                              : fmt::format("Load seems to add {}, but noise may explain that",
                                                            range_of(least_ns, curve.near_peak_high_ns - lowest));
        return fmt::format("{}: {} takes {}{} at 95 % of the peak or more, {} from {}, and {} without load{}.", what,
                           access, range_of(curve.near_peak_low_ns, curve.near_peak_high_ns), medians, load,
                           has_one_thread ? "the one load thread" : "the load threads", range_of(lowest, highest),
                           is_of_one_moment(*curve.peak) ? "; the peak was measured for a moment only" : "");
    }
    std::string sentence = fmt::format(
        "While {} memory with {}, {} takes {:.0f} ns{}, {:.2f} times the {:.0f} ns without load{}.",
        has_one_thread ? "one other core loads" : "the other cores load", load, access, *curve.peak->latency_ns,
        medians, times, *unloaded_ns, curve.awake_ns ? " but with the load threads awake" : "");
    const auto& low = curve.knee_low_bytes_per_ns;
    if (tells_knee(curve)) {
        const std::string high = three_digits(*curve.knee_high_bytes_per_ns);
        sentence += fmt::format(" It begins to exceed {:g} times that {}.", knee_times,
                                low ? fmt::format("between {} and {} GB/s", three_digits(*low), high)
                                    : fmt::format("at {} GB/s, if not before", high));
    } else if (!curve.exceeds_knee_times)
        sentence += fmt::format(" In this run no load made it exceed {:g} times that.", knee_times);
    else if (times > knee_times)
        sentence += fmt::format(" Noise hides the load at which it begins to exceed {:g} times that.", knee_times);
    return sentence;
}

Answer answer_of_loaded(const Result& loaded) {
    const bool is_median = loaded.run.estimate == Estimate::median;
    Answer answer{.table = table_of_numbers({"", "Bandwidth", is_median ? "Median latency" : "Latency", "vs idle"}),
                  .notes = loaded.remarks};
    const auto curves = load_curves_of(loaded);
    const auto bytes = static_cast<double>(loaded.run.largest_size.value_or(LargestSize{}).bytes);
    const bool has_one_thread = loaded.run.processors && loaded.run.processors->ids.size() == 2;
    for (const std::vector<LoadRow>& points : curves) {
        const LoadCurve curve = read_load_curve(points);
        const std::string writes = curves.size() > 1 ? fmt::format("writes {} %", written_percent(points)) : "";
        const std::string which = writes.empty() ? "" : ", " + writes;
        const auto unloaded_ns = curve.unloaded_ns();
        if (curve.awake_ns)
            answer.table.rows.front().back() = "vs cores awake";
        const auto times = [&](const LoadRow& point) -> std::string {
            if (!unloaded_ns)
                return "unknown";
            return curve.peak_differs && !is_of_one_moment(point) ? fixed(*point.latency_ns / *unloaded_ns, 2) + "x"
                                                                  : "not shown";
        };
        const auto add = [&](const std::string& name, const std::optional<LoadRow>& point) {
            if (point)
                answer.table.rows.push_back(
                    {name + which, three_digits(*point->bytes_per_ns) + " GB/s", range_in_ns(*point), times(*point)});
        };
        bool loads = false;
        for (const LoadRow& point : points) {
            if (point.load_percent == 0) {
                const std::string name = is_awake(point) ? "Idle, cores awake" : loads ? "Idle again" : "Idle";
                answer.table.rows.push_back({name + which, "", range_in_ns(point), ""});
            } else if (!std::exchange(loads, true)) {
                if (tells_knee(curve))
                    add("Knee", curve.knee);
                if (curve.reaches_full_load)
                    add("Peak", curve.peak);
            }
        }
        if (const std::string sentence = load_sentence(curve, has_one_thread, is_median, bytes); !sentence.empty())
            answer.sentences.push_back((writes.empty() ? "" : capitalised(writes) + ": ") + sentence);
    }
    if (is_median)
        answer.sentences.emplace_back(
            "A sweep may show a shorter latency of memory: it includes smaller sizes, and takes the fastest batches.");
    return answer;
}

/// The standard deviation of two moments, before the load and after it. Loads on several curves changed more than that.
double noise_of_idle(const LoadCurve& curve, const Result& loaded) {
    const bool changed = std::ranges::count(loaded.remarks, Code::several_curves, &Notice::code) > 0;
    const double drift = curve.idle_ns.value_or(0) > 0 && curve.idle_last_ns.value_or(0) > 0
                             ? std::abs(std::log(*curve.idle_last_ns / *curve.idle_ns)) / std::numbers::sqrt2
                             : 0;
    return std::max(drift, changed ? noise_of_loads : 0);
}

/// The idle latency, which is that of memory, and the peak bandwidth of each curve.
void add_load(FigureList& list, const Result& loaded) {
    const auto curves = load_curves_of(loaded);
    for (const std::vector<LoadRow>& points : curves) {
        const LoadCurve curve = read_load_curve(points);
        if (&points == curves.data())
            list.add_memory(loaded.run.pages, curve.idle_ns.value_or(0), noise_of_idle(curve, loaded));
        if (!curve.peak || !curve.reaches_full_load)
            continue;
        const LoadRow& peak = *curve.peak;
        list.add({.name = curves.size() > 1 ? fmt::format("peak bandwidth at {} % writes", written_percent(points))
                                            : "peak bandwidth",
                  .quantity = Quantity::peak,
                  .value = *peak.bytes_per_ns,
                  .noise = noise_of_quartiles(peak.bytes_per_ns_low, peak.bytes_per_ns_high, *peak.bytes_per_ns)});
    }
}

Plot plot_loads(const std::vector<Result>& loads, const std::vector<std::string>& labels, const PlotStyle& /*style*/) {
    SizePlot plot{.title = "Memory access latency under load",
                  .subtitle = shared_cpu_model(loads),
                  .quantity = "latency (ns)",
                  .unit = "ns",
                  .across = "bandwidth of the load threads (GB/s)"};
    for (std::size_t i = 0; i < loads.size(); ++i) {
        const auto curves = load_curves_of(loads[i]);
        for (const std::vector<LoadRow>& points : curves) {
            PlotCurve& curve = plot.curves.emplace_back(PlotCurve{.name = labels[i]});
            if (curves.size() > 1)
                append(curve.name, fmt::format("writes {} %", written_percent(points)));
            // One point without load: with the load threads awake, as they are under load. A second one would be joined
            // to it by a line.
            const bool has_awake = std::ranges::any_of(points, is_awake);
            for (const LoadRow& point : points) {
                if (point.load_percent > 0 || (has_awake ? is_awake(point) : curve.points.empty()))
                    curve.points.push_back({.at = *point.bytes_per_ns,
                                            .value = point.latency_ns,
                                            .low = point.latency_low_ns,
                                            .high = point.latency_high_ns,
                                            .at_low = point.bytes_per_ns_low,
                                            .at_high = point.bytes_per_ns_high});
            }
        }
    }
    return plot;
}

} // namespace

const KindOf<LoadRow> loaded_kind(
    {.command = "loaded",
     .findings = {{"write_percent", false},
                  {"idle_latency_ns", false},
                  {"awake_latency_ns", false},
                  {"idle_latency_at_end_ns", false},
                  {"peak_bandwidth_gb_s", false},
                  {"knee_bandwidth_gb_s", false},
                  {"curves"}},
     .parts = {{"loaded", "loaded", "latency under load"}},
     .answer = answer_of_loaded,
     .add_figures = add_load,
     .plot = plot_loads},
    {load_field<&LoadRow::load_percent>(),
     column_of<&LoadRow::bytes_per_ns>("Bandwidth (GB/s)", "bandwidth_gb_s", "what all load threads move together"),
     column_of<&LoadRow::latency_ns>("Access latency (ns)", "latency_ns", "time of an access of the walk",
                                     {.lowest = 0.001}),
     column_of<&LoadRow::write_percent>("Writes (%)", "write_percent",
                                        "share of the lines that the load threads change",
                                        {.highest = 100, .group = ColumnGroup::writes}),
     column_of<&LoadRow::visits_percent>("Visits (%)", "visits_percent", "how far the visits disagree on the latency",
                                         {.digits = decimals(2), .group = ColumnGroup::stats}),
     column_of<&LoadRow::visits>("Visits", "visits", "how often the step was measured", in_stats),
     column_of<&LoadRow::batches>("Batches", "batches", "timed batches that count", in_stats),
     column_of<&LoadRow::set_aside>("Set aside", "batches_set_aside", "timed batches that do not count", in_stats),
     column_of<&LoadRow::notes>("Notes", "notes", "what happened during the timed parts", in_stats),
     column_of<&LoadRow::bytes_per_ns_low>("Bandwidth low (GB/s)", "bandwidth_low_gb_s",
                                           "lower quartile of the bandwidth over the batches", in_stats),
     column_of<&LoadRow::bytes_per_ns_high>("Bandwidth high (GB/s)", "bandwidth_high_gb_s", "upper quartile", in_stats),
     column_of<&LoadRow::latency_low_ns>("Latency low (ns)", "latency_low_ns",
                                         "lower quartile of the latency over the batches", in_stats),
     column_of<&LoadRow::latency_high_ns>("Latency high (ns)", "latency_high_ns", "upper quartile", in_stats)});

std::optional<Notice> warning_on(const LoadRow& row, bool several) {
    if (row.latency_ns)
        return std::nullopt;
    return Notice(Code::load_batches_set_aside, {{"write_percent", several ? as_value(row.write_percent) : Value()},
                                                 {"load_percent", figure(row.load_percent)},
                                                 {"awake", is_awake(row)},
                                                 {"set_aside", row.set_aside},
                                                 {"of", row.set_aside + row.batches}});
}

std::vector<std::string> load_sentences(std::size_t line_bytes, const std::vector<unsigned>& write_percents,
                                        std::size_t bytes) {
    const bool writes = write_percents != std::vector{0U};
    const std::string counted = fmt::format("Bandwidth counts {} B for each line read", line_bytes);
    return {
        fmt::format("Each load thread reads one word of each line, line after line through {}{}{}", human_size(bytes),
                    writes ? fmt::format(", and changes it in {} % of them", alternatives(write_percents)) : "",
                    write_percents.size() > 1 ? ", one curve for each" : ""),
        writes ? fmt::format("{}, and as many again for one that is changed: it is written back", counted) : counted};
}

Findings loaded_findings(const std::vector<unsigned>& write_percents, const std::vector<LoadCurve>& curves) {
    if (write_percents.size() == 1) {
        Findings findings = curves.empty() ? Findings{} : loaded_findings(curves.front());
        findings.list.insert(findings.list.begin(),
                             {.key = "", .members = {{"write_percent", write_percents.front()}}});
        return findings;
    }
    Findings all{.told = !curves.empty()};
    for (std::size_t i = 0; i < curves.size(); ++i)
        std::ranges::move(of_one_of_several(write_percents[i], loaded_findings(curves[i])).list,
                          std::back_inserter(all.list));
    return all;
}

Findings loaded_findings(const LoadCurve& curve) {
    Findings findings{.told = true};
    if (curve.unloaded_ns()) {
        const Members members{{"idle_latency_ns", figure(curve.idle_ns)},
                              {"awake_latency_ns", figure(curve.awake_ns)},
                              {"idle_latency_at_end_ns", figure(curve.idle_last_ns)}};
        findings.list.push_back({"idle latency", {Code::idle_latency, members}, members});
    }
    if (curve.peak && curve.reaches_full_load)
        findings.list.push_back({"peak bandwidth",
                                 {Code::peak, values_of(*curve.peak, curve)},
                                 {{"peak_bandwidth_gb_s", figure(curve.peak->bytes_per_ns)}}});
    if (curve.unloaded_ns() && curve.peak)
        findings.list.push_back(knee_finding(curve));
    if (curve.several > 0)
        findings.list.push_back(remark({Code::several_curves, {{"rows", curve.several}, {"of", curve.under_load}}}));
    if (curve.awake_differs && curve.idle_ns)
        findings.list.push_back(
            remark({Code::awake_differs, {{"idle_ns", figure(curve.idle_ns)}, {"awake_ns", figure(curve.awake_ns)}}}));
    return findings;
}

std::vector<std::vector<LoadRow>> load_curves_of(const Result& loaded) {
    std::vector<std::vector<LoadRow>> curves;
    const auto& rows = loaded.rows_of<LoadRow>();
    const bool has_notes = std::ranges::any_of(rows, is_awake); // otherwise the position of a row tells
    std::optional<unsigned> write_percent;
    std::size_t unloaded = 0; // rows of the curve, before those under load: asleep, and awake
    bool loads = false;
    for (const LoadRow& row : rows) {
        if (curves.empty() || row.write_percent != write_percent) {
            curves.emplace_back();
            write_percent = row.write_percent;
            unloaded = 0;
            loads = false;
        }
        loads = loads || row.load_percent > 0;
        unloaded += loads ? 0 : 1;
        if (!row.latency_ns || !row.bytes_per_ns)
            continue;
        LoadRow& point = curves.back().emplace_back(row);
        if (!has_notes && !loads && unloaded > 1)
            point.notes.push_back(LoadNote::awake);
        std::erase(point.notes, LoadNote::several); // the file has a remark, like one on what the next shows
        point.visits_percent.reset();
    }
    std::erase_if(curves, [](const std::vector<LoadRow>& points) { return points.empty(); });
    if (curves.empty())
        throw usage_error(fmt::format("{}: holds no row with a latency", loaded.name));
    return curves;
}

} // namespace memtest

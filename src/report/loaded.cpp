#include "memtest/report/loaded.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/id_list.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace memtest {
namespace {

using Type = Column::Type;
using Group = ColumnGroup;

constexpr std::array loaded_columns{
    load_column,
    Column{.name = "Bandwidth (GB/s)", .member = "bandwidth_gb_s"},
    Column{.name = "Access latency (ns)", .member = "latency_ns", .lowest = 0.001},
    Column{
        .name = "Writes (%)", .member = "write_percent", .type = Type::count, .highest = 100, .group = Group::writes},
    Column{.name = "Visits (%)", .member = "visits_percent", .digits = decimals(2), .group = Group::stats},
    Column{.name = "Visits", .member = "visits", .type = Type::count, .group = Group::stats},
    Column{.name = "Batches", .member = "batches", .type = Type::count, .group = Group::stats},
    Column{.name = "Set aside", .member = "batches_set_aside", .type = Type::count, .group = Group::stats},
    Column{.name = "Notes", .member = "notes", .type = Type::words, .group = Group::stats}};

namespace loaded_column {
enum Place : std::size_t {
    load_percent,
    bandwidth,
    latency_ns,
    write_percent,
    visits_percent,
    visits,
    batches,
    aside,
    notes
};
}

constexpr FindingMember figure(std::string_view name) {
    return {.name = name, .is_list = false};
}

constexpr std::array loaded_members{figure("write_percent"),       figure("idle_latency_ns"),
                                    figure("awake_latency_ns"),    figure("idle_latency_at_end_ns"),
                                    figure("peak_bandwidth_gb_s"), figure("knee_bandwidth_gb_s"),
                                    FindingMember{"curves"},       FindingMember{"remarks"}};

Value three_decimals(std::optional<double> number) {
    return {number, decimals(3)};
}

/// "15.1 GB/s at 117.1 ns (1.19 times idle)", or "times that with the loaders awake" where that is known.
std::string describe(const LoadPoint& point, const LoadCurve& curve) {
    const auto unloaded_ns = curve.unloaded_ns();
    return fmt::format("{:.1f} GB/s at {:.1f} ns{}", point.bytes_per_ns, point.latency_ns,
                       unloaded_ns ? fmt::format(" ({:.2f} times {})", point.latency_ns / *unloaded_ns,
                                                 curve.awake_ns ? "that with the loaders awake" : "idle")
                                   : "");
}

std::string describe_idle(const LoadCurve& curve) {
    std::vector<std::string> figures;
    for (const auto& [ns, when] : {std::pair(curve.idle_ns, ""), std::pair(curve.awake_ns, " with the loaders awake"),
                                   std::pair(curve.idle_last_ns, " at the end")}) {
        if (ns)
            figures.push_back(fmt::format("{:.1f} ns{}", *ns, when));
    }
    return fmt::format("{}", fmt::join(figures, ", "));
}

std::string describe_knee(const LoadCurve& curve) {
    if (!curve.grows)
        return "none: the bandwidth does not grow with the load, as where other work loads the memory; measure again";
    if (!curve.knee)
        return fmt::format("none: every load takes more than {} times the {}", knee_times,
                           curve.awake_ns ? "latency with the loaders awake" : "idle latency");
    const bool is_peak = curve.reaches_full_load && curve.knee->bytes_per_ns >= curve.peak->bytes_per_ns;
    return describe(*curve.knee, curve) + (is_peak ? ", the peak: these loaders do not fill the memory's queues" : "");
}

std::string describe_awake(const LoadCurve& curve) {
    const double percent = 100 * (*curve.awake_ns / *curve.idle_ns - 1);
    return fmt::format("without load an access takes {:.1f} ns while the loaders sleep and {:.1f} ns while they are "
                       "awake, {:.0f} % {}",
                       *curve.idle_ns, *curve.awake_ns, std::abs(percent),
                       percent < 0 ? "less, as where the package slows its clocks while cores sleep"
                                   : "more, as where awake cores share their power or hardware threads a core");
}

/// "0, 33 or 50"
std::string alternatives(const std::vector<unsigned>& numbers) {
    const auto last = numbers.end() - 1;
    return last == numbers.begin() ? fmt::format("{}", *last)
                                   : fmt::format("{} or {}", fmt::join(numbers.begin(), last, ", "), *last);
}

/// Whether a row of the file says that the loaders were awake. Files without notes do not, nor older ones.
bool says_awake(const ResultRow& row) {
    const std::vector<std::string> notes = row.words(loaded_column::notes);
    return std::ranges::find(notes, word_of(LoadNote::awake)) != notes.end();
}

/// Moves the members of all findings but remarks to an element of the list of curves, in which each figure is known or
/// null, and says of each which curve it is about.
Findings of_one_of_several(unsigned write_percent, Findings findings) {
    Value::Members figures;
    for (const FindingMember& member : loaded_members) {
        if (!member.is_list)
            figures.push_back({std::string(member.name), Value()});
    }
    figures.front().value = write_percent;
    for (Finding& finding : findings.list) {
        finding.sentence = of_writes(write_percent) + finding.sentence;
        if (finding.key == remark_key) {
            finding = remark(finding.sentence);
            continue;
        }
        for (const Member& member : std::exchange(finding.members, {}))
            std::ranges::find(figures, member.name, &Member::name)->value = member.value;
    }
    findings.list.push_back({"", "", {{"curves", Value::List{std::move(figures)}}}});
    return findings;
}

} // namespace

const Kind loaded_kind{.verb = "loaded", .columns = loaded_columns, .findings = loaded_members};

ResultRow loaded_row(const LoadRow& row, unsigned write_percent) {
    Value::List notes;
    for (const LoadNote note : row.notes)
        notes.emplace_back(word_of(note));
    return {{row.load_percent, row.bytes_per_ns, row.latency_ns, write_percent, row.visits_percent, row.visits,
             row.batches, row.set_aside, std::move(notes)}};
}

std::string of_writes(unsigned write_percent) {
    return fmt::format("writes {} %: ", write_percent);
}

std::optional<std::string> warning_on(const LoadRow& row, const std::vector<int>& loaders) {
    if (row.latency_ns)
        return std::nullopt;
    std::vector<int> absent;
    for (const std::size_t loader : row.never_ran)
        absent.push_back(loaders.at(loader));
    const std::string load = row.load_percent > 0
                                 ? fmt::format("at {:.1f} % load", row.load_percent)
                                 : fmt::format("without load, the loaders {},", is_awake(row) ? "awake" : "asleep");
    const std::string reason = absent.empty() ? "others ran on the processors meanwhile"
                                              : fmt::format("processor{} {} never loaded at the calibrated rate",
                                                            absent.size() == 1 ? "" : "s", format_ids(absent));
    return fmt::format("{} {} of {} batches were set aside: {}; leave the processors to this run, or give others with "
                       "--load-cpu",
                       load, row.set_aside, row.set_aside + row.batches, reason);
}

std::vector<std::string> load_sentences(std::size_t line_bytes, const std::vector<unsigned>& write_percents,
                                        std::size_t bytes) {
    const bool writes = write_percents != std::vector{0U};
    const std::string counted = fmt::format("Bandwidth counts {} B for each line read", line_bytes);
    return {fmt::format("Each loader reads one word of each line, line after line through {}{}{}", human_size(bytes),
                        writes ? fmt::format(", and changes it in {} % of them", alternatives(write_percents)) : "",
                        write_percents.size() > 1 ? ", one curve for each" : ""),
            writes ? fmt::format("{}, and as many again for one that is changed: it is written back", counted)
                   : counted};
}

Findings loaded_findings(const std::vector<unsigned>& write_percents, const std::vector<LoadCurve>& curves) {
    if (write_percents.size() == 1) {
        Findings findings = curves.empty() ? Findings{} : loaded_findings(curves.front());
        findings.list.insert(findings.list.begin(), {"", "", {{"write_percent", write_percents.front()}}});
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
    if (curve.unloaded_ns())
        findings.list.push_back({"idle latency",
                                 describe_idle(curve),
                                 {{"idle_latency_ns", three_decimals(curve.idle_ns)},
                                  {"awake_latency_ns", three_decimals(curve.awake_ns)},
                                  {"idle_latency_at_end_ns", three_decimals(curve.idle_last_ns)}}});
    if (curve.peak && curve.reaches_full_load)
        findings.list.push_back({"peak bandwidth",
                                 describe(*curve.peak, curve),
                                 {{"peak_bandwidth_gb_s", three_decimals(curve.peak->bytes_per_ns)}}});
    if (curve.unloaded_ns() && curve.peak)
        findings.list.push_back(
            {"knee",
             describe_knee(curve),
             {{"knee_bandwidth_gb_s",
               three_decimals(curve.knee ? std::optional(curve.knee->bytes_per_ns) : std::nullopt)}}});
    if (curve.awake_differs && curve.idle_ns)
        findings.list.push_back(remark(describe_awake(curve)));
    return findings;
}

std::vector<LoadPoints> load_curves_of(const Result& loaded) {
    std::vector<LoadPoints> curves;
    const bool has_notes = std::ranges::any_of(loaded.rows, says_awake); // else the place of a row tells
    std::size_t unloaded = 0; // rows of the curve, ahead of those under load: asleep, and awake
    bool loads = false;
    for (const ResultRow& row : loaded.rows) {
        const auto writes = row.number(loaded_column::write_percent);
        const auto write_percent = writes ? std::optional(static_cast<unsigned>(*writes)) : std::nullopt;
        if (curves.empty() || curves.back().write_percent != write_percent) {
            curves.push_back({write_percent, {}});
            unloaded = 0;
            loads = false;
        }
        const double load_percent = *row.number(loaded_column::load_percent);
        loads = loads || load_percent > 0;
        unloaded += loads ? 0 : 1;
        const bool is_second = !loads && unloaded > 1;
        const auto bytes_per_ns = row.number(loaded_column::bandwidth);
        const auto ns = row.number(loaded_column::latency_ns);
        if (bytes_per_ns && ns)
            curves.back().points.push_back({.load_percent = load_percent,
                                            .bytes_per_ns = *bytes_per_ns,
                                            .latency_ns = *ns,
                                            .awake = has_notes ? says_awake(row) : is_second});
    }
    std::erase_if(curves, [](const LoadPoints& curve) { return curve.points.empty(); });
    if (curves.empty())
        throw usage_error(fmt::format("{}: holds no row with a latency", loaded.name));
    return curves;
}

} // namespace memtest

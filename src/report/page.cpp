#include "memtest/report/page.hpp"

#include "memtest/base/id_list.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"
#include "memtest/insight/translation.hpp"
#include "memtest/report/ending.hpp"
#include "memtest/report/levels.hpp"
#include "memtest/report/loaded.hpp"
#include "memtest/report/matrix.hpp"
#include "memtest/report/sweep.hpp"
#include "memtest/report/tail.hpp"
#include "memtest/report/translation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

using Table = std::vector<std::vector<std::string>>; // the header first, all rows of the same length

/// As Markdown that is also aligned as text: the first column to the left, the others to the right. Empty without rows.
std::string table_text(Table table) {
    if (table.size() == 1)
        return "";
    std::vector<std::string> rule(table.front().size(), "--:");
    rule.front() = "---";
    for (const auto& row : table) {
        for (std::size_t i = 0; i < row.size(); ++i)
            rule[i].insert(0, row[i].size() > rule[i].size() ? row[i].size() - rule[i].size() : 0, '-');
    }
    table.insert(table.begin() + 1, rule);
    std::string text;
    for (const auto& row : table) {
        for (std::size_t i = 0; i < row.size(); ++i)
            text += i == 0 ? fmt::format("| {:<{}}", row[i], rule[i].size())
                           : fmt::format(" | {:>{}}", row[i], rule[i].size());
        text += " |\n";
    }
    return text;
}

std::string list_text(const std::vector<std::string>& sentences) {
    return sentences.empty() ? "" : fmt::format("- {}\n", fmt::join(sentences, "\n- "));
}

/// A heading with its parts, separated by empty lines; empty if all parts are.
std::string section(std::string_view heading, const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts)
        text += part.empty() ? "" : "\n" + part;
    return text.empty() ? "" : fmt::format("\n## {}\n{}", heading, text);
}

/// Findings except remarks, then the remarks of the result's file.
std::string findings_text(const Findings& findings, const Result& result) {
    std::vector<std::string> sentences;
    for (const Finding& finding : findings.list) {
        if (!finding.is_remark)
            sentences.push_back(fmt::format("{}: {}", finding.key, sentence_of(finding.notice)));
    }
    for (const Notice& notice : result.remarks)
        sentences.push_back(markdown_text(sentence_of(notice)));
    return list_text(sentences);
}

std::string pages_of(const Result& sweep) {
    const auto& pages = sweep.run.pages_got;
    return pages && !pages->empty() && pages->front().are_known() ? text_of(*pages) + " pages" : "unknown pages";
}

bool have_same_pages(const Result& a, const Result& b) {
    return a.run.pages_got && b.run.pages_got && !pages_differ(*a.run.pages_got, *b.run.pages_got);
}

/// "34 KiB (32 to 48 KiB)"; empty if unknown.
std::string capacity_text(const std::string& low, const std::string& best, const std::string& high) {
    if (low.empty() || high.empty())
        return low.empty() ? "" : "at least " + low;
    return best.empty() ? fmt::format("{} to {}", low, high) : fmt::format("{} ({} to {})", best, low, high);
}

std::vector<std::string> level_cells(const LevelRow& row) {
    const auto size = [](const auto& number_kib) {
        return number_kib ? rounded_size(static_cast<double>(*number_kib) * kib) : std::string();
    };
    return {row.level,
            capacity_text(size(row.capacity_low_kib), size(row.capacity_best_kib), size(row.capacity_high_kib)),
            size(row.reported_kib),
            fixed(row.latency_ns, row.confidence ? 2 : 1),
            fixed(row.latency_cycles, 1),
            row.confidence ? std::string(word_of(*row.confidence)) : ""};
}

/// Subtracts translation from a sweep if possible. @return whether that is the full cost
bool take_off(const std::optional<Result>& tlb, Result& sweep) {
    try {
        return tlb && have_same_pages(sweep, *tlb) && subtract_translation(sweep, *tlb);
    } catch (const Error&) { // it was disturbed
        return false;
    }
}

/// The sweep that shows the levels best: with huge pages if there is one, else with small pages, less the cost of
/// translation if known.
struct BestSweep {
    Result sweep;
    LevelReport levels;
    bool translation_is_off = false;
};

std::optional<BestSweep> best_sweep_of(const ReportResults& results) {
    std::optional<Result> sweep = results.has_huge_pages() ? results.huge_pages : results.small_pages;
    if (!sweep)
        return std::nullopt;
    const bool is_off = !results.has_huge_pages() && take_off(results.tlb, *sweep);
    return BestSweep{*sweep, report_levels(*sweep, is_off).front(), is_off};
}

std::string levels_section(const ReportResults& results) {
    const auto best = best_sweep_of(results);
    if (!best)
        return "";
    Table table{{"Level", "Capacity", "Reported", "Latency (ns)", "Cycles", "Confidence"}};
    for (const LevelRow& row : level_rows(best->levels))
        table.push_back(level_cells(row));
    const std::string source = fmt::format("In random order, {}{}.\n", pages_of(best->sweep),
                                           best->translation_is_off ? ", less what translation adds" : "");
    std::vector<std::string> remarks;
    std::ranges::transform(remarks_on(best->levels), std::back_inserter(remarks), sentence_of);
    return section("Levels", {source, table_text(table), list_text(remarks), results.sweep_plot});
}

/// A few of the sizes: 64 KiB, 256 KiB, 1 MiB and so on.
bool is_shown(const TranslationCost& cost) {
    const double fours = std::log2(cost.size_bytes / (64 * kib)) / 2;
    return fours >= 0 && fours == std::floor(fours);
}

std::optional<WalkCost> most_of_walk(const std::optional<Result>& tlb) {
    if (!tlb)
        return std::nullopt;
    const TlbReport report = read_tlb(*tlb);
    if (report.translation.beyond.empty())
        return std::nullopt;
    WalkCost walk;
    for (const CostAtPages& cost : report.translation.beyond) {
        walk.ns = std::max(walk.ns, cost.ns);
        walk.to_bytes = std::max(walk.to_bytes, static_cast<double>(cost.pages) * report.page_bytes);
    }
    return walk;
}

std::string why_withheld(Withheld why) {
    switch (why) {
    case Withheld::at_end_of_level:
        return "a cache ends here";
    case Withheld::above_walk:
    case Withheld::disturbed:
        return "disturbed";
    case Withheld::reversed:
        return "huge pages are slower";
    case Withheld::explained_by_noise:
    case Withheld::quoted:
        break;
    }
    return "within noise";
}

/// What small pages cost compared with huge ones; empty if one of the sweeps is missing.
std::vector<TranslationCost> costs_of(const ReportResults& results) {
    if (!results.small_pages || !results.has_huge_pages())
        return {};
    std::vector<TranslationCost> costs =
        translation_costs(figures_of(*results.small_pages), figures_of(*results.huge_pages));
    withhold_costs(costs, *results.small_pages, *results.huge_pages, most_of_walk(results.tlb));
    return costs;
}

std::string translation_section(const ReportResults& results) {
    std::string text;
    if (const std::vector<TranslationCost> costs = costs_of(results); !costs.empty()) {
        Table table{{"Size", "Small pages (ns)", "Huge pages (ns)", "Translation (ns)"}};
        for (const TranslationCost& cost : costs) {
            if (is_shown(cost))
                table.push_back({rounded_size(cost.size_bytes), fixed(cost.small_pages_ns, 1),
                                 fixed(cost.huge_pages_ns, 1),
                                 cost.cost_ns ? fixed(*cost.cost_ns, 1) : why_withheld(cost.withheld)});
        }
        text = table_text(table);
    }
    const std::string tlbs = results.tlb ? findings_text(tlb_findings(read_tlb(*results.tlb)), *results.tlb) : "";
    return section("Address translation", {text, tlbs});
}

std::string parallel_section(const ReportResults& results) {
    Table table{{"Chains", "Time per access (ns)", "Times as fast"}};
    std::optional<double> alone_ns;
    std::vector<std::string> remarks;
    for (const Result& sweep : results.parallel) {
        const auto latency_ns = sweep.rows_of<Row>().back().latency_ns;
        if (!latency_ns)
            continue;
        const std::uint64_t chains = sweep.run.parallel.value_or(1);
        if (chains == 1)
            alone_ns = latency_ns;
        const auto times = alone_ns ? std::optional(*alone_ns / *latency_ns) : std::nullopt;
        table.push_back({fmt::format("{}", chains), fixed(latency_ns, 2), fixed(times, 1)});
        constexpr double noise = 1.05;
        if (times.value_or(0) > noise * static_cast<double>(chains))
            remarks.push_back(fmt::format("{} chains cannot be {:.1f} times as fast: something slowed the single one; "
                                          "measure again",
                                          chains, *times));
    }
    if (table.size() == 1)
        return "";
    const Result& sweep = results.parallel.front();
    return section(
        "Memory-level parallelism",
        {fmt::format("Independent chains side by side through {}, {}.\n",
                     rounded_size(static_cast<double>(sweep.rows_of<Row>().back().size_bytes)), pages_of(sweep)),
         table_text(table), list_text(remarks)});
}

std::size_t disturbed_rows(const Result& sweep) {
    return static_cast<std::size_t>(
        std::ranges::count_if(sweep.rows_of<Row>(), [](const Row& row) { return any_disturbing(row.notes); }));
}

bool is_sound(const Result& sweep) {
    return !why_incomplete(sweep) && disturbed_rows(sweep) == 0 &&
           std::ranges::none_of(sweep.warnings, is_on_whole_result);
}

/// Whether the processor fetches lines in pairs, so that adjacent lines look faster than memory is. Inferred from
/// random chains through adjacent lines, through one line of each pair, and through one line of every two pairs.
bool fetches_pairs(double beside_ns, double pairs_ns, double apart_ns) {
    constexpr double clearly = 1.1;
    // If lines come in pairs, a chain through one line of each pair gains nothing. A prefetcher of larger regions
    // speeds up that chain, too, and no line size prevents it.
    const double gained_ns = apart_ns - beside_ns;
    const double gained_by_pairs_ns = pairs_ns - beside_ns;
    return apart_ns >= clearly * beside_ns && gained_by_pairs_ns >= gained_ns / 2;
}

/// Says that the processor fetches lines in pairs, if both measurements show it and nothing disturbed them.
std::string pairs_section(const ReportResults& results) {
    constexpr std::size_t pitches = 3;
    if (results.pitches.size() != 2 * pitches || !std::ranges::all_of(results.pitches, is_sound))
        return "";
    const auto latency_of = [&](std::size_t place) { return results.pitches[place].rows_of<Row>().back().latency_ns; };
    const auto are_pairs_at = [&](std::size_t first) {
        const auto beside_ns = latency_of(first);
        const auto pairs_ns = latency_of(first + 1);
        const auto apart_ns = latency_of(first + 2);
        return beside_ns && pairs_ns && apart_ns && fetches_pairs(*beside_ns, *pairs_ns, *apart_ns);
    };
    if (!are_pairs_at(0) || !are_pairs_at(pitches))
        return "";
    const std::uint64_t line = results.pitches.front().run.line_bytes.value_or(0);
    return section(
        "Pairs of lines",
        {fmt::format("The processor fetches lines in pairs: in random order within blocks of 1 MiB an access "
                     "takes\n{:.1f} ns where all lines are used, and {:.1f} ns where one in {} B is. Give "
                     "--line-size {} for\nthe latency of memory.\n",
                     *latency_of(0), *latency_of(2), 4 * line, 2 * line)});
}

std::string cores_section(const ReportResults& results) {
    if (!results.cores)
        return "";
    constexpr std::size_t most_rows = 6; // four processors; a larger matrix is left to the plot
    Table table{{"Reader", "Owner", "Latency (ns)"}};
    const CoresReport report = stored_cores(*results.cores);
    for (const auto& [reader, owner, latency_ns] : cells_of(*results.cores)) {
        table.push_back({fmt::format("{}", reader), fmt::format("{}", owner), fixed(latency_ns, 1)});
    }
    return section("Core-to-core latency", {table.size() <= most_rows + 1 ? table_text(table) : "",
                                            findings_text(cores_findings(report), *results.cores), results.cores_plot});
}

std::string loaded_section(const ReportResults& results) {
    if (!results.loaded)
        return "";
    Table table{{"Load (%)", "Bandwidth (GB/s)", "Latency (ns)"}};
    const auto points = load_curves_of(*results.loaded).front().points;
    for (const LoadPoint& point : points)
        table.push_back({fmt::format("{:.0f}{}", point.load_percent, point.awake ? ", awake" : ""),
                         fixed(point.bytes_per_ns, 1), fixed(point.latency_ns, 1)});
    return section("Latency under load",
                   {table_text(table), findings_text(loaded_findings(read_load_curve(points)), *results.loaded),
                    results.loaded_plot});
}

std::string tail_section(const ReportResults& results) {
    if (!results.tail)
        return "";
    return section("Latency distribution",
                   {table_text(tail_table(*results.tail)), findings_text({}, *results.tail), results.tail_plot});
}

/// What disturbed one of the results.
struct Disturbance {
    std::string name; ///< of the results
    Notice notice;
};

/// Adds the notices. One that the list has of another part is added to that.
void add(std::vector<Disturbance>& list, std::string_view name, const std::vector<Notice>& notices) {
    for (const Notice& notice : notices) {
        const auto same = std::ranges::find(list, notice, &Disturbance::notice);
        if (same == list.end())
            list.push_back({std::string(name), notice});
        else if (!same->name.ends_with(name))
            same->name += fmt::format(", {}", name);
    }
}

std::vector<Notice> disturbed_sizes(const Result& sweep) {
    const std::size_t count = disturbed_rows(sweep);
    if (count == 0)
        return {};
    return {{Code::disturbed_sizes, {{"count", count}, {"of", sweep.row_count()}}}};
}

std::vector<Disturbance> disturbances_of(const ReportResults& results) {
    std::vector<Disturbance> list;
    const auto add_sweep = [&](const std::string& name, const Result& sweep) {
        add(list, name, disturbed_sizes(sweep));
        add(list, name, sweep.warnings);
    };
    if (results.small_pages)
        add_sweep("small pages", *results.small_pages);
    if (results.huge_pages)
        add_sweep("huge pages", *results.huge_pages);
    for (const Result& sweep : results.parallel)
        add_sweep(counted(sweep.run.parallel.value_or(1), "chain"), sweep);
    const auto add_some = [&](std::string_view name, const Result& result, const auto& is_wanted) {
        for (const Notice& warning : result.warnings) {
            if (is_wanted(warning))
                add(list, name, {warning});
        }
    };
    for (const Result& sweep : results.pitches) {
        const std::string name = fmt::format("a line in {} B", sweep.run.line_bytes.value_or(0));
        add(list, name, disturbed_sizes(sweep));
        add_some(name, sweep, is_on_whole_result); // others are about the distance between the lines
    }
    for (const auto& [name, result] : {std::pair("translation", &results.tlb),
                                       {"cores", &results.cores},
                                       {"loaded", &results.loaded},
                                       {"tail", &results.tail}}) {
        if (*result) // little memory is the reader's choice
            add_some(name, **result, [](const Notice& warning) { return warning.code != Code::little_memory; });
    }
    return list;
}

std::vector<std::string> missing_of(const ReportResults& results) {
    std::vector<std::string> list = results.missing;
    if (results.huge_pages && !results.has_huge_pages())
        list.push_back(
            fmt::format("huge pages: the kernel gave {}{}", pages_of(*results.huge_pages),
                        results.huge_pages->run.transparent_policy
                            ? fmt::format(" (transparent huge pages: {})", *results.huge_pages->run.transparent_policy)
                            : ""));
    return list;
}

/// The machine as the first of the runs describes it.
RunDescription run_of(const ReportResults& results) {
    const auto of = [](const std::optional<Result>& result) { return result ? &*result : nullptr; };
    for (const Result* result : {of(results.small_pages), of(results.huge_pages),
                                 results.parallel.empty() ? nullptr : &results.parallel.front(), of(results.tlb),
                                 of(results.loaded), of(results.tail), of(results.cores)}) {
        if (result != nullptr)
            return result->run;
    }
    return {};
}

/// The title, and the machine in three lines.
std::string opening(const RunDescription& run) {
    const auto with = [](std::string_view words, const std::optional<std::string>& value) {
        return value ? fmt::format("{}{}", words, markdown_text(*value)) : "";
    };
    std::string processor = run.processors ? "processor " + format_ids(run.processors->ids) : "processor not known";
    if (run.virtual_machine.value_or(false))
        processor += " of a virtual machine";
    if (run.core_clock_ghz)
        processor += fmt::format(", core clock {:.2f} GHz", *run.core_clock_ghz);
    return fmt::format("# Memory of {}\n\n{}", markdown_text(run.cpu_model.value_or("a machine")),
                       list_text({processor, run.caches ? "caches " + text_of(*run.caches) : "caches not known",
                                  fmt::format("{}{}{}{}", markdown_text(run.kernel.value_or("kernel not known")),
                                              with(", transparent huge pages ", run.transparent_policy),
                                              with(", memtest ", run.version), with(", ", run.start))}));
}

/// What someone would post of the machine: caches, memory, what huge pages save, what busy neighbours cost, and what
/// casts doubt on it.
std::vector<std::string> summary_of(const ReportResults& results, const std::vector<Disturbance>& disturbances) {
    std::vector<std::string> sentences;
    if (const auto best = best_sweep_of(results)) {
        std::string caches;
        for (const LevelRow& row : level_rows(best->levels)) {
            const std::vector<std::string> cells = level_cells(row);
            if (row.confidence)
                caches += fmt::format("{}{} {} at {} ns", caches.empty() ? "" : ", ", row.level, cells[1], cells[3]);
            else
                sentences.push_back(fmt::format("An access to memory takes {:.0f} ns.", row.latency_ns));
        }
        if (!caches.empty())
            sentences.insert(sentences.begin(), fmt::format("Caches: {}.", caches));
    }
    if (const std::vector<TranslationCost> costs = costs_of(results); !costs.empty())
        sentences.push_back(ending_of(costs, {}).sentence);
    if (results.loaded) {
        const LoadCurve curve = read_load_curve(load_curves_of(*results.loaded).front().points);
        if (curve.peak && curve.unloaded_ns() && curve.reaches_full_load && curve.grows)
            sentences.push_back(fmt::format(
                "While the other cores load memory with {:.0f} GB/s, an access takes {:.0f} "
                "ns, {:.1f} times as long as without load.",
                curve.peak->bytes_per_ns, curve.peak->latency_ns, curve.peak->latency_ns / *curve.unloaded_ns()));
    }
    for (const auto& [name, notice] : disturbances) {
        if (is_on_whole_result(notice)) {
            sentences.push_back(
                fmt::format("Read with care: in the part {}, {}.", name, markdown_text(fact_of(notice))));
            break;
        }
    }
    return sentences;
}

} // namespace

bool ReportResults::has_huge_pages() const {
    return huge_pages && (!small_pages || !have_same_pages(*huge_pages, *small_pages));
}

std::vector<std::string> report_summary(const ReportResults& results) {
    return summary_of(results, disturbances_of(results));
}

std::string report_page(const ReportResults& results) {
    std::vector<std::string> whole;
    std::vector<std::string> others;
    const std::vector<Disturbance> disturbances = disturbances_of(results);
    for (const auto& [name, notice] : disturbances)
        (is_on_whole_result(notice) ? whole : others)
            .push_back(fmt::format("{}: {}", name, markdown_text(sentence_of(notice))));
    const auto raw_file = [](const std::string& name) { return fmt::format("- {}\n", markdown_code(name)); };
    const std::vector<std::string> summary = summary_of(results, disturbances);
    return opening(run_of(results)) + (summary.empty() ? "" : fmt::format("\n{}\n", fmt::join(summary, "\n"))) +
           section("Read with care", {list_text(whole)}) + levels_section(results) + translation_section(results) +
           parallel_section(results) + pairs_section(results) + cores_section(results) + loaded_section(results) +
           tail_section(results) +
           section("What was disturbed",
                   {whole.empty() && others.empty() ? "Nothing that shows.\n" : list_text(others)}) +
           section("What is missing", {list_text(missing_of(results))}) +
           section("Raw results", {joined(results.raw_files, "", raw_file)});
}

} // namespace memtest

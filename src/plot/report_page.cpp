#include "memtest/plot/report_page.hpp"

#include "memtest/base/id_list.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"
#include "memtest/insight/load_curve.hpp"
#include "memtest/insight/translation.hpp"
#include "memtest/plot/sweep_plot.hpp"
#include "memtest/report/cores_report.hpp"
#include "memtest/report/levels_report.hpp"
#include "memtest/report/load_report.hpp"
#include "memtest/report/pages_got.hpp"
#include "memtest/report/reported_caches.hpp"
#include "memtest/report/run_lines.hpp"
#include "memtest/report/stored_curves.hpp"
#include "memtest/report/tlb_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace memtest {
namespace {

using Table = std::vector<std::vector<std::string>>; // the header first, all rows as long

/// In Markdown, aligned as text, too: the first column to the left, the others to the right. Empty without rows.
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

/// A heading, and the parts below it with empty lines between; nothing where all are empty.
std::string section(std::string_view heading, const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts)
        text += part.empty() ? "" : "\n" + part;
    return text.empty() ? "" : fmt::format("\n## {}\n{}", heading, text);
}

/// The lines of a report without its remarks, then the remarks of its file.
std::string findings_text(const KeyedLines& lines, const std::vector<std::string>& remarks) {
    std::vector<std::string> sentences;
    for (const auto& [key, value] : lines) {
        if (key != "remark")
            sentences.push_back(fmt::format("{}: {}", key, value));
    }
    sentences.insert(sentences.end(), remarks.begin(), remarks.end());
    return list_text(sentences);
}

std::string pages_of(const StoredSweep& sweep) {
    return sweep.run.pages_got ? text_of_pages(*sweep.run.pages_got) + " pages" : "unknown pages";
}

/// Whether the kernel gave other pages to the sweep with huge ones than to the one with small ones.
bool has_huge_pages(const ReportResults& results) {
    if (!results.huge_pages)
        return false;
    const auto& huge = results.huge_pages->run.pages_got;
    const auto& small = results.small_pages ? results.small_pages->run.pages_got : std::nullopt;
    return !huge || !small || pages_differ(*huge, *small);
}

/// The sweep that shows the levels best: with huge pages, else with small ones, less what translation adds where that
/// is known.
std::optional<StoredSweep> sweep_of_levels(const ReportResults& results) {
    if (has_huge_pages(results))
        return results.huge_pages;
    const auto& small = results.small_pages;
    if (!small || !results.tlb)
        return small;
    const auto& tlb_pages = results.tlb->run.pages_got;
    const bool alike = small->run.pages_got && tlb_pages && !pages_differ(*small->run.pages_got, *tlb_pages);
    return alike ? without_translation(*small, *results.tlb) : small;
}

/// "34 KiB (32 to 48 KiB)".
std::string capacity_text(const Level& level) {
    if (!level.capacity_low_bytes)
        return "";
    const std::string low = rounded_size(*level.capacity_low_bytes);
    if (!level.capacity_high_bytes)
        return "at least " + low;
    const std::string range = fmt::format("{} to {}", low, rounded_size(*level.capacity_high_bytes));
    return level.capacity_bytes ? fmt::format("{} ({})", rounded_size(*level.capacity_bytes), range) : range;
}

std::string reported_text(const LevelReport& report, std::size_t place) {
    const bool is_known = place < report.compared.size() && report.compared[place].reported;
    return is_known ? rounded_size(static_cast<double>(report.compared[place].reported->size_bytes)) : "";
}

std::vector<std::string> level_row(const LevelReport& report, std::size_t place) {
    const std::string in_cycles = fixed(cycles_at(report, place), 1);
    if (place == report.hierarchy.caches.size())
        return {"memory", "", "", fixed(report.hierarchy.memory->latency_ns, 1), in_cycles, ""};
    const Level& cache = report.hierarchy.caches[place];
    return {level_name(place),
            capacity_text(cache),
            reported_text(report, place),
            fixed(cache.latency_ns, 2),
            in_cycles,
            std::string(word_of(cache.confidence))};
}

std::string levels_section(const ReportResults& results) {
    const auto sweep = sweep_of_levels(results);
    if (!sweep)
        return "";
    const LevelReport report = report_levels(*sweep).front();
    Table table{{"Level", "Capacity", "Reported", "Latency (ns)", "Cycles", "Confidence"}};
    for (std::size_t place = 0; place < count_levels(report); ++place)
        table.push_back(level_row(report, place));
    const std::string source = fmt::format("In random order, {}{}.\n", pages_of(*sweep),
                                           sweep->translation_is_off ? ", less what translation adds" : "");
    return section("Levels", {source, table_text(table), list_text(remarks_on(report)), results.sweep_plot});
}

/// Few of the sizes: 64 KiB, 256 KiB, 1 MiB and so on.
bool is_shown(const TranslationCost& cost) {
    const double fours = std::log2(cost.size_bytes / (64 * kib)) / 2;
    return fours >= 0 && fours == std::floor(fours);
}

std::string translation_section(const ReportResults& results) {
    std::string text;
    if (results.small_pages && has_huge_pages(results)) {
        Table table{{"Size", "Small pages (ns)", "Huge pages (ns)", "Translation (ns)"}};
        const auto small = figures_of(*results.small_pages);
        const auto huge = figures_of(*results.huge_pages);
        for (const TranslationCost& cost : translation_costs(small, huge)) {
            if (is_shown(cost))
                table.push_back({rounded_size(cost.size_bytes), fixed(cost.small_pages_ns, 1),
                                 fixed(cost.huge_pages_ns, 1),
                                 cost.cost_ns ? fixed(*cost.cost_ns, 1) : "within noise"});
        }
        text = table_text(table);
    }
    std::string tlbs;
    if (results.tlb) {
        const TlbReport report{.translation = results.tlb->translation,
                               .page_bytes = static_cast<std::size_t>(results.tlb->page_bytes),
                               .core_ghz = results.tlb->run.core_clock_ghz};
        tlbs = findings_text(tlb_lines(report), results.tlb->remarks);
    }
    return section("Address translation", {text, tlbs});
}

std::string parallel_section(const ReportResults& results) {
    Table table{{"Chains", "Time per access (ns)", "Times as fast"}};
    std::optional<double> alone_ns;
    for (const StoredSweep& sweep : results.parallel) {
        const auto& latency_ns = sweep.rows.back().latency_ns;
        if (!latency_ns)
            continue;
        const std::uint64_t chains = sweep.run.parallel.value_or(1);
        if (chains == 1)
            alone_ns = latency_ns;
        table.push_back(
            {fmt::format("{}", chains), fixed(latency_ns, 2), alone_ns ? fixed(*alone_ns / *latency_ns, 1) : ""});
    }
    if (table.size() == 1)
        return "";
    const StoredSweep& sweep = results.parallel.front();
    return section("Memory-level parallelism",
                   {fmt::format("Independent chains side by side through {}, {}.\n",
                                rounded_size(sweep.rows.back().size_bytes), pages_of(sweep)),
                    table_text(table)});
}

std::string cores_section(const ReportResults& results) {
    if (!results.cores)
        return "";
    constexpr std::size_t most_rows = 6; // four processors; a matrix of more is for the plot
    Table table{{"Reader", "Owner", "Latency (ns)"}};
    CoresReport report;
    for (const MatrixCell& cell : results.cores->cells) {
        if (cell.latency_ns)
            report.pairs.push_back({.reader = cell.row, .owner = cell.column, .latency_ns = *cell.latency_ns});
        table.push_back({fmt::format("{}", cell.row), fmt::format("{}", cell.column), fixed(cell.latency_ns, 1)});
    }
    return section("Hand-over of a line between cores",
                   {table.size() <= most_rows + 1 ? table_text(table) : "",
                    findings_text(cores_lines(report), results.cores->remarks), results.cores_plot});
}

std::string loaded_section(const ReportResults& results) {
    if (!results.loaded)
        return "";
    Table table{{"Load (%)", "Bandwidth (GB/s)", "Latency (ns)"}};
    for (const LoadPoint& point : results.loaded->points)
        table.push_back(
            {fmt::format("{:.0f}", point.load_percent), fixed(point.bytes_per_ns, 1), fixed(point.latency_ns, 1)});
    return section("Latency under load",
                   {table_text(table), findings_text(load_lines(read_load_curve(results.loaded->points)), {}),
                    results.loaded_plot});
}

/// Adds the sentences that the list lacks, each behind the name of what it is about.
void add(std::vector<std::string>& list, std::string_view name, const std::vector<std::string>& sentences) {
    for (const std::string& sentence : sentences) {
        const bool is_known =
            std::ranges::any_of(list, [&](const std::string& known) { return known.ends_with(": " + sentence); });
        if (!is_known)
            list.push_back(fmt::format("{}: {}", name, sentence));
    }
}

std::vector<std::string> disturbed_sizes(const StoredSweep& sweep) {
    const auto count = std::ranges::count_if(sweep.rows, is_disturbed);
    if (count == 0)
        return {};
    return {fmt::format("something else disturbed the latency at {} of {} size{}", count, sweep.rows.size(),
                        sweep.rows.size() == 1 ? "" : "s")};
}

std::vector<std::string> disturbances_of(const ReportResults& results) {
    std::vector<std::string> list;
    const auto add_sweep = [&](const std::string& name, const StoredSweep& sweep) {
        add(list, name, disturbed_sizes(sweep));
        add(list, name, sweep.remarks);
    };
    if (results.small_pages)
        add_sweep("small pages", *results.small_pages);
    if (results.huge_pages)
        add_sweep("huge pages", *results.huge_pages);
    for (const StoredSweep& sweep : results.parallel) {
        const std::uint64_t chains = sweep.run.parallel.value_or(1);
        add_sweep(fmt::format("{} chain{}", chains, chains == 1 ? "" : "s"), sweep);
    }
    if (results.loaded)
        add(list, "loaded", results.loaded->remarks);
    return list;
}

std::vector<std::string> missing_of(const ReportResults& results) {
    std::vector<std::string> list = results.missing;
    if (results.huge_pages && !has_huge_pages(results))
        list.push_back(
            fmt::format("huge pages: the kernel gave {}{}", pages_of(*results.huge_pages),
                        results.huge_pages->run.transparent_policy
                            ? fmt::format(" (transparent huge pages: {})", *results.huge_pages->run.transparent_policy)
                            : ""));
    return list;
}

/// What the first of the runs says of the machine.
RunDescription run_of(const ReportResults& results) {
    if (results.small_pages)
        return results.small_pages->run;
    if (results.huge_pages)
        return results.huge_pages->run;
    if (!results.parallel.empty())
        return results.parallel.front().run;
    if (results.tlb)
        return results.tlb->run;
    if (results.loaded)
        return results.loaded->run;
    return results.cores ? results.cores->run : RunDescription{};
}

/// The title, and the machine in three lines.
std::string opening(const RunDescription& run) {
    const auto with = [](std::string_view words, const std::optional<std::string>& value) {
        return value ? fmt::format("{}{}", words, *value) : "";
    };
    std::string processor = run.processors ? "processor " + format_ids(run.processors->ids) : "processor not known";
    if (run.virtual_machine.value_or(false))
        processor += " of a virtual machine";
    if (run.core_clock_ghz)
        processor += fmt::format(", core clock {:.2f} GHz", *run.core_clock_ghz);
    return fmt::format("# Memory of {}\n\n{}", run.cpu_model.value_or("a machine"),
                       list_text({processor, run.caches ? "caches " + text_of_caches(*run.caches) : "caches not known",
                                  fmt::format("{}{}{}{}", run.kernel.value_or("kernel not known"),
                                              with(", transparent huge pages ", run.transparent_policy),
                                              with(", memtest ", run.version), with(", ", run.start))}));
}

} // namespace

std::optional<SizePlot> plot_of_sweeps(const ReportResults& results) {
    std::vector<StoredSweep> sweeps;
    std::vector<std::string> labels;
    if (has_huge_pages(results)) { // its levels are the page's
        sweeps.push_back(*results.huge_pages);
        labels.emplace_back("huge");
    }
    if (results.small_pages) {
        sweeps.push_back(*results.small_pages);
        labels.emplace_back("small");
    }
    return sweeps.empty() ? std::nullopt : std::optional(plot_sweeps(sweeps, labels, {.levels = true}));
}

std::string report_page(const ReportResults& results) {
    const std::string disturbed = list_text(disturbances_of(results));
    std::vector<std::string> raw_files;
    for (const std::string& name : results.raw_files)
        raw_files.push_back(fmt::format("`{}`", name));
    return opening(run_of(results)) + levels_section(results) + translation_section(results) +
           parallel_section(results) + cores_section(results) + loaded_section(results) +
           section("What was disturbed", {disturbed.empty() ? "Nothing that shows.\n" : disturbed}) +
           section("What is missing", {list_text(missing_of(results))}) +
           section("Raw results", {list_text(raw_files)});
}

} // namespace memtest

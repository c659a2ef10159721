#include "memtest/show/page.hpp"

#include "memtest/base/id_list.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"
#include "memtest/insight/translation.hpp"
#include "memtest/kinds/levels.hpp"
#include "memtest/kinds/loaded.hpp"
#include "memtest/kinds/machine_in_brief.hpp"
#include "memtest/kinds/matrix.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/kinds/tail.hpp"
#include "memtest/kinds/translation.hpp"
#include "memtest/result/text_table.hpp"
#include "memtest/show/ending.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

/// With the first column to the left and the others to the right. @param header of the table
TextTable table_of_numbers(std::vector<std::string> header) {
    const std::string right = "l" + std::string(header.size() - 1, 'r');
    return {.rows = {std::move(header)}, .right = right};
}

std::string markdown_list(const std::vector<std::string>& points) {
    return joined(points, "", [](const std::string& point) { return fmt::format("- {}\n", markdown_text(point)); });
}

/// The parts that are not empty, below their heading and separated by empty lines; empty if all parts are.
std::string below(const std::string& heading, std::initializer_list<std::string> parts) {
    std::string text;
    for (const std::string& part : parts)
        text += part.empty() ? "" : "\n" + part;
    return text.empty() ? "" : heading + "\n" + text;
}

/// The table with its cells as they are shown in a form of the page.
TextTable with_cells(TextTable table, std::string (*shown)(std::string_view)) {
    for (std::vector<std::string>& row : table.rows)
        std::ranges::transform(row, row.begin(), shown);
    return table;
}

std::string section_markdown(const Section& section) {
    return below("\n## " + markdown_text(section.heading),
                 {section.opening.empty() ? "" : markdown_text(section.opening) + "\n",
                  markdown_table(with_cells(section.table, markdown_text)), markdown_list(section.points),
                  section.plot});
}

std::string wrapped_list(const std::vector<std::string>& points, std::size_t columns) {
    return joined(points, "", [&](const std::string& point) {
        return wrapped(fmt::format("- {}", escaped(point)), columns, "  ") + "\n";
    });
}

std::string section_text(const Section& section, std::size_t columns) {
    return below("\n" + escaped(section.heading),
                 {section.opening.empty() ? "" : wrapped(escaped(section.opening), columns, "") + "\n",
                  section.table.rows.size() < 2 ? "" : aligned_text(with_cells(section.table, escaped)),
                  wrapped_list(section.points, columns), section.plot});
}

/// Findings except remarks, then the remarks of the result's file.
std::vector<std::string> points_of(const Findings& findings, const Result& result) {
    std::vector<std::string> sentences;
    for (const Finding& finding : findings.list) {
        if (!finding.is_remark)
            sentences.push_back(fmt::format("{}: {}", finding.key, sentence_of(finding.notice)));
    }
    for (const Notice& notice : result.remarks)
        sentences.push_back(sentence_of(notice));
    return sentences;
}

/// "4 KiB pages", "2 MiB transparent huge pages".
std::string pages_of(const Result& sweep) {
    const auto& pages = sweep.run.pages_got;
    if (!pages || pages->empty() || !pages->front().are_known())
        return "unknown pages";
    const std::string kind = text_of(*pages);
    return fmt::format("{}{} pages", kind, kind.ends_with("transparent") ? " huge" : "");
}

/// The pages that its figures are of.
std::string pages_of(const BestSweep& best) {
    return pages_of(best.sweep) + (best.translation_is_off ? ", less what translation adds" : "");
}

Section levels_of(const BestSweep& best) {
    const auto& kinds = best.sweep.run.core_kinds;
    Section section{.heading = kinds ? fmt::format("Levels of {}", fmt::join(*kinds, " and ")) : "Levels",
                    .opening = fmt::format("In random order, {}.", pages_of(best)),
                    .table = table_of({&best.levels, 1})};
    std::vector<Notice> notices = remarks_on(best.levels);
    constexpr std::array of_levels{Code::little_memory, Code::translation_untold};
    std::ranges::copy_if(best.sweep.warnings, std::back_inserter(notices),
                         [&](const Notice& warning) { return std::ranges::count(of_levels, warning.code) > 0; });
    std::ranges::transform(notices, std::back_inserter(section.points), sentence_of);
    return section;
}

/// Those of the measured processor, then of each other kind of core; the last with the plot of all.
std::vector<Section> levels_sections(const ReportResults& results) {
    std::vector<Section> sections;
    if (const auto best = best_sweep_of(results))
        sections.push_back(levels_of(*best));
    for (const Result& sweep : results.other_kinds)
        sections.push_back(levels_of({.sweep = sweep, .levels = report_levels(sweep).front()}));
    if (!sections.empty())
        sections.back().plot = results.plot_of("sweep");
    return sections;
}

/// A row for each machine, this one first.
Section beside_section(const ReportResults& results) {
    if (results.beside.empty())
        return {};
    std::vector<MachineInBrief> machines{in_brief(results, results.name)};
    machines.insert(machines.end(), results.beside.begin(), results.beside.end());
    return {.heading = "Beside other machines",
            .opening =
                "Caches are best estimates. Memory is the latency in random order without load, in ns; Knee the "
                "bandwidth at which latency starts to rise, in GB/s; p99.9 that of the largest size without load, in "
                "ns; Near and Far are transfers between the nearest and the farthest cores, in ns.",
            .table = table_of(machines),
            .plot = results.plot_of("beside")};
}

/// A row for each pair of nodes: a matrix of eight would not fit on a screen.
Section nodes_section(const ReportResults& results) {
    if (!results.nodes)
        return {};
    const std::vector<MatrixCell> cells = cells_of(*results.nodes);
    const bool has_bandwidth =
        std::ranges::any_of(cells, [](const MatrixCell& cell) { return cell.bytes_per_ns.has_value(); });
    std::vector<std::string> header{"Processors of node", "Memory of node", "Latency (ns)"};
    if (has_bandwidth)
        header.emplace_back("Bandwidth (GB/s)");
    Section section{.heading = "NUMA nodes",
                    .table = table_of_numbers(std::move(header)),
                    .points = points_of({}, *results.nodes),
                    .plot = results.plot_of("nodes")};
    for (const MatrixCell& cell : cells) {
        section.table.rows.push_back(
            {fmt::format("{}", cell.row), fmt::format("{}", cell.column), fixed(cell.latency_ns, 1)});
        if (has_bandwidth)
            section.table.rows.back().push_back(fixed(cell.bytes_per_ns, 1));
    }
    if (results.nodes->run.special_nodes)
        section.points.push_back("node " + text_of(*results.nodes->run.special_nodes));
    return section;
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

Section translation_section(const ReportResults& results) {
    Section section{.heading = "Address translation",
                    .table = table_of_numbers({"Size", "Small pages (ns)", "Huge pages (ns)", "Translation (ns)"})};
    for (const TranslationCost& cost : translation_costs_of(results)) {
        if (is_shown(cost))
            section.table.rows.push_back({rounded_size(cost.size_bytes), fixed(cost.small_pages_ns, 1),
                                          fixed(cost.huge_pages_ns, 1),
                                          cost.cost_ns ? fixed(*cost.cost_ns, 1) : why_withheld(cost.withheld)});
    }
    if (results.tlb)
        section.points = points_of(stored_tlb_findings(*results.tlb), *results.tlb);
    return section;
}

Section parallel_section(const ReportResults& results) {
    Section section{.heading = "Memory-level parallelism",
                    .table = table_of_numbers({"Chains", "Time per access (ns)", "Times as fast"})};
    std::optional<double> alone_ns;
    std::optional<Notice> too_fast; // once: more chains are so, too
    for (const Result& sweep : results.parallel) {
        const auto latency_ns = sweep.rows_of<Row>().back().latency_ns;
        if (!latency_ns)
            continue;
        const std::uint64_t chains = sweep.run.parallel.value_or(1);
        if (chains == 1)
            alone_ns = latency_ns;
        const auto times = alone_ns ? std::optional(*alone_ns / *latency_ns) : std::nullopt;
        section.table.rows.push_back({fmt::format("{}", chains), fixed(latency_ns, 2), fixed(times, 1)});
        constexpr double noise = 1.05;
        if (!too_fast && times.value_or(0) > noise * static_cast<double>(chains))
            too_fast = Notice(Code::single_chain_slowed, {{"chains", chains}, {"times", figure(*times)}});
    }
    if (section.table.rows.size() == 1)
        return {};
    const Result& sweep = results.parallel.front();
    section.opening =
        fmt::format("Independent chains side by side through {}, {}.",
                    rounded_size(static_cast<double>(sweep.rows_of<Row>().back().size_bytes)), pages_of(sweep));
    if (too_fast)
        section.points.push_back(sentence_of(*too_fast));
    return section;
}

std::size_t disturbed_rows(const Result& sweep) {
    return static_cast<std::size_t>(
        std::ranges::count_if(sweep.rows_of<Row>(), [](const Row& row) { return any_disturbing(row.notes); }));
}

Section prefetch_section(const ReportResults& results) {
    if (!results.prefetch)
        return {};
    Ending ending = ending_of(*results.prefetch);
    return {.heading = "Prefetchers",
            .opening = std::move(ending.sentence),
            .table = std::move(ending.table),
            .plot = results.plot_of("prefetch")};
}

/// A row for each reader and a column for each owner, in ns; empty for more processors than fit, which leaves them to
/// the plot.
TextTable table_of_pairs(const std::vector<MatrixCell>& cells) {
    constexpr std::size_t most_processors = 10;
    std::set<int> readers;
    std::set<int> owners;
    std::set<int> all;
    std::map<std::pair<int, int>, std::optional<double>> latency_ns;
    for (const MatrixCell& cell : cells) {
        readers.insert(cell.row);
        owners.insert(cell.column);
        all.insert({cell.row, cell.column});
        latency_ns[{cell.row, cell.column}] = cell.latency_ns;
    }
    if (all.empty() || all.size() > most_processors)
        return {};
    std::vector<std::string> header{"Reader"};
    for (const int owner : owners)
        header.push_back(fmt::format("{}", owner));
    TextTable table = table_of_numbers(std::move(header));
    for (const int reader : readers) {
        auto& row = table.rows.emplace_back(std::vector{fmt::format("{}", reader)});
        for (const int owner : owners)
            row.push_back(fixed(latency_ns[{reader, owner}], 1));
    }
    return table;
}

Section cores_section(const ReportResults& results) {
    if (!results.cores)
        return {};
    Section section{.heading = "Core-to-core latency",
                    .table = table_of_pairs(cells_of(*results.cores)),
                    .points = points_of(cores_findings(stored_cores(*results.cores)), *results.cores),
                    .plot = results.plot_of("cores")};
    if (!section.table.rows.empty())
        section.opening =
            "In ns: a row for each processor that reads a line, a column for each that owned it. Each pair "
            "is measured one way.";
    return section;
}

Section loaded_section(const ReportResults& results) {
    if (!results.loaded)
        return {};
    const auto points = load_curves_of(*results.loaded).front().points;
    Section section{.heading = "Latency under load",
                    .table = table_of_numbers({"Load (%)", "Bandwidth (GB/s)", "Latency (ns)"}),
                    .points = points_of(loaded_findings(read_load_curve(points)), *results.loaded),
                    .plot = results.plot_of("loaded")};
    for (const LoadPoint& point : points)
        section.table.rows.push_back({fmt::format("{:.0f}{}", point.load_percent, point.awake ? ", awake" : ""),
                                      fixed(point.bytes_per_ns, 1), fixed(point.latency_ns, 1)});
    return section;
}

Section tail_section(const ReportResults& results) {
    if (!results.tail)
        return {};
    return {.heading = "Latency distribution",
            .opening = "Percentiles of single loads, in ns.",
            .table = table_of_tail(*results.tail),
            .points = points_of({}, *results.tail),
            .plot = results.plot_of("tail")};
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

/// Whether it casts doubt on the result as a whole.
bool is_on_whole_result(const Notice& warning) {
    return is_disturbance(warning) || warning.code == Code::unsettled;
}

std::vector<Notice> disturbed_sizes(const Result& sweep) {
    const std::size_t count = disturbed_rows(sweep);
    if (count == 0)
        return {};
    return {{Code::disturbed_sizes, {{"count", count}, {"of", sweep.row_count()}}}};
}

/// Those on the size and the kind of core are told elsewhere.
bool is_listed(const Notice& warning) {
    return warning.code != Code::little_memory && warning.code != Code::several_kinds;
}

/// Adds what disturbed sweeps with several chains, once for all with the same.
void add_parallel(std::vector<Disturbance>& list, const std::vector<Result>& sweeps) {
    std::vector<std::pair<Notice, std::vector<std::uint64_t>>> disturbed; // and the numbers of chains
    for (const Result& sweep : sweeps) {
        std::vector<Notice> notices = disturbed_sizes(sweep);
        std::ranges::copy_if(sweep.warnings, std::back_inserter(notices), is_listed);
        for (const Notice& notice : notices) {
            auto same = std::ranges::find(disturbed, notice, [](const auto& known) { return known.first; });
            if (same == disturbed.end())
                same = disturbed.insert(same, {notice, {}});
            same->second.push_back(sweep.run.parallel.value_or(1));
        }
    }
    for (const auto& [notice, chains] : disturbed)
        add(list,
            chains.size() == sweeps.size() ? "parallel chains"
                                           : fmt::format("parallel chains ({})", fmt::join(chains, ", ")),
            {notice});
}

std::vector<Disturbance> disturbances_of(const ReportResults& results) {
    std::vector<Disturbance> list;
    const auto add_warnings = [&](std::string_view name, const Result& result) {
        std::vector<Notice> warnings;
        std::ranges::copy_if(result.warnings, std::back_inserter(warnings), is_listed);
        add(list, name, warnings);
    };
    const auto add_sweep = [&](const std::string& name, const Result& sweep) {
        add(list, name, disturbed_sizes(sweep));
        add_warnings(name, sweep);
    };
    if (results.small_pages)
        add_sweep("small pages", *results.small_pages);
    if (results.huge_pages)
        add_sweep("huge pages", *results.huge_pages);
    add_parallel(list, results.parallel);
    for (const Result& sweep : results.other_kinds)
        add_sweep(fmt::format("{}", fmt::join(sweep.run.core_kinds.value_or(std::vector<std::string>{}), ", ")), sweep);
    for (const auto& [name, result] : {std::pair("translation", &results.tlb),
                                       {"nodes", &results.nodes},
                                       {"cores", &results.cores},
                                       {"loaded", &results.loaded},
                                       {"tail", &results.tail},
                                       {"prefetchers", &results.prefetch}}) {
        if (*result)
            add_warnings(name, **result);
    }
    return list;
}

/// A sentence for each reason.
std::vector<std::string> missing_of(const ReportResults& results) {
    std::vector<MissingPart> all = results.missing;
    if (results.huge_pages && !results.has_huge_pages())
        all.push_back({"huge pages", fmt::format("the kernel gave {}{}", pages_of(*results.huge_pages),
                                                 results.huge_pages->run.transparent_policy
                                                     ? fmt::format(" (transparent huge pages: {})",
                                                                   *results.huge_pages->run.transparent_policy)
                                                     : "")});
    std::vector<std::pair<std::string, std::vector<std::string>>> reasons; // and the parts that lack for each
    for (const auto& [name, reason] : all) {
        const std::string part = part_in_words(name);
        auto same = std::ranges::find(reasons, reason, [](const auto& known) { return known.first; });
        if (same == reasons.end())
            same = reasons.insert(same, {reason, {}});
        if (std::ranges::count(same->second, part) == 0)
            same->second.push_back(part);
    }
    std::vector<std::string> sentences;
    for (const auto& [reason, parts] : reasons)
        sentences.push_back(fmt::format("{}: {}", fmt::join(parts, ", "), reason));
    return sentences;
}

/// The machine as the first of the runs describes it.
RunDescription run_of(const ReportResults& results) {
    const auto of = [](const std::optional<Result>& result) { return result ? &*result : nullptr; };
    const auto first = [](const std::vector<Result>& several) { return several.empty() ? nullptr : &several.front(); };
    for (const Result* result :
         {of(results.small_pages), of(results.huge_pages), first(results.parallel), of(results.tlb), of(results.loaded),
          of(results.tail), of(results.cores), of(results.nodes), of(results.prefetch), first(results.other_kinds)}) {
        if (result != nullptr)
            return result->run;
    }
    return {};
}

/// The title, and the machine.
Page opening_of(const RunDescription& run) {
    const auto with = [](std::string_view words, const std::optional<std::string>& value) {
        return value ? fmt::format("{}{}", words, *value) : "";
    };
    std::string processor = run.processors ? "processor " + format_ids(run.processors->ids) : "processor not known";
    if (run.core_kinds)
        processor += fmt::format(" ({})", fmt::join(*run.core_kinds, ", "));
    if (run.virtual_machine.value_or(false))
        processor += fmt::format(" of a virtual machine{}", run.hypervisor ? with(" (", run.hypervisor) + ")" : "");
    if (run.core_clock_ghz)
        processor += fmt::format(", core clock {:.2f} GHz", *run.core_clock_ghz);
    std::vector<std::string> points{processor, run.caches ? "caches " + text_of(*run.caches) : "caches not known"};
    if (run.machine || run.container)
        points.push_back(fmt::format("machine {}{}", run.machine.value_or("not known"),
                                     with(", in a container of ", run.container)));
    if (run.kinds_here)
        points.push_back("kinds of cores: " + text_of(*run.kinds_here));
    if (run.special_nodes)
        points.push_back("NUMA nodes: " + text_of(*run.special_nodes));
    if (run.memory_policy)
        points.push_back("memory policy " + text_of(*run.memory_policy));
    if (run.memory_clocks)
        points.push_back("memory clock " + text_of(*run.memory_clocks));
    points.push_back(fmt::format("{}{}{}{}", run.kernel.value_or("kernel not known"),
                                 with(", transparent huge pages ", run.transparent_policy),
                                 with(", memtest ", run.version), with(", ", run.start)));
    return {.title = "Memory of " + run.cpu_model.value_or(run.machine.value_or("a machine")),
            .machine = std::move(points)};
}

/// What someone would post of the machine: caches, memory, what huge pages save, what busy neighbours cost, and what
/// casts doubt on it.
std::vector<std::string> summary_of(const ReportResults& results, const std::vector<Disturbance>& disturbances) {
    std::vector<std::string> sentences;
    if (const auto best = best_sweep_of(results)) {
        std::string caches;
        const std::vector<LevelRow> levels = level_rows(best->levels);
        const TextTable table = table_of({&best->levels, 1});
        for (std::size_t place = 0; place < levels.size(); ++place) {
            const std::vector<std::string>& cells = table.rows[place + 1];
            if (levels[place].is_memory())
                sentences.push_back(fmt::format("An access to memory takes {} in {}.", cells[3], pages_of(*best)));
            else
                caches += fmt::format("{}{} {}{}", caches.empty() ? "" : ", ", cells[0], cells[1],
                                      cells[3].empty() ? "" : " at " + cells[3]);
        }
        if (!caches.empty())
            sentences.insert(sentences.begin(), fmt::format("Caches: {}.", caches));
    }
    std::vector<TranslationCost> costs = translation_costs_of(results);
    std::erase_if(costs, [](const TranslationCost& cost) { return !is_shown(cost); });
    if (!costs.empty())
        sentences.push_back(ending_of(costs, {}).sentence);
    if (results.loaded) {
        const LoadCurve curve = read_load_curve(load_curves_of(*results.loaded).front().points);
        if (std::string sentence = load_sentence(curve); !sentence.empty())
            sentences.push_back(std::move(sentence));
    }
    for (const auto& [name, notice] : disturbances) {
        if (is_on_whole_result(notice)) {
            sentences.push_back(fmt::format("Read with care: {} ({}).", notice.text, name));
            break;
        }
    }
    return sentences;
}

std::vector<std::string> sentences_of(const std::vector<Disturbance>& disturbances, bool of_whole) {
    std::vector<std::string> sentences;
    for (const auto& [name, notice] : disturbances) {
        if (is_on_whole_result(notice) == of_whole)
            sentences.push_back(fmt::format("{}: {}", name, sentence_of(notice)));
    }
    return sentences;
}

} // namespace

Page page_of(const ReportResults& results) {
    const std::vector<Disturbance> disturbances = disturbances_of(results);
    Page page = opening_of(run_of(results));
    page.summary = summary_of(results, disturbances);
    page.sections = levels_sections(results);
    page.sections.insert(page.sections.begin(),
                         {.heading = "Read with care", .points = sentences_of(disturbances, true)});
    for (Section& section : std::vector<Section>{translation_section(results),
                                                 parallel_section(results),
                                                 prefetch_section(results),
                                                 cores_section(results),
                                                 nodes_section(results),
                                                 loaded_section(results),
                                                 tail_section(results),
                                                 beside_section(results),
                                                 {.heading = "What was disturbed",
                                                 .opening = disturbances.empty() ? "No disturbance was detected." : "",
                                                 .points = sentences_of(disturbances, false)},
                                                 {.heading = "What is missing", .points = missing_of(results)}})
        page.sections.push_back(std::move(section));
    return page;
}

std::string report_page(const ReportResults& results) {
    const Page page = page_of(results);
    const std::string summary =
        joined(page.summary, "", [](const auto& sentence) { return markdown_text(sentence) + "\n"; });
    return below("# " + markdown_text(page.title), {markdown_list(page.machine), summary}) +
           joined(page.sections, "", section_markdown);
}

std::string report_text(const ReportResults& results, std::size_t columns) {
    const Page page = page_of(results);
    const auto in_columns = [&](const Section& section) { return section_text(section, columns); };
    return below(wrapped(escaped(page.title), columns, "  "), {wrapped_list(page.machine, columns)}) +
           joined(page.sections, "", in_columns) + in_columns({.heading = "Summary", .points = page.summary});
}

} // namespace memtest

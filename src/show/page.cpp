#include "memtest/show/page.hpp"

#include "memtest/base/id_list.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/kinds/levels.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/kinds/translation.hpp"
#include "memtest/result/answer.hpp"
#include "memtest/show/page_disturbances.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <utility>

namespace memtest {
namespace {

/// The parts that are not empty, below their heading and separated by empty lines; empty if all parts are.
std::string below(const std::string& heading, std::initializer_list<std::string> parts) {
    std::string text;
    for (const std::string& part : parts)
        text += part.empty() ? "" : "\n" + part;
    return text.empty() ? "" : heading + "\n" + text;
}

/// A form of the page.
struct Form {
    std::string (*shown)(std::string_view);       ///< a text, of which nothing is taken for markup
    std::string (*table)(const TextTable& table); ///< one with such cells; empty without a row
    std::string_view heading_mark;
    std::optional<std::size_t> columns = std::nullopt; ///< in which lines are wrapped

    [[nodiscard]] std::string paragraph(const std::string& text) const {
        return text.empty() ? "" : wrapped_line(shown(text), columns, "");
    }
    [[nodiscard]] std::string list(const std::vector<std::string>& points) const {
        return joined(points, "",
                      [this](const std::string& point) { return wrapped_line("- " + shown(point), columns, "  "); });
    }
    [[nodiscard]] std::string section(const Section& one) const {
        TextTable cells = one.table;
        for (std::vector<std::string>& row : cells.rows)
            std::ranges::transform(row, row.begin(), shown);
        return below(fmt::format("\n{}{}", heading_mark, shown(one.heading)),
                     {paragraph(one.opening), table(cells), paragraphs(one.sentences), list(one.points), one.plot});
    }
    [[nodiscard]] std::string paragraphs(const std::vector<std::string>& texts) const {
        return joined(texts, "", [this](const std::string& text) { return paragraph(text); });
    }
    [[nodiscard]] std::string sections(const std::vector<Section>& all) const {
        return joined(all, "", [this](const Section& one) { return section(one); });
    }
};

std::vector<std::string> sentences_of(const std::vector<Notice>& notices) {
    std::vector<std::string> sentences;
    std::ranges::transform(notices, std::back_inserter(sentences), sentence_of);
    return sentences;
}

/// The pages that its figures are of.
std::string pages_of(const BestSweep& best) {
    return pages_in_words(best.sweep.run) + (best.translation_is_off ? ", less what translation adds" : "");
}

Section levels_of(const BestSweep& best) {
    const std::string kinds = core_kinds_of(best.sweep);
    std::vector<Notice> notices = remarks_on(best.levels);
    constexpr std::array of_levels{Code::little_memory, Code::translation_untold};
    std::ranges::copy_if(best.sweep.warnings, std::back_inserter(notices),
                         [&](const Notice& warning) { return std::ranges::count(of_levels, warning.code) > 0; });
    return {.heading = kinds.empty() ? "Levels" : "Levels of " + kinds,
            .opening = fmt::format("In random order, {}.", pages_of(best)),
            .table = level_table({&best.levels, 1}),
            .points = sentences_of(notices)};
}

std::string plot_called(const PageExtras& extras, std::string_view name) {
    const auto found = extras.plots.find(name);
    return found == extras.plots.end() ? "" : found->second;
}

/// Those of the measured processor, then of each other kind of core; the last with the plot of all.
std::vector<Section> levels_sections(const std::optional<BestSweep>& best, const StoredFile& report,
                                     const PageExtras& extras) {
    std::vector<Section> sections;
    if (best)
        sections.push_back(levels_of(*best));
    for (const Result& sweep : parts_of(report, "kinds"))
        sections.push_back(levels_of({.sweep = sweep, .levels = report_levels(sweep).front()}));
    if (!sections.empty())
        sections.back().plot = plot_called(extras, "sweep");
    return sections;
}

/// A row for each machine, this one first.
Section beside_section(const StoredFile& report, const PageExtras& extras) {
    if (extras.beside.empty())
        return {};
    std::vector<MachineInBrief> machines{in_brief(report, extras.name)};
    machines.insert(machines.end(), extras.beside.begin(), extras.beside.end());
    return {.heading = "Beside other machines",
            .opening =
                "Caches are best estimates. Memory is the latency in random order without load, in ns; Knee the "
                "bandwidth at which latency starts to rise, in GB/s; p99.9 that of the largest size without load, in "
                "ns; Near and Far are transfers between the nearest and the farthest cores, in ns.",
            .table = table_of(machines),
            .plot = plot_called(extras, "beside")};
}

/// What huge pages save, in the words of `memtest translation`, and at a few sizes: 64 KiB, 256 KiB, 1 MiB and so on,
/// and the one that the words quote.
Section savings_section(const StoredFile& report) {
    const std::vector<TranslationCost> costs = translation_costs_of(report);
    if (costs.empty())
        return {};
    Section section{.heading = "What huge pages save",
                    .table = table_of_numbers({"Size", "Small pages (ns)", "Huge pages (ns)", "Translation (ns)"}),
                    .sentences = answer_of(costs, {}).sentences};
    const TranslationCost* const quoted = quoted_cost(costs);
    for (const TranslationCost& cost : costs) {
        const double fours = std::log2(cost.size_bytes / (64 * kib)) / 2;
        if (&cost == quoted || (fours >= 0 && fours == std::floor(fours)))
            section.table.rows.push_back(
                {rounded_size(cost.size_bytes), fixed(cost.small_pages_ns, 1), fixed(cost.huge_pages_ns, 1),
                 cost.cost_ns ? fixed(*cost.cost_ns, 1) : std::string(word_of(*cost.withheld))});
    }
    return section;
}

Section parallel_section(const StoredFile& report) {
    const std::vector<ParallelChains> all = parallel_chains_in(report.results);
    if (all.empty())
        return {};
    const Result sweep = parts_of(report, "parallel").front();
    Section section{.heading = "Memory-level parallelism",
                    .opening = fmt::format("Independent chains side by side through {}, {}.",
                                           rounded_size(static_cast<double>(sweep.rows_of<Row>().back().size_bytes)),
                                           pages_in_words(sweep.run)),
                    .table = table_of_numbers({"Chains", "Time per access (ns)", "Times as fast"})};
    for (const auto& [chains, ns, times] : all)
        section.table.rows.push_back({fmt::format("{}", chains), fixed(ns, 2), fixed(times, 1)});
    if (const auto slowed = slowed_single_chain(all))
        section.points.push_back(sentence_of(*slowed));
    return section;
}

/// What a part says by itself.
Section section_of(const Result& part, const PageExtras& extras) {
    Answer answer = answer_of(part);
    return {.heading = capitalised(part_in_words(part.part)),
            .opening = std::move(answer.title),
            .table = std::move(answer.table),
            .sentences = std::move(answer.sentences),
            .points = sentences_of(answer.notes),
            .plot = plot_called(extras, part.part)};
}

constexpr std::string_view no_disturbance = "No disturbance was detected.";

/// A sentence for each reason.
std::vector<std::string> missing_of(const StoredFile& report) {
    std::vector<MissingPart> all = report.missing;
    const Result* huge = find_part(report.results, "huge");
    if (huge != nullptr && huge_pages_of(report) == nullptr)
        all.push_back({"huge", fmt::format("the kernel gave {}{}", pages_in_words(huge->run),
                                           huge->run.transparent_policy ? fmt::format(" (transparent huge pages: {})",
                                                                                      *huge->run.transparent_policy)
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

/// That of the first part that was not measured on another kind of core.
RunDescription run_of(const StoredFile& report) {
    const auto first =
        std::ranges::find_if(report.results, [](const Result& part) { return section_of_part(part.part) != "kinds"; });
    return first != report.results.end() ? first->run
           : report.results.empty()      ? RunDescription()
                                         : report.results.front().run;
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
    if (const auto ghz = run.core_clocks_ghz ? run.core_clocks_ghz->front() : run.core_clock_ghz)
        processor += fmt::format(", core clock {:.2f} GHz", *ghz);
    std::vector<std::string> points{processor, run.caches ? "caches " + text_of(*run.caches) : "caches not known"};
    if (run.machine || run.container)
        points.push_back(fmt::format("machine {}{}", run.machine.value_or("not known"),
                                     with(", in a container of ", run.container)));
    const auto add = [&](std::string_view words, const auto& value) {
        if (value)
            points.push_back(fmt::format("{}{}", words, text_of(*value)));
    };
    add("kinds of cores: ", run.kinds_here);
    add("NUMA nodes: ", run.special_nodes);
    add("memory policy ", run.memory_policy);
    add("memory clock ", run.memory_clocks);
    points.push_back(fmt::format("{}{}{}{}", run.kernel.value_or("kernel not known"),
                                 with(", transparent huge pages ", run.transparent_policy),
                                 with(", memtest ", run.version), with(", ", run.start)));
    return {.title = "Memory of " + run.cpu_model.value_or(run.machine.value_or("a machine")),
            .machine = std::move(points)};
}

/// "201 ns (138 at 512 MiB to 340 at 2 GiB)" where it grows with the size; else as the cell has it.
std::string latency_of_memory(const LevelLatency& memory, const std::string& cell) {
    return !memory.rises() ? cell + " ns"
                           : fmt::format("{} ns ({} at {} to {} at {})", three_digits(memory.latency_ns),
                                         three_digits(memory.from_ns), rounded_size(memory.from_bytes),
                                         three_digits(memory.to_ns), rounded_size(memory.to_bytes));
}

/// The levels of its best sweep, in sentences.
std::vector<std::string> levels_in_sentences(const BestSweep& best) {
    std::string caches;
    std::string memory;
    const std::vector<LevelRow> levels = level_rows(best.levels);
    const TextTable table = level_table({&best.levels, 1});
    for (std::size_t place = 0; place < levels.size(); ++place) {
        const std::vector<std::string>& cells = table.rows[place + 1];
        if (levels[place].is_memory())
            memory = fmt::format("An access to memory takes {} in {}.",
                                 latency_of_memory(*best.levels.hierarchy.memory, cells[2]), pages_of(best));
        else
            caches += fmt::format("{}{} {}{}{}", caches.empty() ? "Caches: " : "; ", cells[0],
                                  cells[2].empty() ? "" : cells[2] + " ns, ", cells[1],
                                  levels[place].contested_to_kib                         ? ", contested"
                                  : levels[place].capacity_confidence == Confidence::low ? ", uncertain"
                                                                                         : "");
    }
    std::vector<std::string> sentences;
    if (!caches.empty())
        sentences.push_back(caches + ".");
    if (!memory.empty())
        sentences.push_back(memory);
    return sentences;
}

/// What someone would post of the machine: caches, memory, what huge pages save, what busy neighbours cost, and what
/// casts doubt on it.
std::vector<std::string> summary_of(const std::optional<BestSweep>& best, const StoredFile& report,
                                    const Section& savings, const std::vector<Disturbance>& disturbances) {
    std::vector<std::string> sentences;
    if (best)
        sentences = levels_in_sentences(*best);
    std::ranges::copy(savings.sentences, std::back_inserter(sentences));
    if (const Result* loaded = find_part(report.results, "loaded")) {
        const Answer answer = answer_of(*loaded);
        if (!answer.sentences.empty())
            sentences.push_back(answer.sentences.front());
        if (best && loaded->run.estimate == Estimate::median && answer.sentences.size() > 1)
            sentences.back() += " " + answer.sentences.back(); // why a sweep may show less
    }
    constexpr std::size_t most = 3; // reasons
    std::vector<std::string> reasons;
    for (const bool are_sizes : {false, true}) { // others say why these were disturbed
        for (const Disturbance& doubt : disturbances) {
            if (is_on_whole_result(doubt.notice) && (doubt.notice.code == Code::disturbed_sizes) == are_sizes)
                reasons.push_back(fmt::format("{} ({})", doubt.notice.text, parts_in_words(doubt.parts, report)));
        }
    }
    if (reasons.size() > most) {
        const std::string more = counted(reasons.size() - most, "more reason");
        reasons.resize(most);
        reasons.push_back("and " + more);
    }
    if (!reasons.empty())
        sentences.push_back(fmt::format("Read with care: {}.", fmt::join(reasons, "; ")));
    else if (!report.results.empty() && is_quiet(report, disturbances))
        sentences.emplace_back(no_disturbance);
    return sentences;
}

std::vector<std::string> sentences_of(const std::vector<Disturbance>& disturbances, bool of_whole,
                                      const StoredFile& report) {
    std::vector<std::string> sentences;
    for (const auto& [notice, parts] : disturbances) {
        if (is_on_whole_result(notice) == of_whole)
            sentences.push_back(fmt::format("{}: {}", parts_in_words(parts, report), sentence_of(notice)));
    }
    return sentences;
}

} // namespace

Page page_of(const StoredFile& report, const PageExtras& extras) {
    const std::vector<Disturbance> disturbances = disturbances_of(report);
    Page page = opening_of(run_of(report));
    const auto add = [&](Section section) { page.sections.push_back(std::move(section)); };
    const std::optional<BestSweep> best = best_sweep_of(report);
    Section savings = savings_section(report);
    page.summary = summary_of(best, report, savings, disturbances);
    add({.heading = "Read with care", .points = sentences_of(disturbances, true, report)});
    std::ranges::for_each(levels_sections(best, report, extras), add);
    add(std::move(savings));
    add(parallel_section(report));
    for (const Result& part : report.results) {
        if (part.kind != &sweep_kind)
            add(section_of(part, extras));
    }
    add(beside_section(report, extras));
    add({.heading = "What was disturbed",
         .opening = is_quiet(report, disturbances) ? std::string(no_disturbance) : "",
         .points = sentences_of(disturbances, false, report)});
    add({.heading = "What is missing", .points = missing_of(report)});
    return page;
}

std::string report_page(const Page& page) {
    const Form form{.shown = markdown_text, .table = markdown_table, .heading_mark = "## "};
    return below("# " + markdown_text(page.title), {form.list(page.machine), form.paragraphs(page.summary)}) +
           form.sections(page.sections);
}

std::string report_text(const Page& page, std::size_t columns) {
    const auto table = [](const TextTable& cells) { return cells.rows.size() < 2 ? "" : aligned_text(cells); };
    const Form form{.shown = escaped, .table = table, .heading_mark = "", .columns = columns};
    return below(wrapped(escaped(page.title), columns, "  "), {form.list(page.machine)}) +
           form.sections(page.sections) + form.section({.heading = "Summary", .points = page.summary});
}

} // namespace memtest

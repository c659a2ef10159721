#include "memtest/kinds/cores.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/words.hpp"
#include "memtest/kinds/figures.hpp"
#include "memtest/kinds/matrix.hpp"
#include "memtest/measure/statistics.hpp"
#include "memtest/result/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string_view>

namespace memtest {
namespace {

List range(const std::pair<double, double>& ns) {
    return {figure(ns.first), figure(ns.second)};
}

/// The names of the kinds that a group of processors has.
std::string kinds_in(const std::vector<int>& group, const std::vector<CoreKind>& kinds) {
    std::vector<std::string> names;
    for (const CoreKind& kind : kinds) {
        if (std::ranges::find_first_of(kind.processors, group) != kind.processors.end())
            names.push_back(kind.name);
    }
    return joined(names, " and ", std::identity());
}

Finding group_finding(const CoreGroups& parting, const std::vector<CoreKind>& kinds) {
    Members members{{"processors", parting.groups},
                    {"within_ns", range(parting.within_ns)},
                    {"between_ns", range(parting.between_ns)}};
    if (!kinds.empty()) {
        List names;
        for (const std::vector<int>& group : parting.groups)
            names.emplace_back(kinds_in(group, kinds));
        members.set("kinds", std::move(names));
    }
    return {"groups", {Code::core_groups, members}, {{"groups", List{members}}}};
}

/// Those of each parting; else the range of the latencies, if there are enough pairs to show groups.
std::vector<Finding> group_findings(const std::vector<CoreGroups>& partings, const CoresReport& report) {
    std::vector<Finding> list;
    for (const CoreGroups& parting : partings)
        list.push_back(group_finding(parting, report.kinds));
    if (list.empty() && report.pairs.size() > 1) {
        const auto [quickest, slowest] = std::ranges::minmax(report.pairs, {}, &CorePair::latency_ns);
        list.push_back({"groups",
                        {Code::no_core_groups,
                         {{"lowest_ns", figure(quickest.latency_ns)}, {"highest_ns", figure(slowest.latency_ns)}}}});
    }
    return list;
}

/// The processors of the groups in each parting.
List groups_in(const std::vector<CoreGroups>& partings) {
    List groups;
    for (const CoreGroups& parting : partings)
        groups.emplace_back(parting.groups);
    return groups;
}

/// A notice if the moments do not show the same groups.
std::optional<Notice> change_of_groups(const std::vector<CoreGroups>& partings,
                                       const std::vector<std::vector<CorePair>>& at_moments) {
    const Value groups = groups_in(partings);
    List moments;
    for (const std::vector<CorePair>& pairs : at_moments)
        moments.emplace_back(groups_in(group_cores(pairs)));
    if (std::ranges::all_of(moments, [&](const Value& moment) { return moment == groups; }))
        return std::nullopt;
    return Notice(Code::groups_changed, {{"moments", std::move(moments)}});
}

Notice notice_of(const Contradiction& contradiction, std::string_view last_cache) {
    const CorePair& pair = contradiction.pair;
    return {Code::contradicted_relation,
            {{"reader", pair.reader},
             {"owner", pair.owner},
             {"relation", word_of(pair.relation)},
             {"last_cache", last_cache},
             {"latency_ns", figure(pair.latency_ns)},
             {"others", contradiction.pairs - 1}}};
}

List list_of(const std::vector<std::pair<int, int>>& all) {
    List pairs;
    for (const auto& [reader, owner] : all)
        pairs.emplace_back(List{reader, owner});
    return pairs;
}

/// A remark on pairs, which are also members of the document.
Finding remark_on_pairs(Code code, Members values, const Members& members) {
    Finding finding = remark({code, std::move(values)});
    finding.members = members;
    return finding;
}

/// A row for each reader and a column for each owner, in ns; empty for more processors than fit, which leaves them to
/// the plot.
TextTable table_of_pairs(const std::vector<CoresRow>& rows) {
    constexpr std::size_t most_processors = 10;
    std::set<int> readers;
    std::set<int> owners;
    std::set<int> all;
    std::map<std::pair<int, int>, std::optional<double>> latency_ns;
    for (const CoresRow& row : rows) {
        readers.insert(row.reader);
        owners.insert(row.owner);
        all.insert({row.reader, row.owner});
        latency_ns[{row.reader, row.owner}] = row.latency_ns;
    }
    if (all.size() > most_processors)
        return {};
    std::vector<std::string> header{std::string(cores_kind.columns()[0].name)};
    for (const int owner : owners)
        header.push_back(fmt::format("{}", owner));
    TextTable table = table_of_numbers(std::move(header));
    for (const int reader : readers) {
        auto& cells = table.rows.emplace_back(std::vector{fmt::format("{}", reader)});
        for (const int owner : owners)
            cells.push_back(fixed(latency_ns[{reader, owner}], 1));
    }
    return table;
}

/// Whether the visits to a pair differ by less than half.
bool is_steady(const CoresRow& row) {
    return !row.low_ns || !row.high_ns || *row.high_ns < 1.5 * *row.low_ns;
}

/// Whether a host may have moved the processors of the pair between its visits.
bool may_have_moved(const CoresRow& row, const Result& cores) {
    return cores.run.virtual_machine.value_or(false) && !is_steady(row);
}

/// The latency, whether it changed, and what that means.
std::string sentence_on_pair(const CoresRow& row, const Result& cores) {
    constexpr double least_between_cores_ns = 8; // cores that share an L2 take more
    const bool has_moved = std::ranges::count(cores.remarks, Code::pairs_moved, &Notice::code) > 0;
    const bool is_guest = cores.run.virtual_machine.value_or(false);
    const std::string way = fmt::format("from processor {} to {}", row.owner, row.reader);
    const std::string range =
        row.low_ns && row.high_ns ? fmt::format(" ({:.1f} to {:.1f} ns)", *row.low_ns, *row.high_ns) : "";
    const std::string_view line = cores.run.clean_lines.value_or(false) ? "An unchanged line" : "A line";
    const std::string latency = fmt::format("{} takes {:.1f} ns {}", line, *row.latency_ns, way);
    const bool is_moving = may_have_moved(row, cores);
    if (row.latency_ns < least_between_cores_ns && row.relation != Relation::same_core && !is_moving)
        return fmt::format("{}{}, as within one core: {}.", latency, range,
                           is_guest ? "the host runs both on one; measure again"
                                    : "the system reports two, but they share one");
    if (is_moving && has_moved)
        return fmt::format("{} takes {:.1f} ns or more {} while the host runs both {}, and up to {:.1f} ns while it "
                           "runs them apart (median of all moments {:.1f} ns).",
                           line, *row.low_ns, way,
                           *row.low_ns < least_between_cores_ns ? "on one core" : "near each other", *row.high_ns,
                           *row.latency_ns);
    if (is_moving)
        return fmt::format("{} took {:.1f} to {:.1f} ns (median {:.1f}) {} in this run: other work disturbed some "
                           "moments, or the host moved these processors.",
                           line, *row.low_ns, *row.high_ns, *row.latency_ns, way);
    if (has_moved && range.empty())
        return fmt::format("{}, but that changed while it was measured: the host moves these processors.", latency);
    if (!is_steady(row))
        return fmt::format("{}; other work disturbed some moments{}, and the figure is that of the undisturbed ones.",
                           latency, range);
    return fmt::format("{}{}{}.", latency,
                       row.low_ns && row.high_ns
                           ? fmt::format(", between {:.1f} and {:.1f} ns at its visits", *row.low_ns, *row.high_ns)
                           : "",
                       is_guest ? "; the host may place them elsewhere in another run" : "");
}

/// Whether all are of the same two processors, one or both ways.
bool is_one_pair(const std::vector<CorePair>& pairs) {
    return std::ranges::all_of(pairs, [&first = pairs.front()](const CorePair& pair) {
        return std::minmax(pair.reader, pair.owner) == std::minmax(first.reader, first.owner);
    });
}

Answer answer_of_cores(const Result& cores) {
    const auto& rows = cores.rows_of<CoresRow>();
    const CoresReport report = stored_cores(cores);
    Answer answer{.notes = cores.remarks};
    if (report.pairs.empty())
        return answer;
    if (is_one_pair(report.pairs)) {
        for (const CoresRow& row : rows) {
            if (!row.latency_ns)
                continue;
            answer.sentences.push_back(sentence_on_pair(row, cores));
            if (may_have_moved(row, cores)) // the sentence says that
                std::erase_if(answer.notes, [](const Notice& note) {
                    return note.code == Code::pairs_moved || note.code == Code::bimodal_pairs;
                });
        }
        return answer;
    }
    answer.table = table_of_pairs(rows);
    if (!answer.table.rows.empty())
        answer.title = "Latency in ns, a row for each reader and a column for each owner:";
    for (const Finding& finding : cores_findings(report).list) {
        if (!finding.is_remark)
            answer.sentences.push_back(fmt::format("Groups: {}.", sentence_of(finding.notice)));
    }
    if (answer.sentences.empty())
        answer.sentences = {"Groups: not known."};
    return answer;
}

/// std::nullopt if the frame has no cache of a sweep with huge pages.
std::optional<double> size_in_last_cache(const Frame& frame) {
    const auto levels = frame.find("huge");
    if (levels == frame.end())
        return std::nullopt;
    std::optional<double> bytes;
    for (const SizeRange& level : levels->second) {
        if (level.name != memory_level)
            bytes = std::sqrt(level.from_bytes * level.to_bytes);
    }
    return bytes;
}

/// The median of all pairs and of those of each relation.
void add_pairs(FigureList& list, const Result& cores) {
    const std::optional<double> at_bytes = size_in_last_cache(list.frame());
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

Plot plot_cores(const std::vector<Result>& results, const std::vector<std::string>& /*labels*/,
                const PlotStyle& /*style*/) {
    const Result& cores = results.front();
    std::vector<MatrixCell> cells;
    for (const CoresRow& row : cores.rows_of<CoresRow>())
        cells.push_back({row.reader, row.owner, row.latency_ns});
    const bool are_clean = cores.run.clean_lines.value_or(false);
    return heat_map_of(cores, are_clean ? "Core-to-core latency of a clean line" : "Core-to-core latency",
                       "latency (ns)", cells, true);
}

} // namespace

const KindOf<CoresRow>
    cores_kind({.command = "cores",
                .findings = {{"groups"}, {"moved"}, {"bimodal"}},
                .parts = {{"cores", "cores", "core-to-core latency"}},
                .answer = answer_of_cores,
                .add_figures = add_pairs,
                .plot = plot_cores},
               {column_of<&CoresRow::reader>("Reader", "reader", "the processor that reads the lines", id_column),
                column_of<&CoresRow::owner>("Owner", "owner", "the processor whose caches hold them", id_column),
                cell_field<&CoresRow::latency_ns>(),
                column_of<&CoresRow::relation>("Relation", "relation", "what the two share, as the system reports it"),
                column_of<&CoresRow::low_ns>("Low (ns)", "low_ns", "the least of the visits", in_stats),
                column_of<&CoresRow::high_ns>("High (ns)", "high_ns", "the most of them", in_stats)});

Findings cores_findings(const CoresReport& report) {
    Findings findings{.told = true};
    if (!report.moved.empty() && report.has_groups) { // other work moves transfers, too
        const List pairs = list_of(report.moved);
        findings.list.push_back(remark_on_pairs(
            Code::pairs_moved,
            {{"pairs", pairs}, {"of", report.pairs.size()}, {"seconds", figure(report.seconds, decimals(1))}},
            {{"moved", pairs}, {"bimodal", list_of(report.bimodal)}}));
        if (report.left_out)
            findings.list.push_back(remark(*report.left_out));
        return findings;
    }
    const std::vector<CoreGroups> partings = group_cores(report.pairs);
    if (const auto changed = change_of_groups(partings, report.at_moments))
        findings.list.push_back(remark(*changed));
    else if (report.has_groups)
        findings.list = group_findings(partings, report);
    if (report.left_out)
        findings.list.push_back(remark(*report.left_out));
    if (report.has_groups) {
        for (const Contradiction& contradiction : contradictions_of(report.pairs))
            findings.list.push_back(remark(notice_of(contradiction, report.last_cache)));
    }
    if (const List pairs = list_of(report.bimodal); !pairs.empty())
        findings.list.push_back(remark_on_pairs(Code::bimodal_pairs, {{"pairs", pairs}}, {{"bimodal", pairs}}));
    return findings;
}

CoresReport stored_cores(const Result& cores) {
    CoresReport report;
    for (const CoresRow& row : cores.rows_of<CoresRow>()) {
        if (row.latency_ns)
            report.pairs.push_back({.reader = row.reader, .owner = row.owner, .latency_ns = *row.latency_ns});
    }
    report.kinds = cores.run.kinds_here.value_or(std::vector<CoreKind>{});
    report.has_groups = !is_cut_short(cores) && std::ranges::none_of(cores.warnings, is_disturbance) &&
                        std::ranges::none_of(cores.remarks, [](const Notice& notice) {
                            return notice.code == Code::groups_changed || notice.code == Code::pairs_moved;
                        });
    return report;
}

} // namespace memtest

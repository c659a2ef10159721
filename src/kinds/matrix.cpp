#include "memtest/kinds/matrix.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string_view>

namespace memtest {
namespace {

constexpr Column id(std::string_view name, std::string_view member, std::string_view meaning) {
    return {.name = name,
            .member = member,
            .meaning = meaning,
            .type = Column::Type::count,
            .highest = 2147483647,
            .needed = true};
}

constexpr Column cell_column{
    .name = "Latency (ns)", .member = "latency_ns", .meaning = "time of an access", .lowest = 0.001};

constexpr Column of_visits(std::string_view name, std::string_view member, std::string_view meaning) {
    return {.name = name, .member = member, .meaning = meaning, .group = ColumnGroup::stats};
}

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

/// For enough pairs that show no groups.
Finding spread_finding(const std::vector<CorePair>& pairs) {
    const auto [quickest, slowest] = std::ranges::minmax(pairs, {}, &CorePair::latency_ns);
    return {"groups",
            {Code::no_core_groups,
             {{"lowest_ns", figure(quickest.latency_ns)}, {"highest_ns", figure(slowest.latency_ns)}}}};
}

std::vector<Finding> group_findings(const std::vector<CoreGroups>& partings, const CoresReport& report) {
    const std::vector<CorePair>& pairs = report.pairs;
    std::vector<Finding> list;
    for (const CoreGroups& parting : partings)
        list.push_back(group_finding(parting, report.kinds));
    if (list.empty() && pairs.size() > 1)
        list.push_back(spread_finding(pairs));
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

Finding moved_finding(const CoresReport& report) {
    List modes;
    for (const TransferMode& mode : report.moved->modes)
        modes.emplace_back(Members{{"nearness", word_of(mode.nearness)},
                                   {"percent", figure(mode.percent, decimals(0))},
                                   {"latency_ns", figure(mode.latency_ns)}});
    const List pairs = list_of(report.moved->changed);
    Finding finding = remark({Code::pairs_moved,
                              {{"pairs", pairs},
                               {"of", report.pairs.size()},
                               {"seconds", figure(report.seconds, decimals(1))},
                               {"modes", std::move(modes)}}});
    finding.members.set("moved", pairs);
    finding.members.set("bimodal", list_of(report.bimodal));
    return finding;
}

Finding bimodal_finding(const std::vector<std::pair<int, int>>& bimodal) {
    const List pairs = list_of(bimodal);
    Finding finding = remark({Code::bimodal_pairs, {{"pairs", pairs}}});
    finding.members.set("bimodal", pairs);
    return finding;
}

} // namespace

const KindOf<CoresRow>
    cores_kind({.command = "cores",
                .findings = {{"groups"}, {"moved"}, {"bimodal"}, {"remarks"}},
                .parts = {{"cores", "cores", "core-to-core latency"}}},
               {member_field<&CoresRow::reader, CoresRow>(id("Reader", "reader", "the processor that reads the lines")),
                member_field<&CoresRow::owner, CoresRow>(id("Owner", "owner", "the processor whose caches hold them")),
                member_field<&CoresRow::latency_ns, CoresRow>(cell_column),
                member_field<&CoresRow::relation, CoresRow>({.name = "Relation",
                                                             .member = "relation",
                                                             .meaning = "what the two share, as the system reports it",
                                                             .type = Column::Type::word,
                                                             .longest_word = longest_word<Relation>()}),
                member_field<&CoresRow::low_ns, CoresRow>(of_visits("Low (ns)", "low_ns", "the least of the visits")),
                member_field<&CoresRow::high_ns, CoresRow>(of_visits("High (ns)", "high_ns", "the most of them"))});

const KindOf<NodesRow> nodes_kind(
    {.command = "nodes",
     .findings = {{"remarks"}},
     .parts = {{"nodes", "nodes", "latency and bandwidth between nodes"}}},
    {member_field<&NodesRow::processors_of, NodesRow>(id("Processors of node", "processors_of_node",
                                                         "the node of the processor that walks")),
     member_field<&NodesRow::memory_of, NodesRow>(id("Memory of node", "memory_of_node", "the node of the memory")),
     member_field<&NodesRow::latency_ns, NodesRow>(cell_column),
     member_field<&NodesRow::bytes_per_ns, NodesRow>(
         {.name = "Bandwidth (GB/s)",
          .member = "bandwidth_gb_s",
          .meaning = "what all processors of the node read together, with --bandwidth",
          .lowest = 0.001,
          .group = ColumnGroup::bandwidth}),
     member_field<&NodesRow::visits_percent, NodesRow>(of_visits("Visits (%)", "visits_percent",
                                                                 "how far the visits disagree on the latency"))});

Findings cores_findings(const CoresReport& report) {
    Findings findings{.told = true};
    if (report.moved && report.has_groups) { // other work moves transfers, too
        findings.list.push_back(moved_finding(report));
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
    if (!report.bimodal.empty())
        findings.list.push_back(bimodal_finding(report.bimodal));
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

std::vector<MatrixCell> cells_of(const Result& matrix) {
    std::vector<MatrixCell> cells;
    if (matrix.kind == &cores_kind) {
        for (const CoresRow& row : matrix.rows_of<CoresRow>())
            cells.push_back({row.reader, row.owner, row.latency_ns});
    } else {
        for (const NodesRow& row : matrix.rows_of<NodesRow>())
            cells.push_back({row.processors_of, row.memory_of, row.latency_ns, row.bytes_per_ns});
    }
    return cells;
}

} // namespace memtest

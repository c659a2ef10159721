#include "memtest/report/matrix.hpp"

#include "memtest/base/id_list.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace memtest {
namespace {

constexpr Column id(std::string_view name, std::string_view member) {
    return {.name = name, .member = member, .type = Column::Type::count, .highest = 2147483647, .needed = true};
}

constexpr Column latency{.name = "Latency (ns)", .member = "latency_ns", .lowest = 0.001};

constexpr std::array cores_columns{id("Reader", "reader"), id("Owner", "owner"), latency,
                                   Column{.name = "Relation", .member = "relation", .type = Column::Type::word}};

constexpr std::array nodes_columns{id("Processors of node", "processors_of_node"),
                                   id("Memory of node", "memory_of_node"), latency};

constexpr std::array cores_members{FindingMember{"groups"}, FindingMember{"bimodal"}, FindingMember{"remarks"}};
constexpr std::array nodes_members{FindingMember{"remarks"}};

Value range(const std::pair<double, double>& ns) {
    return Value::List{{ns.first, decimals(3)}, {ns.second, decimals(3)}};
}

Finding group_finding(const CoreGroups& parting) {
    Value::List groups;
    for (const std::vector<int>& group : parting.groups)
        groups.emplace_back(Value::List(group.begin(), group.end()));
    return {"groups",
            fmt::format("{}; a hand-over takes {:.1f} to {:.1f} ns within a group, {:.1f} to {:.1f} ns between two",
                        joined(parting.groups, " ", format_ids), parting.within_ns.first, parting.within_ns.second,
                        parting.between_ns.first, parting.between_ns.second),
            {{"groups", Value::List{Value::Members{{"processors", std::move(groups)},
                                                   {"within_ns", range(parting.within_ns)},
                                                   {"between_ns", range(parting.between_ns)}}}}}};
}

/// Where pairs enough show no groups.
Finding spread_finding(const std::vector<CorePair>& pairs) {
    const auto [quickest, slowest] = std::ranges::minmax(pairs, {}, &CorePair::latency_ns);
    return {"groups", fmt::format("none; hand-overs take {:.1f} to {:.1f} ns, without a gap that parts the processors",
                                  quickest.latency_ns, slowest.latency_ns)};
}

std::string said_of(Relation relation, std::string_view last_cache) {
    switch (relation) {
    case Relation::same_core:
        return "are said to be on one core";
    case Relation::same_last_cache:
        return fmt::format("are said to share an {}", last_cache);
    case Relation::same_package:
        return "are said to be in one package and share no cache";
    case Relation::different_packages:
        break;
    }
    return "are said to be in different packages";
}

std::string describe(const Contradiction& contradiction, std::string_view last_cache) {
    const CorePair& pair = contradiction.pair;
    const std::size_t others = contradiction.pairs - 1;
    return fmt::format("{} and {} {}; a hand-over takes {:.0f} ns{}", pair.reader, pair.owner,
                       said_of(pair.relation, last_cache), pair.latency_ns,
                       others == 0 ? ""
                                   : fmt::format(" ({} said to be as near contradict{} it, too)",
                                                 counted(others, "other pair"), others == 1 ? "s" : ""));
}

Finding bimodal_finding(const std::vector<std::pair<int, int>>& bimodal) {
    Value::List pairs;
    for (const auto& [reader, owner] : bimodal)
        pairs.emplace_back(Value::List{reader, owner});
    Finding finding = remark(fmt::format(
        "bimodal: {}; their laps fall into two groups: something else may take the processors at times; measure again",
        joined(bimodal, ", ", [](const auto& pair) { return fmt::format("{} from {}", pair.first, pair.second); })));
    finding.members.push_back({"bimodal", std::move(pairs)});
    return finding;
}

} // namespace

const Kind cores_kind{.verb = "cores", .columns = cores_columns, .findings = cores_members};
const Kind nodes_kind{.verb = "nodes", .columns = nodes_columns, .findings = nodes_members};

ResultRow cores_row(int reader, int owner, std::optional<double> latency_ns, Relation relation) {
    return {{reader, owner, latency_ns, word_of(relation)}};
}

ResultRow nodes_row(int processors_of, int memory_of, std::optional<double> latency_ns) {
    return {{processors_of, memory_of, latency_ns}};
}

Findings cores_findings(const CoresReport& report) {
    Findings findings{.told = true};
    for (const CoreGroups& parting : group_cores(report.pairs))
        findings.list.push_back(group_finding(parting));
    if (findings.list.empty() && report.pairs.size() > 1)
        findings.list.push_back(spread_finding(report.pairs));
    if (report.left_out)
        findings.list.push_back(remark(*report.left_out));
    for (const Contradiction& contradiction : contradictions_of(report.pairs))
        findings.list.push_back(remark(describe(contradiction, report.last_cache)));
    if (!report.bimodal.empty())
        findings.list.push_back(bimodal_finding(report.bimodal));
    return findings;
}

std::vector<MatrixCell> cells_of(const Result& matrix) {
    std::vector<MatrixCell> cells;
    for (const ResultRow& row : matrix.rows)
        cells.push_back({static_cast<int>(*row.number(0)), static_cast<int>(*row.number(1)), row.number(2)});
    return cells;
}

} // namespace memtest

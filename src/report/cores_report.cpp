#include "memtest/report/cores_report.hpp"

#include "memtest/base/id_list.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/words.hpp"
#include "memtest/report/json_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace memtest {
namespace {

using Json = nlohmann::ordered_json;

std::string describe(const CoreGroups& parting) {
    return fmt::format("{}; a hand-over takes {:.1f} to {:.1f} ns within a group, {:.1f} to {:.1f} ns between two",
                       joined(parting.groups, " ", format_ids), parting.within_ns.first, parting.within_ns.second,
                       parting.between_ns.first, parting.between_ns.second);
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
                                   : fmt::format(" ({} other pair{} said to be as near contradict{} it, too)", others,
                                                 others == 1 ? "" : "s", others == 1 ? "s" : ""));
}

std::vector<std::string> remarks_on(const CoresReport& report) {
    std::vector<std::string> remarks;
    for (const Contradiction& contradiction : contradictions_of(report.pairs))
        remarks.push_back(describe(contradiction, report.last_cache));
    if (!report.bimodal.empty()) {
        const std::string pairs = joined(report.bimodal, ", ", [](const std::pair<int, int>& pair) {
            return fmt::format("{} from {}", pair.first, pair.second);
        });
        remarks.push_back(fmt::format("bimodal: {}; their laps fall into two groups: something else may take the "
                                      "processors at times; measure again",
                                      pairs));
    }
    return remarks;
}

/// Where pairs enough show no groups.
std::string describe_spread(const std::vector<CorePair>& pairs) {
    const auto [quickest, slowest] = std::ranges::minmax(pairs, {}, &CorePair::latency_ns);
    return fmt::format("none; hand-overs take {:.1f} to {:.1f} ns, without a gap that parts the processors",
                       quickest.latency_ns, slowest.latency_ns);
}

Json range(const std::pair<double, double>& ns) {
    return {json_number(ns.first, 3), json_number(ns.second, 3)};
}

} // namespace

std::vector<std::string> cores_row(int reader, int owner, std::optional<double> latency_ns, Relation relation) {
    return {fmt::format("{}", reader), fmt::format("{}", owner), fixed(latency_ns, 3), std::string(word_of(relation))};
}

KeyedLines cores_lines(const CoresReport& report) {
    KeyedLines lines;
    const auto partings = group_cores(report.pairs);
    for (const CoreGroups& parting : partings)
        lines.emplace_back("groups", describe(parting));
    if (partings.empty() && report.pairs.size() > 1)
        lines.emplace_back("groups", describe_spread(report.pairs));
    for (const std::string& remark : remarks_on(report))
        lines.emplace_back("remark", remark);
    return lines;
}

std::string cores_members(const std::optional<CoresReport>& report) {
    if (!report)
        return json_members({{"groups", nullptr}, {"bimodal", nullptr}, {json_remarks, nullptr}});
    Json groups = Json::array();
    for (const CoreGroups& parting : group_cores(report->pairs))
        groups.push_back({{"processors", parting.groups},
                          {"within_ns", range(parting.within_ns)},
                          {"between_ns", range(parting.between_ns)}});
    return json_members({{"groups", groups}, {"bimodal", report->bimodal}, {json_remarks, remarks_on(*report)}});
}

} // namespace memtest

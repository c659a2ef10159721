#include "memtest/show/page_disturbances.hpp"

#include "memtest/base/text.hpp"
#include "memtest/insight/level_rules.hpp"
#include "memtest/kinds/levels.hpp"
#include "memtest/kinds/report.hpp"
#include "memtest/kinds/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

namespace memtest {
namespace {

/// What tells a part from the others of its section: the number of its chains, or its kinds of cores.
std::string number_of(const Result& part) {
    return part.run.core_kinds ? core_kinds_of(part) : fmt::format("{}", part.run.parallel.value_or(1));
}

std::vector<Notice> disturbed_sizes(const Result& sweep) {
    const auto count =
        std::ranges::count_if(sweep.rows_of<Row>(), [](const Row& row) { return any_disturbing(row.notes); });
    if (count == 0)
        return {};
    return {{Code::disturbed_sizes, {{"count", count}, {"of", sweep.row_count()}}}};
}

} // namespace

std::vector<Disturbance> disturbances_of(const StoredFile& report) {
    std::vector<Disturbance> list;
    for (const Result& part : report.results) {
        std::vector<Notice> notices;
        if (part.kind == &sweep_kind)
            notices = disturbed_sizes(part);
        std::ranges::copy_if(part.warnings, std::back_inserter(notices), [](const Notice& warning) {
            return warning.code != Code::little_memory && warning.code != Code::several_kinds;
        });
        for (const Notice& notice : notices) {
            auto same = std::ranges::find(list, notice, &Disturbance::notice);
            if (same == list.end())
                same = list.insert(same, {notice});
            if (same->parts.empty() || same->parts.back() != &part)
                same->parts.push_back(&part);
        }
    }
    return list;
}

std::string parts_in_words(const std::vector<const Result*>& parts, const StoredFile& report) {
    if (parts.size() > 1 && parts.size() == report.results.size())
        return "all parts";
    std::string names;
    for (auto rest = std::span(parts); !rest.empty();) {
        const ReportPart& first = *part_called(rest.front()->part);
        const auto end =
            std::ranges::find_if(rest, [&](const Result* part) { return part_called(part->part) != &first; });
        const auto alike = rest.first(static_cast<std::size_t>(end - rest.begin()));
        append(names, first.words);
        if (first.is_numbered && alike.size() < parts_of(report, first.section).size())
            names += fmt::format(" ({})", joined(alike, ", ", [](const Result* part) { return number_of(*part); }));
        rest = rest.subspan(alike.size());
    }
    return names;
}

bool is_on_whole_result(const Notice& warning) {
    const double sizes = warning.values["of"].number().value_or(0); // a part of one size tells of that alone
    const double disturbed = warning.values["count"].number().value_or(0);
    return is_disturbance(warning) || warning.code == Code::unsettled ||
           (warning.code == Code::disturbed_sizes && sizes > 1 && disturbed >= LevelRules().many_disturbed * sizes);
}

bool is_quiet(const StoredFile& report, const std::vector<Disturbance>& disturbances) {
    return disturbances.empty() && std::ranges::none_of(report.results, [](const Result& part) {
               constexpr std::array changes{Code::pairs_moved, Code::bimodal_pairs, Code::groups_changed,
                                            Code::disturbed_pairs, Code::several_curves};
               return std::ranges::any_of(
                   part.remarks, [&](const Notice& remark) { return std::ranges::count(changes, remark.code) > 0; });
           });
}

} // namespace memtest

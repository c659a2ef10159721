#include "memtest/result/result.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <type_traits>

namespace memtest {
namespace {

/// How many threads have a row for each size of a sweep.
std::uint64_t threads_of(const Result& sweep) {
    std::set<int> threads;
    for (const Row& row : sweep.rows_of<Row>())
        threads.insert(row.thread);
    return std::max<std::uint64_t>(threads.size(), sweep.run.threads.value_or(1));
}

} // namespace

Rows::Rows() = default;
// Assigned, not constructed: where memory ran out, libstdc++ ends a half constructed copy of a variant that holds only
// vectors as if it were whole, and crashes.
Rows::Rows(const Rows& other) : variant() {
    *this = other;
}
Rows::Rows(Rows&& other) noexcept = default;
Rows& Rows::operator=(const Rows& other) = default;
Rows& Rows::operator=(Rows&& other) noexcept = default;
Rows::~Rows() = default;

std::string shared_cpu_model(const std::vector<Result>& results) {
    const auto& cpu = results.front().run.cpu_model;
    const bool is_shared =
        std::ranges::all_of(results, [&](const Result& result) { return result.run.cpu_model == cpu; });
    return is_shared ? cpu.value_or("") : "";
}

bool has_figure(const Result& result) {
    const auto is_known = []<class RowType>(const RowType& row) {
        if constexpr (std::is_same_v<RowType, LoadRow>)
            return row.latency_ns && row.bytes_per_ns;
        else if constexpr (std::is_same_v<RowType, PercentileRow>)
            return row.p50_ns.has_value();
        else if constexpr (std::is_same_v<RowType, TlbRow>)
            return true;
        else
            return row.latency_ns.has_value();
    };
    return std::visit([&](const auto& rows) { return std::ranges::any_of(rows, is_known); }, result.rows);
}

Value Column::possible(const Value& value) const {
    const auto number = value.number();
    return !is_number() || (number && holds(*number)) ? value : Value();
}

Value Column::written(const Value& value) const {
    return type == Type::figure ? figure(possible(value).number(), digits) : possible(value);
}

Members row_members(const Kind& kind, const std::vector<Value>& values) {
    Members members;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Column& column = kind.columns()[i];
        if (!column.member.empty())
            members.set(column.member, column.written(values[i]));
    }
    return members;
}

std::uint64_t restored_bytes(double size_mib) {
    constexpr double half_step = 0.5e-5 * mib;
    const double stored = size_mib * mib;
    for (const double unit : {1024.0, 64.0, 8.0}) { // a usual size, a usual line, a word
        const double multiple = std::round(stored / unit) * unit;
        if (multiple > 0 && std::abs(multiple - stored) <= half_step)
            return static_cast<std::uint64_t>(multiple);
    }
    return static_cast<std::uint64_t>(std::max(1.0, std::round(stored)));
}

Finding remark(const Notice& notice, std::string_view prefix) {
    return {fmt::format("{}remark", prefix), notice, {}, true};
}

std::vector<Notice> Findings::remarks() const {
    std::vector<Notice> remarks;
    for (const Finding& finding : list) {
        if (finding.is_remark)
            remarks.push_back(finding.notice);
    }
    return remarks;
}

std::string notice_line(std::string_view key, const Notice& notice, std::string_view sentence) {
    return keyed_line(fmt::format("{}[{}]", key, word_of(notice.code)), sentence);
}

std::string finding_lines(const Findings& findings) {
    std::string lines;
    for (const Finding& finding : findings.list) {
        if (!finding.key.empty())
            lines += finding.is_remark ? notice_line(finding.key, finding.notice, sentence_of(finding.notice))
                                       : keyed_line(finding.key, sentence_of(finding.notice));
    }
    return lines;
}

Members finding_members(const Findings& findings, const Kind& kind) {
    Members members;
    for (const FindingMember& finding_member : kind.facts.findings) {
        const std::string_view name = finding_member.name;
        Value single;
        List joined;
        for (const Finding& finding : findings.list) {
            const Value& told = finding.members[name];
            if (told.is_null())
                continue;
            single = told;
            joined.insert(joined.end(), told.list().begin(), told.list().end());
        }
        members.set(name, !finding_member.is_list ? single : findings.told ? Value(std::move(joined)) : Value());
    }
    members.set("remarks", findings.told ? Value(list_of(findings.remarks(), members_of)) : Value());
    return members;
}

bool is_cut_short(const Result& result) {
    return result.cut || (result.run.end && !result.run.end->complete());
}

std::optional<std::string> why_incomplete(const Result& result) {
    if (result.cut)
        return "is truncated: its last line is missing or incomplete";
    const auto& end = result.run.end;
    if (!end)
        return result.run.version ? std::optional("does not say how its run ended") : std::nullopt;
    if (!end->complete())
        return fmt::format("has {} of {} {}{}", end->measured, end->planned, end->things(),
                           end->interrupted ? ": its run was interrupted or failed" : "");
    const std::uint64_t threads = std::holds_alternative<std::vector<Row>>(result.rows) ? threads_of(result) : 1;
    if (result.row_count() == threads * end->measured)
        return std::nullopt;
    return fmt::format("has {}, but its end says {}{}", counted(result.row_count(), "row"),
                       counted(end->measured, end->of_rows ? "row" : "size"),
                       threads == 1 ? "" : fmt::format(" on {} threads", threads));
}

} // namespace memtest

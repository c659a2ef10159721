#include "memtest/result/result_taker.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/result/row_notes.hpp"
#include "memtest/result/run_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <variant>

namespace memtest {
namespace {

// Without limits, endless input would exhaust the memory.
constexpr std::size_t most_rows = 4'100'000; // more than 4096 processors at 1000 sizes have
constexpr std::size_t most_notices = 1'000;  // warnings or remarks

/// Whether the value is of the column's type and range.
bool is_of_type(const Column& column, const Value& value) {
    if (column.type == Column::Type::count && !value.count())
        return false;
    if (column.is_number())
        return value.number() && column.holds(*value.number());
    return column.type == Column::Type::words ? value.is_list() : value.text() != nullptr;
}

/// Refuses a sweep that has a size twice for one thread, as two runs in one file do.
void check_sizes(const Result& sweep) {
    constexpr std::size_t least = 2 * kib; // below, two sizes may have the same five decimals in MiB
    std::vector<std::pair<int, std::size_t>> sizes;
    for (const Row& row : sweep.rows_of<Row>()) {
        if (row.size_bytes >= least)
            sizes.emplace_back(row.thread, row.size_bytes);
    }
    std::ranges::sort(sizes);
    if (const auto twice = std::ranges::adjacent_find(sizes); twice != sizes.end())
        throw usage_error(fmt::format("{}: {} stands twice for thread {}; give one run in each file", sweep.name,
                                      human_size(twice->second), twice->first));
}

void take_notices(std::vector<Notice>& notices, const List& list) {
    for (const Value& notice : list) {
        if (notices.size() < most_notices)
            notices.push_back(notice_in(notice));
    }
}

} // namespace

std::string described(const Kind& kind) {
    return kind.facts.command.empty() ? "a sweep" : fmt::format("a result of 'memtest {}'", kind.facts.command);
}

std::string what_is_wanted(const Column& column) {
    if (column.words != nullptr)
        return "one of " + joined(column.words(), ", ", std::identity());
    if (column.is_word())
        return "text";
    return fmt::format("a {}number from {:g} to {:g}", column.type == Column::Type::count ? "whole " : "",
                       column.lowest, column.highest);
}

void check_kind(const Result& result, const Kind& kind) {
    if (result.kind != &kind)
        throw usage_error(
            fmt::format("{}: holds {}, and {} is needed here", result.name, described(*result.kind), described(kind)));
}

void check_rows(const Result& result) {
    if (result.row_count() == 0)
        throw usage_error(fmt::format("{}: holds no {}rows", result.name, result.cut ? "complete " : ""));
    if (std::holds_alternative<std::vector<Row>>(result.rows))
        check_sizes(result);
}

void check_schema(const Value& document, const std::string& name) {
    const Value& schema = document["schema"];
    if (schema.is_null())
        throw usage_error(fmt::format("{}: is not a result: it lacks `schema`", name));
    if (schema != schema_version)
        throw usage_error(fmt::format("{}: has the schema {}; this program knows {}", name, in_quotes(text_of(schema)),
                                      schema_version));
}

void ResultTaker::take_document(const Value& document) {
    if (!document.has_members())
        throw error("is not a result: its JSON is not an object");
    check_schema(document, result_.name);
    take_command(document);
    result_.resolution_ns = document["resolution_ns"].number();
    for (const Value& row : list_in(document, "rows"))
        take_row(row);
    take_description(document);
}

void ResultTaker::take_description(const Value& document) {
    const Value& run = document["run"];
    if (!run.is_null() && !run.has_members())
        throw error("`run` is not an object");
    take_run(run.members(), false);
    take_run(document.members(), true);
    take_notices(result_.warnings, list_in(document, "warnings"));
    take_notices(result_.remarks, list_in(document, "remarks"));
    for (const Value& of_row : list_in(document, "row_notes"))
        take_row_notes(of_row);
}

void ResultTaker::begin_row() {
    rows_ = result_.kind->add_row(result_.rows);
    if (rows_ > most_rows)
        throw error(fmt::format("holds more than {} rows, which no result does", most_rows));
}

bool ResultTaker::set(std::size_t place, const Value& value) {
    const Column& column = result_.kind->columns()[place];
    if (value.is_null())
        return !column.needed;
    return is_of_type(column, value) && result_.kind->set(result_.rows, place, value);
}

Error ResultTaker::error(std::string_view what) const {
    return usage_error(fmt::format("{}: {}", result_.name, what));
}

/// Empty if the document has none.
const List& ResultTaker::list_in(const Value& document, std::string_view name) const {
    const Value& value = document[name];
    if (!value.is_null() && !value.is_list())
        throw error(fmt::format("`{}` is not a list", name));
    return value.list();
}

void ResultTaker::take_run(const Members& members, bool at_end) {
    for (const auto& [name, value] : members) {
        if (!read_run_member(result_.run, name, value, at_end))
            throw error(fmt::format("{} is {}, which is not known", name, in_quotes(text_of(value))));
    }
}

/// The kind of result, by the name of its command, which a sweep does not have.
void ResultTaker::take_command(const Value& document) {
    const std::string name = text_of(document["command"]);
    const auto kinds = stored_kinds();
    const auto found = std::ranges::find(kinds, name, [](const Kind* kind) { return kind->facts.command; });
    if (found == kinds.end())
        throw error(fmt::format("is of the command {}, whose results are not read", in_quotes(name)));
    result_.kind = *found;
}

/// Takes the notes of a row, for files without a column of notes.
void ResultTaker::take_row_notes(const Value& of_row) {
    auto* rows = std::get_if<std::vector<Row>>(&result_.rows);
    const auto row = of_row["row"].count();
    if (rows != nullptr && row && *row < rows->size())
        add_notes((*rows)[*row], of_row);
}

void ResultTaker::take_row(const Value& members) {
    begin_row();
    const auto columns = result_.kind->columns();
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const Column& column = columns[i];
        if (column.type == Column::Type::detail)
            continue;
        if (column.is_always_there() && !members.members().contains(column.member))
            throw error(fmt::format("row {}: there is no {}", rows_, column.member));
        const Value& value = members[column.member];
        if (!set(i, value))
            throw error(fmt::format("row {}: {} is {}, not {}", rows_, column.member, in_quotes(text_of(value)),
                                    what_is_wanted(column)));
    }
}

} // namespace memtest

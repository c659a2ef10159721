#include "memtest/result/result_taker.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/result/row_notes.hpp"
#include "memtest/result/run_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
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

Error error_in(const Result& result, std::string_view what) {
    return usage_error(fmt::format("{}: {}", result.name, what));
}

/// Empty if the document has none.
const List& list_in(const Result& result, const Value& document, std::string_view name) {
    const Value& value = document[name];
    if (!value.is_null() && !value.is_list())
        throw error_in(result, fmt::format("`{}` is not a list", name));
    return value.list();
}

void take_run(Result& result, const Members& members, bool at_end) {
    for (const auto& [name, value] : members) {
        if (!read_run_member(result.run, name, value, at_end))
            throw error_in(result, fmt::format("{} is {}, which is not known", name, in_quotes(text_of(value))));
    }
}

/// The kind of result, by the name of its command, which a sweep does not have.
void take_command(Result& result, const Value& document) {
    const std::string name = text_of(document["command"]);
    const auto kinds = stored_kinds();
    const auto found = std::ranges::find(kinds, name, [](const Kind* kind) { return kind->facts.command; });
    if (found == kinds.end())
        throw error_in(result, fmt::format("is of the command {}, whose results are not read", in_quotes(name)));
    result.kind = *found;
}

void take_row(Result& result, const Value& members) {
    add_row(result);
    const auto columns = result.kind->columns();
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const Column& column = columns[i];
        if (column.type == Column::Type::detail)
            continue;
        if (column.is_always_there() && !members.members().contains(column.member))
            throw error_in(result, fmt::format("row {}: there is no {}", result.row_count(), column.member));
        const Value& value = members[column.member];
        if (!set_value(result, i, value))
            throw error_in(result, fmt::format("row {}: {} is {}, not {}", result.row_count(), column.member,
                                               in_quotes(text_of(value)), what_is_wanted(column)));
    }
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

void check_schema(const Value& document, const std::string& name) {
    const Value& schema = document["schema"];
    if (schema.is_null())
        throw usage_error(fmt::format("{}: is not a result: it lacks `schema`", name));
    if (schema != schema_version)
        throw usage_error(fmt::format("{}: has the schema {}; this program knows {}", name, in_quotes(text_of(schema)),
                                      schema_version));
}

void take_document(Result& result, const Value& document) {
    if (!document.has_members())
        throw error_in(result, "is not a result: its JSON is not an object");
    check_schema(document, result.name);
    take_command(result, document);
    result.resolution_ns = document["resolution_ns"].number();
    for (const Value& row : list_in(result, document, "rows"))
        take_row(result, row);
    take_description(result, document);
}

void take_description(Result& result, const Value& document) {
    const Value& run = document["run"];
    if (!run.is_null() && !run.has_members())
        throw error_in(result, "`run` is not an object");
    take_run(result, run.members(), false);
    take_run(result, document.members(), true);
    take_notices(result.warnings, list_in(result, document, "warnings"));
    take_notices(result.remarks, list_in(result, document, "remarks"));
    auto* rows = std::get_if<std::vector<Row>>(&result.rows);
    for (const Value& of_row : list_in(result, document, "row_notes")) {
        const auto row = of_row["row"].count();
        if (rows != nullptr && row && *row < rows->size())
            add_notes((*rows)[*row], of_row);
    }
}

void add_row(Result& result) {
    if (result.kind->add_row(result.rows) > most_rows)
        throw error_in(result, fmt::format("holds more than {} rows, which no result does", most_rows));
}

bool set_value(Result& result, std::size_t place, const Value& value) {
    const Column& column = result.kind->columns()[place];
    if (value.is_null())
        return !column.needed;
    return is_of_type(column, value) && result.kind->set(result.rows, place, value);
}

} // namespace memtest

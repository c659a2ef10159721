#include "memtest/report/result_taker.hpp"

#include "memtest/base/text.hpp"
#include "memtest/report/loaded.hpp"
#include "memtest/report/matrix.hpp"
#include "memtest/report/prefetch.hpp"
#include "memtest/report/run_description.hpp"
#include "memtest/report/sweep.hpp"
#include "memtest/report/tail.hpp"
#include "memtest/report/translation.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <variant>

namespace memtest {
namespace {

// Without limits, endless input would exhaust the memory.
constexpr std::size_t most_rows = 4'100'000; // more than 4096 processors at 1000 sizes have
constexpr std::size_t most_notices = 1'000;  // warnings or remarks

/// A text as the list of its words.
Json words_in(std::string_view text) {
    Json words = Json::array();
    for (; !text.empty(); text.remove_prefix(std::min(text.find(' '), text.size() - 1) + 1))
        words.push_back(text.substr(0, text.find(' ')));
    return words;
}

/// Whether the value is of the column's type and range.
bool is_of_type(const Column& column, const Json& value) {
    if (column.type == Column::Type::count && !value.is_number_unsigned())
        return false;
    if (column.is_number())
        return value.is_number() && column.holds(value.get<double>());
    return value.is_string() || (column.type == Column::Type::words && value.is_array());
}

} // namespace

std::span<const Kind* const> stored_kinds() {
    static const std::array<const Kind*, 8> kinds{&sweep_kind,          &tlb_kind,   &loaded_kind, &tail_kind,
                                                  &tail_histogram_kind, &cores_kind, &nodes_kind,  &prefetch_kind};
    return kinds;
}

std::string described(const Kind& kind) {
    return kind.facts.verb.empty() ? "a sweep" : fmt::format("a result of 'memtest {}'", kind.facts.verb);
}

std::string what_is_wanted(const Column& column) {
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
}

void ResultTaker::take_member(std::string_view name, const Json& value) {
    if (name == "schema")
        take_schema(value);
    else if (name == "verb")
        take_verb(text_of(value));
    else
        take_run_member(name, value, true);
}

void ResultTaker::take_element(std::string_view section, std::string_view name, const Json& element) {
    if (section == "rows")
        take_row(element);
    else if (section == "row_notes")
        take_row_notes(element);
    else if (section == "run")
        take_run_member(name, element, false);
    else if (section == "missing")
        take_missing(element);
    else
        add_notice(section == "warnings" ? result_.warnings : result_.remarks, element);
}

void ResultTaker::add_notice(std::vector<Notice>& notices, const Json& element) {
    if (notices.size() == most_notices)
        return;
    notices.push_back(notice_in(element));
}

void ResultTaker::begin_row() {
    rows_ = result_.kind->add_row(result_.rows);
    if (rows_ > most_rows)
        throw error(fmt::format("holds more than {} rows, which no result does", most_rows));
}

bool ResultTaker::set(std::size_t place, const Json& value) {
    const Column& column = result_.kind->columns()[place];
    if (value.is_null())
        return !column.needed;
    const bool is_words = column.type == Column::Type::words && value.is_string();
    return is_of_type(column, value) &&
           result_.kind->set(result_.rows, place, is_words ? words_in(value.get_ref<const std::string&>()) : value);
}

Error ResultTaker::error(std::string_view what) const {
    return usage_error(fmt::format("{}: {}", result_.name, what));
}

void ResultTaker::take_run_member(std::string_view name, const Json& value, bool of_document) {
    if (!read_run_member(result_.run, name, value, of_document))
        throw error(fmt::format("{} is {}, which is not known", name, in_quotes(dumped(value))));
}

void ResultTaker::take_schema(const Json& schema) {
    has_schema_ = schema == schema_version;
    if (!has_schema_)
        throw error(fmt::format("has the schema {}; this program knows {}", in_quotes(text_of(schema)), schema_version));
}

void ResultTaker::take_missing(const Json& part) {
    if (missing_ != nullptr && missing_->size() < most_notices)
        missing_->push_back({text_of(member(part, "part")), text_of(member(part, "reason"))});
}

void ResultTaker::take_verb(std::string_view verb) {
    is_report_ = verb == "report" && missing_ != nullptr && result_.kind == nullptr;
    if (is_report_)
        return;
    const std::span<const Kind* const> kinds = stored_kinds();
    const auto found = std::ranges::find(kinds, verb, [](const Kind* kind) { return kind->facts.verb; });
    if (found == kinds.end())
        throw error(fmt::format("is of the command {}, whose results are not read", in_quotes(verb)));
    if (result_.kind != nullptr && result_.kind != *found)
        throw error(fmt::format("has rows of another kind than its command {}", in_quotes(verb)));
    result_.kind = *found;
}

/// Takes the notes of a row, for files without a column of notes.
void ResultTaker::take_row_notes(const Json& of_row) {
    auto* rows = std::get_if<std::vector<Row>>(&result_.rows);
    const auto row = number_in(member(of_row, "row"));
    if (rows != nullptr && row && *row >= 0 && *row < static_cast<double>(rows->size()))
        add_notes((*rows)[static_cast<std::size_t>(*row)], of_row);
}

void ResultTaker::take_row(const Json& members) {
    const auto has = [&](const Column& column) {
        return members.is_object() && members.contains(std::string(column.member));
    };
    if (result_.kind == nullptr) // the command may come after the rows
        result_.kind = kind_by(has);
    if (result_.kind == nullptr)
        result_.kind = &sweep_kind;
    begin_row();
    const auto columns = result_.kind->columns();
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const Column& column = columns[i];
        if (column.type == Column::Type::detail)
            continue;
        if (column.is_always_there() && !has(column))
            throw error(fmt::format("row {}: there is no {}", rows_, column.member));
        const Json& value = member(members, column.member);
        if (!set(i, value))
            throw error(fmt::format("row {}: {} is {}, not {}", rows_, column.member, in_quotes(text_of(value)),
                                    what_is_wanted(column)));
    }
}

} // namespace memtest

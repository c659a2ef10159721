#include "memtest/report/table_file.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/report/json_layout.hpp"
#include "memtest/report/json_text.hpp"
#include "memtest/report/run_json.hpp"
#include "memtest/report/run_lines.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <istream>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

using Json = nlohmann::ordered_json;

/// @return false where the header is another, or missing
bool read_csv(std::istream& in, const TableKind& kind, StoredTable& table) {
    enum class Header { awaited, found, other } header = Header::awaited;
    std::vector<std::string_view> fields;
    table.cut = read_lines(in, table.name, [&](std::string_view line, std::size_t number) {
        line = trimmed(line);
        if (line.empty() || header == Header::other)
            return;
        if (line.front() == '#') {
            if (const auto keyed = parse_keyed_line(line)) {
                static_cast<void>(read_run_line(table.run, *keyed));
                if (keyed->first == warning_key || keyed->first == "remark")
                    table.remarks.emplace_back(keyed->second);
            }
        } else if (header == Header::awaited) {
            header = fmt::format("{}\n", line) == table_header(kind) ? Header::found : Header::other;
        } else {
            split_fields(line, fields);
            const std::string place = fmt::format("{}:{}", table.name, number);
            if (fields.size() != kind.columns.size())
                throw usage_error(fmt::format("{}: there should be {} columns, but there are {}", place,
                                              kind.columns.size(), fields.size()));
            table.rows.push_back({place, {fields.begin(), fields.end()}});
        }
    });
    return header == Header::found;
}

Json parse(std::istream& in, const std::string& name) {
    try {
        return Json::parse(in);
    } catch (const Json::exception& error) {
        throw usage_error(fmt::format("{}: is no JSON, or is cut", name));
    }
}

/// @return false where the document is another
bool read_json(std::istream& in, const TableKind& kind, StoredTable& table) {
    const Json document = parse(in, table.name);
    const auto member = [&](const char* name) { return document.value(name, Json()); };
    if (!document.is_object() || member(json_verb) != kind.verb || member(json_schema) != schema_version)
        return false;
    for (const Json& members : member(json_rows)) {
        StoredTable::Row row{.place = fmt::format("{}: row {}", table.name, table.rows.size() + 1), .fields = {}};
        for (const TableColumn& column : kind.columns)
            row.fields.push_back(members.is_object() ? csv_text(members.value(std::string(column.member), Json()))
                                                     : "");
        table.rows.push_back(std::move(row));
    }
    for (const char* sentences : {json_warnings, json_remarks}) {
        for (const Json& sentence : member(sentences))
            table.remarks.push_back(csv_text(sentence));
    }
    static_cast<void>(read_run_members(table.run, member(json_run), false));
    static_cast<void>(read_run_members(table.run, document, true));
    return true;
}

/// The first line that is neither a `#` line nor blank, without its end.
std::string_view first_line(std::string_view head) {
    while (!head.empty()) {
        const std::string_view line = head.substr(0, head.find('\n'));
        if (!trimmed(line).empty() && line.front() != '#')
            return trimmed(line);
        head.remove_prefix(std::min(line.size() + 1, head.size()));
    }
    return {};
}

/// The word behind `"verb":`, which comes early; empty where it does not.
std::string_view verb_in(std::string_view head) {
    const std::size_t key = head.find(fmt::format("\"{}\"", json_verb));
    const std::size_t colon = key == std::string_view::npos ? key : head.find(':', key);
    const std::size_t begin = colon == std::string_view::npos ? colon : head.find('"', colon);
    if (begin == std::string_view::npos)
        return {};
    return head.substr(begin + 1, head.find('"', begin + 1) - begin - 1);
}

} // namespace

double number_in(const TableKind& kind, const StoredTable::Row& row, std::size_t column, double smallest) {
    constexpr double largest = 1e12;
    const std::string& text = row.fields.at(column);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value >= smallest && value <= largest))
        throw usage_error(fmt::format("{}: {} is {}, not a number from {:g} to {:g}", row.place,
                                      kind.columns[column].name, in_quotes(text), smallest, largest));
    return value;
}

const TableKind* table_kind_of(InputFile& file, std::span<const TableKind* const> kinds) {
    skip_byte_order_mark(file.stream(), file.name());
    const std::string_view head = file.head();
    for (const TableKind* kind : kinds) {
        if (head.starts_with('{') ? verb_in(head) == kind->verb
                                  : fmt::format("{}\n", first_line(head)) == table_header(*kind))
            return kind;
    }
    return nullptr;
}

std::optional<StoredTable> read_table_file(const std::string& path, const TableKind& kind) {
    InputFile file(path);
    return read_table(file, kind);
}

std::optional<StoredTable> read_table(InputFile& file, const TableKind& kind) {
    StoredTable table{.name = file.name(), .run = {}, .rows = {}, .remarks = {}};
    skip_byte_order_mark(file.stream(), table.name);
    const bool is_json = file.stream().peek() == '{';
    const bool found = is_json ? read_json(file.stream(), kind, table) : read_csv(file.stream(), kind, table);
    return found ? std::optional(std::move(table)) : std::nullopt;
}

} // namespace memtest

#include "memtest/report/table_file.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/report/json_text.hpp"
#include "memtest/report/run_keys.hpp"
#include "memtest/report/run_lines.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <istream>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

using Json = nlohmann::ordered_json;

void read_csv(std::istream& in, StoredTable& table) {
    bool behind_header = false;
    std::vector<std::string_view> fields;
    table.cut = read_lines(in, table.name, [&](std::string_view line, std::size_t number) {
        line = trimmed(line);
        if (line.empty())
            return;
        if (line.front() == '#') {
            if (const auto keyed = parse_keyed_line(line)) {
                static_cast<void>(read_run_line(table.run, *keyed));
                if (keyed->first == warning_key || keyed->first == "remark")
                    table.remarks.emplace_back(keyed->second);
            }
        } else if (!behind_header) {
            behind_header = true;
        } else {
            split_fields(line, fields);
            const std::string place = fmt::format("{}:{}", table.name, number);
            if (fields.size() != table.kind.columns.size())
                throw usage_error(fmt::format("{}: there should be {} columns, but there are {}", place,
                                              table.kind.columns.size(), fields.size()));
            table.rows.push_back({place, {fields.begin(), fields.end()}});
        }
    });
}

Json parse(std::istream& in, const std::string& name) {
    try {
        return Json::parse(in);
    } catch (const Json::exception& error) {
        throw usage_error(fmt::format("{}: is no JSON, or is cut", name));
    }
}

void read_json(std::istream& in, StoredTable& table) {
    const Json document = parse(in, table.name);
    const auto member = [&](const char* name) { return document.value(name, Json()); };
    if (member(json_schema) != schema_version)
        throw usage_error(fmt::format("{}: has the schema {}; this program knows {}", table.name,
                                      in_quotes(csv_text(member(json_schema))), schema_version));
    for (const Json& members : member(json_rows)) {
        StoredTable::Row row{.place = fmt::format("{}: row {}", table.name, table.rows.size() + 1), .fields = {}};
        for (const TableColumn& column : table.kind.columns)
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

/// The word behind `"verb":`; empty where there is none.
std::string_view verb_in(std::string_view head) {
    const std::size_t key = head.find(fmt::format("\"{}\"", json_verb));
    const std::size_t colon = key == std::string_view::npos ? key : head.find(':', key);
    const std::size_t begin = colon == std::string_view::npos ? colon : head.find('"', colon);
    if (begin == std::string_view::npos)
        return {};
    return head.substr(begin + 1, head.find('"', begin + 1) - begin - 1);
}

} // namespace

double number_in(const StoredTable& table, const StoredTable::Row& row, std::size_t column, double smallest) {
    constexpr double largest = 1e12;
    const std::string& text = row.fields.at(column);
    const auto value = parse_number<double>(text);
    if (!value || !(*value >= smallest && *value <= largest))
        throw usage_error(fmt::format("{}: {} is {}, not a number from {:g} to {:g}", row.place,
                                      table.kind.columns[column].name, in_quotes(text), smallest, largest));
    return *value;
}

const TableKind* table_kind_of(InputFile& file, std::span<const TableKind> kinds) {
    skip_byte_order_mark(file.stream(), file.name());
    const std::string_view head = file.head();
    const auto found = std::ranges::find_if(kinds, [&](const TableKind& kind) {
        return head.starts_with('{') ? verb_in(head) == kind.verb
                                     : fmt::format("{}\n", first_line(head)) == table_header(kind);
    });
    return found == kinds.end() ? nullptr : &*found;
}

std::optional<StoredTable> read_table(InputFile& file, std::span<const TableKind> kinds) {
    const TableKind* kind = table_kind_of(file, kinds);
    if (kind == nullptr)
        return std::nullopt;
    StoredTable table{{.name = file.name()}, *kind};
    if (file.stream().peek() == '{')
        read_json(file.stream(), table);
    else
        read_csv(file.stream(), table);
    return table;
}

} // namespace memtest

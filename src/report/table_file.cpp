#include "memtest/report/table_file.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/report/input_file.hpp"
#include "memtest/report/json_layout.hpp"
#include "memtest/report/json_text.hpp"
#include "memtest/report/run_json.hpp"
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

/// Whether the line names the columns of this kind.
bool is_header(std::string_view line, const TableKind& kind) {
    return fmt::format("{}\n", line) == table_header(kind);
}

/// Whether a JSON document that begins so says that it is of this verb.
bool is_json_of(std::string_view start, const TableKind& kind) {
    const std::string name = fmt::format("\"{}\"", json_verb);
    const std::size_t at = start.find(name);
    if (at == std::string_view::npos)
        return false;
    start.remove_prefix(at + name.size());
    start.remove_prefix(std::min(start.find_first_not_of(": \t\r\n"), start.size()));
    return start.starts_with(fmt::format("\"{}\"", kind.verb));
}

/// @return false where the header is another, or missing
bool read_csv(std::istream& in, const TableKind& kind, StoredTable& table) {
    enum class Header { awaited, found, other } header = Header::awaited;
    std::vector<std::string_view> fields;
    table.cut = read_lines(in, table.name, [&](std::string_view line, std::size_t number) {
        line = trimmed(line);
        if (line.empty() || header == Header::other)
            return;
        if (line.front() == '#') {
            if (const auto keyed = parse_keyed_line(line))
                static_cast<void>(read_run_line(table.run, *keyed));
        } else if (header == Header::awaited) {
            header = is_header(line, kind) ? Header::found : Header::other;
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
    static_cast<void>(read_run_members(table.run, member(json_run), false));
    static_cast<void>(read_run_members(table.run, document, true));
    return true;
}

std::optional<StoredTable> read_if_found(InputFile& file, const TableKind& kind) {
    StoredTable table{.name = file.name(), .run = {}, .rows = {}};
    skip_byte_order_mark(file.stream(), table.name);
    const bool is_json = file.stream().peek() == '{';
    const bool found = is_json ? read_json(file.stream(), kind, table) : read_csv(file.stream(), kind, table);
    return found ? std::optional(std::move(table)) : std::nullopt;
}

} // namespace

bool holds_table(InputFile& file, const TableKind& kind) {
    std::string_view start = file.start();
    if (start.starts_with('{'))
        return is_json_of(start, kind);
    while (!start.empty()) {
        const std::string_view line = trimmed(start.substr(0, start.find('\n')));
        if (!line.empty() && line.front() != '#')
            return is_header(line, kind);
        start.remove_prefix(std::min(start.find('\n'), start.size() - 1) + 1);
    }
    return false;
}

StoredTable read_table(InputFile& file, const TableKind& kind) {
    if (auto table = read_if_found(file, kind))
        return std::move(*table);
    throw usage_error(fmt::format("{}: is not what 'memtest {}' printed", file.name(), kind.verb));
}

std::optional<StoredTable> read_table_file(const std::string& path, const TableKind& kind) {
    InputFile file(path);
    return read_if_found(file, kind);
}

} // namespace memtest

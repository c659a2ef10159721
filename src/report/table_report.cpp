#include "memtest/report/table_report.hpp"

#include "memtest/base/error.hpp"
#include "memtest/report/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cstddef>

namespace memtest {
namespace {

using Json = nlohmann::ordered_json;

std::string csv_row(const std::vector<std::string>& fields) {
    return fmt::format("{}\n", fmt::join(fields, ", "));
}

Json row_object(std::span<const TableColumn> columns, const std::vector<std::string>& fields) {
    Json object;
    for (std::size_t i = 0; i < columns.size(); ++i)
        object[std::string(columns[i].member)] = json_value(fields.at(i));
    return object;
}

} // namespace

std::string table_header(const TableKind& kind) {
    std::vector<std::string> names;
    for (const TableColumn& column : kind.columns)
        names.emplace_back(column.name);
    return csv_row(names);
}

void TableReport::open(const std::vector<std::string>& headline, const RunDescription& run) {
    begin(run, kind_.verb, headline, table_header(kind_));
}

void TableReport::row(const std::vector<std::string>& fields) {
    require(fields.size() == kind_.columns.size(), "a row has a field for each column");
    if (is_json())
        write_row(row_object(kind_.columns, fields));
    else
        write_row(csv_row(fields));
}

} // namespace memtest

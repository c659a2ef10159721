#include "memtest/report/table_report.hpp"

#include "memtest/base/error.hpp"
#include "memtest/report/json_text.hpp"
#include "memtest/report/run_json.hpp"

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
    if (format_ == Format::json)
        return output_.write(json_opening(run, kind_.verb));
    say(csv_opening(headline, run));
    output_.write(table_header(kind_));
}

void TableReport::warn(const std::string& sentence) {
    warnings_.push_back(sentence);
    say(keyed_line(warning_key, sentence));
}

void TableReport::row(const std::vector<std::string>& fields) {
    require(fields.size() == kind_.columns.size(), "a row has a field for each column");
    output_.write(format_ == Format::json ? json_row(row_object(kind_.columns, fields), first_row_) : csv_row(fields));
    first_row_ = false;
}

void TableReport::close(const RunDescription& run, const KeyedLines& lines, std::string_view members) {
    if (format_ == Format::json)
        return output_.write(json_closing(run, warnings_, members));
    say(keyed_lines(lines));
    say(keyed_lines(run_lines(run, true)));
}

void TableReport::say(std::string_view lines) {
    if (format_ == Format::csv && !quiet_)
        output_.write(lines);
}

} // namespace memtest

#include "memtest/result/csv_reader.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/result/result_taker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace memtest {
namespace {

/// The fields of a row, without quotes and units of time. Blanks and colons separate them where nothing else does.
std::vector<std::string> fields_of(std::string_view line) {
    const std::size_t at = line.find_first_of(";\t");
    const char separator = at != std::string_view::npos               ? line[at]
                           : line.find(',') != std::string_view::npos ? ','
                                                                      : ' ';
    std::string text(line);
    if (separator == ' ')
        std::ranges::replace(text, ':', ' ');
    else if (separator != ',') // which is then that of decimals
        std::ranges::replace(text, ',', '.');
    std::vector<std::string> fields;
    for (std::string_view rest = text;;) {
        const std::size_t end = rest.find(separator);
        std::string_view field = trimmed(rest.substr(0, end));
        while (field.size() > 1 && field.front() == '"' && field.back() == '"')
            field = trimmed(field.substr(1, field.size() - 2));
        if (separator != ' ' || !field.empty())
            fields.emplace_back(field);
        if (end == std::string_view::npos)
            return fields;
        rest.remove_prefix(end + 1);
    }
}

/// The number in front of a unit, if that is one of those wanted.
std::optional<double> latency_in(std::string_view field) {
    const auto number = take_number<double>(field);
    field = trimmed(field);
    return field.empty() || field == "ns" ? number : std::nullopt;
}

std::optional<std::uint64_t> bytes_in(std::string_view field, std::uint64_t unit_bytes) {
    const auto number = parse_number<double>(field);
    if (!number)
        return parse_human_size(field);
    constexpr double beyond = 9.2e18; // that no column holds
    const double bytes = *number * static_cast<double>(unit_bytes);
    if (!(bytes >= 1 && bytes < beyond))
        return std::nullopt;
    return unit_bytes == mib ? restored_bytes(*number) : static_cast<std::uint64_t>(bytes);
}

/// The size and the latency of a line; std::nullopt if it is no row, or its values fit no column.
std::optional<Row> row_in(std::string_view line, const TableColumns& columns, std::span<const Column> of_sweep) {
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() <= std::max(columns.size, columns.latency))
        return std::nullopt;
    const auto bytes = bytes_in(fields[columns.size], columns.unit_bytes);
    const auto ns = latency_in(fields[columns.latency]);
    if (!bytes || !ns || !of_sweep[1].holds(static_cast<double>(*bytes) / mib) || !of_sweep[2].holds(*ns))
        return std::nullopt;
    Row row;
    row.size_bytes = *bytes;
    row.latency_ns = ns;
    return row;
}

} // namespace

bool is_heading_of_lat_mem_rd(std::string_view line) {
    return line.substr(line.starts_with('"') ? 1 : 0).starts_with("stride=");
}

std::optional<TableColumns> table_columns_in(std::string_view text) {
    TableColumns columns{.text = std::string(text)};
    const auto words = split_fields(text);
    std::size_t sizes = 0;
    std::size_t latencies = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "ns") {
            columns.latency = i;
            ++latencies;
        } else if (const auto unit_bytes = bytes_in_unit(words[i])) {
            columns.size = i;
            columns.unit_bytes = *unit_bytes;
            ++sizes;
        } else if (words[i] != "-") {
            return std::nullopt;
        }
    }
    return sizes == 1 && latencies == 1 ? std::optional(std::move(columns)) : std::nullopt;
}

void read_table(Result& result, std::string_view text, const TableColumns& columns) {
    result.kind = stored_kinds().front();
    std::size_t skipped = 0;
    std::string_view first_skipped;
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        if (trimmed(line).empty() || is_heading_of_lat_mem_rd(line))
            continue;
        if (const auto row = row_in(line, columns, result.kind->columns())) {
            add_row(result);
            std::get<std::vector<Row>>(result.rows).back() = *row;
        } else if (skipped++ == 0) {
            first_skipped = line;
        }
    }
    if (result.row_count() == 0)
        throw usage_error(fmt::format("{}: no line is a row of --columns {}; {} has the fields {}{}", result.name,
                                      columns.text, in_quotes(first_skipped),
                                      joined(fields_of(first_skipped), " ", in_quotes), table_hint));
    if (skipped > 0)
        result.warnings.push_back(
            {Code::lines_skipped, {{"lines", skipped}, {"first", shortened(escaped(first_skipped), 40)}}});
}

} // namespace memtest

#include "memtest/result/csv_reader.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/result/json.hpp"
#include "memtest/result/result_taker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memtest {
namespace {

/// The columns of a kind that are in every file of it, and among these fields or not.
std::vector<const Column*> columns_in(std::span<const std::string_view> fields, const Kind* kind, bool are_there) {
    std::vector<const Column*> columns;
    for (const Column& column : kind->columns()) {
        if (column.is_always_there() && (std::ranges::count(fields, column.name) > 0) == are_there)
            columns.push_back(&column);
    }
    return columns;
}

/// The kind of a header with these fields; null if none matches.
const Kind* kind_of(std::span<const std::string_view> fields) {
    const auto kinds = stored_kinds();
    const auto found =
        std::ranges::find_if(kinds, [&](const Kind* kind) { return columns_in(fields, kind, false).empty(); });
    return found == kinds.end() ? nullptr : *found;
}

/// The column that these fields lack of the nearest kind, as the end of a sentence; empty if no kind is near.
std::string what_is_missing(std::span<const std::string_view> fields) {
    const auto shared = [&](const Kind* kind) { return columns_in(fields, kind, true).size(); };
    const Kind* const nearest = *std::ranges::max_element(stored_kinds(), {}, shared);
    if (shared(nearest) < 2) // one name may be there by chance
        return "";
    return fmt::format(": {} also has the column `{}`", described(*nearest),
                       columns_in(fields, nearest, false).front()->name);
}

/// A field of CSV: a number if its column holds numbers and the field is one.
Value value_of_field(const Column& column, std::string_view field) {
    if (column.type == Column::Type::count) {
        if (const auto count = parse_number<std::uint64_t>(field))
            return *count;
    }
    if (column.type == Column::Type::figure) {
        if (const auto number = parse_number<double>(field); number && std::isfinite(*number))
            return *number;
    }
    if (field.empty())
        return {};
    if (column.type != Column::Type::words)
        return field;
    List words;
    for (; !field.empty(); field.remove_prefix(std::min(field.find(' '), field.size() - 1) + 1))
        words.emplace_back(field.substr(0, field.find(' ')));
    return words;
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Whether a line begins like a row rather than a header.
bool starts_with_number(std::string_view line) {
    if (line.front() == '+' || line.front() == '-' || line.front() == '.')
        line.remove_prefix(1);
    return !line.empty() && is_digit(line.front());
}

/// Whether some commas stand before a blank and others between digits.
bool has_decimal_comma(std::string_view line) {
    if (line.find(", ") == std::string_view::npos)
        return false;
    for (std::size_t i = 1; i + 1 < line.size(); ++i) {
        if (line[i] == ',' && is_digit(line[i - 1]) && is_digit(line[i + 1]))
            return true;
    }
    return false;
}

constexpr std::size_t classic_columns = 3;
constexpr std::string_view start_of_result = "# memtest ";

/// What a log, a message or a terminal put around a result, and how to remove it; empty if it is nothing known.
std::string what_was_added(std::string_view line) {
    const std::size_t prefix = line.ends_with(" {") ? line.size() - 1 : line.find(start_of_result);
    if (prefix != std::string_view::npos)
        return fmt::format(
            "{} stands before the result, as in a log or a reply; remove it from each line, as with cut -c{}-",
            in_quotes(line.substr(0, prefix)), prefix + 1);
    if (line.starts_with("```") || line.starts_with("Script started"))
        return fmt::format("{} is no part of a result; remove the lines around it, which end before `{}`",
                           in_quotes(line), trimmed(start_of_result));
    return "";
}

/// Reads CSV line by line.
class CsvReader {
public:
    CsvReader(Result& result, const std::optional<TableColumns>& columns) : result_(result), columns_(columns) {}

    void read(std::string_view text) {
        const std::string_view whole = text;
        bool has_begun = false;
        for (number_ = 1; !text.empty(); ++number_) {
            const bool has_end = text.find('\n') != std::string_view::npos;
            line_ = trimmed(take_line(text));
            if (!line_.empty() && !std::exchange(has_begun, true)) {
                if (const auto table = columns_of_table())
                    return read_table(result_, whole, *table);
            }
            // A line without its end is truncated; its last number may lack digits.
            result_.cut = !has_end;
            if (has_end)
                read_line();
        }
        take_data();
    }

private:
    /// Those of a table of another program, which the first line tells; std::nullopt if the file is none.
    std::optional<TableColumns> columns_of_table() {
        if (is_heading_of_lat_mem_rd(line_))
            return columns_.value_or(TableColumns{});
        if (line_.front() == '[' && !columns_ && what_was_added(line_).empty())
            throw error("is not a result: its JSON is not an object");
        fields_ = split_fields(line_);
        const bool is_own = line_.find(start_of_result) < 2 || kind_of(fields_) != nullptr;
        return is_own ? std::nullopt : columns_;
    }

    void read_line() {
        if (line_.empty() || line_.starts_with("memtest: ")) // a message on standard error
            return;
        if (line_.starts_with('#'))
            return read_comment();
        if (line_.starts_with("\"#")) { // one that a spreadsheet has put into quotes, and may have changed
            is_by_memtest_ = is_by_memtest_ || line_.starts_with("\"# memtest ");
            return;
        }
        if (const std::string added = what_was_added(line_); !added.empty())
            throw error(added);
        if (line_.find(';') != std::string_view::npos)
            throw error(fmt::format("{}: columns are separated by commas, not semicolons, and decimals take a point{}",
                                    in_quotes(line_), hint()));
        fields_ = split_fields(line_);
        while (fields_.size() > std::max(layout_.size(), classic_columns) && fields_.back().empty())
            fields_.pop_back();
        if (layout_.empty() && !starts_with_number(line_))
            return read_header();
        if (layout_.empty())
            assume_classic_header();
        read_row();
    }

    /// Keeps the data for the end, when all rows are there.
    void read_comment() {
        constexpr std::string_view start_of_data = "# data: ";
        is_by_memtest_ = is_by_memtest_ || line_.starts_with(start_of_result);
        if (!line_.starts_with(start_of_data))
            return;
        if (data_)
            throw error("this is a second line of data, so the file holds two results");
        data_ = parse_json(line_.substr(start_of_data.size()), fmt::format("{}:{}: the data", result_.name, number_));
        check_schema(*data_, result_.name);
    }

    /// Without data, a result of this program lacks its end.
    void take_data() {
        if (data_)
            take_description(result_, *data_);
        else
            result_.cut = result_.cut || is_by_memtest_;
    }

    /// How a table of another program is read; empty behind a header of this one.
    [[nodiscard]] std::string_view hint() const { return has_header_ || is_by_memtest_ ? "" : table_hint; }

    void read_header() {
        result_.kind = kind_of(fields_);
        if (result_.kind == nullptr) {
            const std::string missing = what_is_missing(fields_);
            throw error(
                fmt::format("{} is not a known CSV header{}", in_quotes(line_), missing.empty() ? hint() : missing));
        }
        has_header_ = true;
        const auto columns = result_.kind->columns();
        for (const std::string_view name : fields_)
            layout_.push_back(
                static_cast<std::size_t>(std::ranges::find(columns, name, &Column::name) - columns.begin()));
    }

    void assume_classic_header() {
        result_.kind = stored_kinds().front();
        layout_.assign(std::max(fields_.size(), classic_columns), unknown());
        for (std::size_t i = 0; i < classic_columns; ++i)
            layout_[i] = i;
    }

    [[nodiscard]] std::size_t unknown() const { return result_.kind->columns().size(); }

    void read_row() {
        if (has_decimal_comma(line_))
            throw error(fmt::format("{}: decimals take a point, not a comma{}", in_quotes(line_), hint()));
        if (fields_.size() != layout_.size())
            throw error(hint().empty() ? fmt::format("{}: {} columns were expected, not {}", in_quotes(line_),
                                                     layout_.size(), fields_.size())
                                       : fmt::format("{} is no row of memtest{}", in_quotes(line_), hint()));
        add_row(result_);
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            if (layout_[i] == unknown())
                continue;
            const Column& column = result_.kind->columns()[layout_[i]];
            if (!set_value(result_, layout_[i], value_of_field(column, fields_[i])))
                throw error(fmt::format("{} is {}, not {}{}", column.name, in_quotes(fields_[i]),
                                        what_is_wanted(column), hint()));
        }
    }

    /// An error in the last line read.
    [[nodiscard]] Error error(std::string_view what) const {
        return usage_error(fmt::format("{}:{}: {}", result_.name, number_, what));
    }

    Result& result_;
    const std::optional<TableColumns>& columns_;
    std::string_view line_;
    bool has_header_ = false;
    std::size_t number_ = 0;
    std::optional<Value> data_;
    bool is_by_memtest_ = false;
    std::vector<std::string_view> fields_;
    std::vector<std::size_t> layout_; ///< for each field, its column; the kind's number of columns for an unknown field
};

} // namespace

void read_csv(Result& result, std::string_view text, const std::optional<TableColumns>& columns) {
    CsvReader(result, columns).read(text);
}

} // namespace memtest

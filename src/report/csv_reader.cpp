#include "memtest/report/csv_reader.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/report/json_reader.hpp"
#include "memtest/report/result_taker.hpp"
#include "memtest/report/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {
namespace {

constexpr std::size_t most_line_bytes = std::size_t{4} << 20U; // the pages of 4096 threads take 330 KiB

/// The columns that these fields lack of the nearest kind, as the end of a sentence; empty if no kind is near.
std::string what_is_missing(std::span<const std::string_view> fields) {
    const auto has = [&](const Column& column) { return std::ranges::find(fields, column.name) != fields.end(); };
    const auto shared = [&](const Kind* kind) {
        return std::ranges::count_if(kind->columns(), [&](const Column& c) { return c.is_always_there() && has(c); });
    };
    const Kind& nearest = **std::ranges::max_element(stored_kinds(), {}, shared);
    if (shared(&nearest) == 0)
        return "";
    const auto missing =
        std::ranges::find_if(nearest.columns(), [&](const Column& c) { return c.is_always_there() && !has(c); });
    return fmt::format(": {} also has the column `{}`", described(nearest), missing->name);
}

/// A field of CSV: a number if its column holds numbers and the field is one.
Json value_of_field(const Column& column, std::string_view field) {
    if (column.type == Column::Type::count) {
        if (const auto count = parse_number<std::uint64_t>(field))
            return *count;
    }
    if (column.type == Column::Type::figure) {
        if (const auto number = parse_number<double>(field))
            return *number;
    }
    return field.empty() ? Json() : Json(field);
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

/// Reads CSV line by line.
class CsvReader {
public:
    explicit CsvReader(Result& result) : result_(result), taker_(result) {}

    void read(std::istream& in) {
        std::vector<char> line(most_line_bytes + 1);
        for (number_ = 1; in.getline(line.data(), static_cast<std::streamsize>(line.size())); ++number_) {
            // A truncated line lacks its line end, which gcount counts; its last number may lack digits.
            result_.cut = in.eof();
            if (!result_.cut)
                read_line({line.data(), static_cast<std::size_t>(in.gcount()) - 1});
        }
        if (!in.eof())
            throw error("the line is too long for a result");
    }

private:
    void read_line(std::string_view line) {
        line_ = trimmed(line);
        if (line_.empty())
            return;
        if (line_.front() == '#')
            return read_data();
        if (line_.find(';') != std::string_view::npos)
            throw error(fmt::format("{}: columns are separated by commas, not semicolons, and decimals take a point",
                                    in_quotes(line_)));
        split_fields(line_, fields_);
        if (layout_.empty() && !starts_with_number(line_))
            return read_header();
        if (layout_.empty())
            assume_classic_header();
        read_row();
    }

    /// All lines but those of data are for people.
    void read_data() {
        constexpr std::string_view start = "# data: ";
        if (!line_.starts_with(start))
            return;
        try {
            read_json_line(taker_, line_.substr(start.size()));
        } catch (const Json::parse_error& at) {
            throw error(fmt::format("the data is not valid JSON at byte {}", at.byte));
        }
    }

    void read_header() {
        const auto has = [&](const Column& column) { return std::ranges::find(fields_, column.name) != fields_.end(); };
        const Kind* kind = kind_by(has);
        if (kind == nullptr)
            throw error(
                fmt::format("{} is not a known CSV header{}", in_quotes(fields_.front()), what_is_missing(fields_)));
        if (result_.kind != nullptr && result_.kind != kind)
            throw error(fmt::format("the columns are those of {}, but the data says {}", described(*kind),
                                    described(*result_.kind)));
        result_.kind = kind;
        for (const std::string_view name : fields_)
            layout_.push_back(place_of(name));
    }

    void assume_classic_header() {
        constexpr std::size_t columns = 3;
        result_.kind = &sweep_kind;
        layout_.assign(std::max(fields_.size(), columns), unknown());
        for (std::size_t i = 0; i < columns; ++i)
            layout_[i] = i;
    }

    [[nodiscard]] std::size_t unknown() const { return result_.kind->columns().size(); }

    [[nodiscard]] std::size_t place_of(std::string_view name) const {
        const auto columns = result_.kind->columns();
        return static_cast<std::size_t>(std::ranges::find(columns, name, &Column::name) - columns.begin());
    }

    void read_row() {
        if (has_decimal_comma(line_))
            throw error(fmt::format("{}: decimals take a point, not a comma", in_quotes(line_)));
        if (fields_.size() != layout_.size())
            throw error(fmt::format("{} columns were expected, not {}", layout_.size(), fields_.size()));
        taker_.begin_row();
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            if (layout_[i] == unknown())
                continue;
            const Column& column = result_.kind->columns()[layout_[i]];
            if (!taker_.set(layout_[i], value_of_field(column, fields_[i])))
                throw error(
                    fmt::format("{} is {}, not {}", column.name, in_quotes(fields_[i]), what_is_wanted(column)));
        }
    }

    /// An error in the last line read.
    [[nodiscard]] Error error(std::string_view what) const {
        return usage_error(fmt::format("{}:{}: {}", result_.name, number_, what));
    }

    Result& result_;
    ResultTaker taker_;
    std::string_view line_;
    std::size_t number_ = 0;
    std::vector<std::string_view> fields_;
    std::vector<std::size_t> layout_; ///< for each field, its column; the kind's number of columns for an unknown field
};

} // namespace

void read_csv(Result& result, std::istream& in) {
    CsvReader(result).read(in);
}

} // namespace memtest

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
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memtest {
namespace {

constexpr std::size_t most_sentences = 2'000; // as many as there can be warnings and remarks

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

/// Reads CSV line by line.
class CsvReader {
public:
    explicit CsvReader(Result& result) : result_(result), taker_(result) {}

    void read(std::istream& in) {
        std::string line;
        for (number_ = 1; std::getline(in, line); ++number_) {
            // A line without its end is truncated; its last number may lack digits.
            result_.cut = in.eof();
            if (!result_.cut)
                read_line(line);
        }
        take_data();
    }

private:
    using Sentence = std::pair<std::string, std::string>; ///< the word of a code, and what it says

    void read_line(std::string_view line) {
        line_ = trimmed(line);
        if (line_.empty())
            return;
        if (line_.front() == '#')
            return read_comment();
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

    /// Keeps the data for the end, when all rows are there, and the sentences of notices.
    void read_comment() {
        constexpr std::string_view start_of_data = "# data: ";
        if (line_.starts_with(start_of_data)) {
            if (data_)
                throw error("this is a second line of data, so the file holds two results");
            data_ = parsed(line_.substr(start_of_data.size()));
            taker_.take_command((*data_)["verb"]);
        }
        is_by_memtest_ = is_by_memtest_ || line_.starts_with("# memtest ");
        const std::size_t code = line_.find('[');
        const std::size_t sentence = line_.find("]: ");
        if (code < sentence && sentence != std::string_view::npos && sentences_.size() < most_sentences)
            sentences_.emplace_back(line_.substr(code + 1, sentence - code - 1), line_.substr(sentence + 3));
    }

    [[nodiscard]] Value parsed(std::string_view text) const {
        try {
            const Value data = parse_json(text, fmt::format("{}:{}", result_.name, number_));
            check_schema(data, result_.name);
            return data;
        } catch (const NoJson& at) {
            throw error(fmt::format("the data is not valid JSON at byte {}", at.byte));
        }
    }

    /// Without data, a result of this program lacks its end.
    void take_data() {
        if (!data_) {
            result_.cut = result_.cut || is_by_memtest_;
            return;
        }
        taker_.take_description(*data_);
        for (std::vector<Notice>* const notices : {&result_.remarks, &result_.warnings}) {
            for (Notice& notice : *notices) {
                const auto said = std::ranges::find(sentences_, word_of(notice.code), &Sentence::first);
                if (said == sentences_.end())
                    continue;
                notice.text = escaped(said->second);
                sentences_.erase(said);
            }
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
        result_.kind = stored_kinds().front();
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
    std::optional<Value> data_;
    bool is_by_memtest_ = false;
    std::vector<Sentence> sentences_; ///< not yet given to their notices
    std::vector<std::string_view> fields_;
    std::vector<std::size_t> layout_; ///< for each field, its column; the kind's number of columns for an unknown field
};

} // namespace

void read_csv(Result& result, std::istream& in) {
    CsvReader(result).read(in);
}

} // namespace memtest

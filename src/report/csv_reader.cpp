#include "memtest/report/sweep_readers.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/report/input_file.hpp"
#include "memtest/report/run_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <istream>
#include <string_view>
#include <vector>

namespace memtest {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Whether a line begins like a row rather than a header.
bool starts_with_number(std::string_view line) {
    if (line.front() == '+' || line.front() == '-' || line.front() == '.')
        line.remove_prefix(1);
    return !line.empty() && is_digit(line.front());
}

/// Whether some commas stand ahead of a blank and others between digits.
bool has_decimal_comma(std::string_view line) {
    if (line.find(", ") == std::string_view::npos)
        return false;
    for (std::size_t i = 1; i + 1 < line.size(); ++i) {
        if (line[i] == ',' && is_digit(line[i - 1]) && is_digit(line[i + 1]))
            return true;
    }
    return false;
}

const Column* find_column(std::string_view name) {
    if (name == "Placement (%)") // of files from before there were visits
        name = "Visits (%)";
    const auto found = std::ranges::find(columns(), name, &Column::name);
    return found == columns().end() ? nullptr : &*found;
}

/// Reads a sweep line by line.
class CsvReader {
public:
    explicit CsvReader(StoredSweep& sweep) : sweep_(sweep) {}

    void read_line(std::string_view line, std::size_t number) {
        line_number_ = number;
        line = trimmed(line);
        if (line.empty())
            return;
        if (line.front() == '#')
            return read_description(line);
        line_ = line;
        split_fields(line, fields_);
        if (layout_.empty()) {
            if (!starts_with_number(line))
                return read_header();
            assume_classic_header();
        }
        read_row();
    }

private:
    void read_description(std::string_view line) {
        const auto keyed = parse_keyed_line(line);
        if (!keyed)
            return;
        const auto& [name, value] = *keyed;
        if (name == warning_key)
            return add_warning(sweep_, value);
        if (!read_run_line(sweep_.run, *keyed))
            throw error(fmt::format("{} is {}, which is not known", name, in_quotes(value)));
    }

    void read_header() {
        refuse_semicolons();
        for (const Column& column : columns().first<required_columns>())
            if (std::find(fields_.begin(), fields_.end(), column.name) == fields_.end())
                throw error(fmt::format("{} is no header of a sweep: it lacks the column `{}`",
                                        in_quotes(fields_.front()), column.name));
        for (const std::string_view name : fields_)
            layout_.push_back(find_column(name));
    }

    void assume_classic_header() {
        layout_.assign(std::max(fields_.size(), required_columns), nullptr);
        for (std::size_t i = 0; i < required_columns; ++i)
            layout_[i] = &columns()[i];
    }

    void read_row() {
        refuse_semicolons();
        if (has_decimal_comma(line_))
            throw error(fmt::format("{}: decimals take a point, not a comma", in_quotes(line_)));
        if (fields_.size() != layout_.size())
            throw error(fmt::format("there should be {} columns, but there are {}", layout_.size(), fields_.size()));
        StoredRow& row = add_row(sweep_);
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            if (layout_[i] == nullptr)
                continue;
            if (const auto accepted = layout_[i]->read(row, fields_[i]))
                throw error(fmt::format("{} is {}, not {}", layout_[i]->name, in_quotes(fields_[i]), *accepted));
        }
    }

    void refuse_semicolons() const {
        if (line_.find(';') != std::string_view::npos)
            throw error(fmt::format("{}: columns are separated by commas, not semicolons, and decimals take a point",
                                    in_quotes(line_)));
    }

    /// In the line that was read last.
    [[nodiscard]] Error error(std::string_view what) const {
        return usage_error(fmt::format("{}:{}: {}", sweep_.name, line_number_, what));
    }

    StoredSweep& sweep_;
    std::size_t line_number_ = 0;
    std::string_view line_;
    std::vector<const Column*> layout_; ///< by field, null for an unknown column; empty before the header
    std::vector<std::string_view> fields_;
};

} // namespace

void read_csv(std::istream& in, StoredSweep& sweep) {
    CsvReader reader(sweep);
    sweep.cut =
        read_lines(in, sweep.name, [&](std::string_view line, std::size_t number) { reader.read_line(line, number); });
}

} // namespace memtest

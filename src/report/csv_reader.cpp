#include "memtest/report/sweep_readers.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/report/run_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <istream>
#include <string_view>
#include <vector>

namespace memtest {
namespace {

// Far longer than any line of a sweep: a list of 4096 processors takes 20 KiB. Without a limit, a file with no line
// ends (a disk image, /dev/zero) would be read into memory whole.
constexpr std::size_t max_line_length = std::size_t{64} * 1024;

/// Splits at commas into trimmed fields. `fields` is reused from row to row.
void split(std::string_view line, std::vector<std::string_view>& fields) {
    fields.clear();
    for (;;) {
        const auto comma = line.find(',');
        fields.push_back(trimmed(line.substr(0, comma)));
        if (comma == std::string_view::npos)
            return;
        line.remove_prefix(comma + 1);
    }
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

/// Whether some commas have a blank behind them and others a digit on either side.
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
    const auto found = std::ranges::find(columns(), name, &Column::name);
    return found == columns().end() ? nullptr : &*found;
}

/// Reads a sweep line by line.
class CsvReader {
public:
    explicit CsvReader(StoredSweep& sweep) : sweep_(sweep) {}

    void read_line(std::string_view line) {
        ++line_number_;
        line = trimmed(line);
        if (line.empty())
            return;
        if (line.front() == '#')
            return read_description(line);
        line_ = line;
        split(line, fields_);
        if (layout_.empty()) {
            if (!starts_with_number(line))
                return read_header();
            assume_classic_header();
        }
        read_row();
    }

    /// An error in the line that was read last, or in one behind it.
    [[nodiscard]] Error error(std::string_view what, std::size_t lines_behind = 0) const {
        return usage_error(fmt::format("{}:{}: {}", sweep_.name, line_number_ + lines_behind, what));
    }

private:
    void read_description(std::string_view line) {
        const auto colon = line.find(": ");
        if (line.substr(0, 2) != "# " || colon == std::string_view::npos)
            return;
        const std::string_view name = line.substr(2, colon - 2);
        const std::string_view value = trimmed(line.substr(colon + 2));
        if (name == warning_key)
            return add_warning(sweep_, value);
        const auto key = std::ranges::find(run_keys(), name, &RunKey::key);
        if (key != run_keys().end() && !key->read_text(sweep_.run, value) && key->setting)
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
        row.line_number = line_number_;
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

    StoredSweep& sweep_;
    std::size_t line_number_ = 0;
    std::string_view line_;
    std::vector<const Column*> layout_; ///< of a row's fields, null for a column not known; empty before the header
    std::vector<std::string_view> fields_;
};

} // namespace

void read_csv(std::istream& in, StoredSweep& sweep) {
    CsvReader reader(sweep);
    std::vector<char> line(max_line_length + 1);
    while (in.getline(line.data(), static_cast<std::streamsize>(line.size()))) {
        // gcount includes the line end, which a last line that is cut lacks: its number may be another's first digits.
        sweep.cut = in.eof();
        if (!sweep.cut)
            reader.read_line({line.data(), static_cast<std::size_t>(in.gcount()) - 1});
    }
    if (in.bad())
        throw Error(fmt::format("{}: cannot be read", sweep.name));
    if (!in.eof())
        throw reader.error("the line is too long for a sweep", 1);
}

} // namespace memtest

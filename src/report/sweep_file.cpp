#include "memtest/report/sweep_file.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/insight/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iostream>
#include <span>
#include <system_error>

namespace memtest {
namespace {

// Far longer than any line of a sweep: a list of 4096 processors takes 20 KiB. Without a limit, a file with no line
// ends (a disk image, /dev/zero) would be read into memory whole.
constexpr std::size_t max_line_length = std::size_t{64} * 1024;

// 2^64 bytes. Larger sizes cannot have been measured.
constexpr double max_size_mib = 17592186044416.0;

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

/// Text from a file that may hold anything, made fit for one line of a message.
std::string quoted(std::string_view text) {
    constexpr std::size_t enough = 40;
    std::string result = "`";
    for (const char c : text.substr(0, enough))
        result += c >= ' ' && c <= '~' ? c : '?';
    return result + (text.size() > enough ? "...`" : "`");
}

/// A line of the file, to be named in messages.
struct Place {
    std::string_view file;
    std::size_t line_number;

    [[nodiscard]] Error error(std::string_view what) const {
        return usage_error(fmt::format("{}:{}: {}", file, line_number, what));
    }
};

/// A field of a row: its text, and what to call it when it is wrong.
struct Field {
    std::string_view column;
    std::string_view text;
    Place place;

    [[nodiscard]] Error error(std::string_view accepted) const {
        return place.error(fmt::format("{} is {}, not {}", column, quoted(text), accepted));
    }
};

template<typename Number>
std::optional<Number> parse(std::string_view text) {
    Number number{};
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, number);
    if (problem != std::errc{} || stop != end)
        return std::nullopt;
    return number;
}

enum class Zero { allowed, refused };

std::optional<double> figure(const Field& field, Zero zero) {
    if (field.text.empty())
        return std::nullopt;
    const auto number = parse<double>(field.text);
    if (!number || !std::isfinite(*number) || *number < 0 || (*number == 0 && zero == Zero::refused))
        throw field.error(zero == Zero::refused ? "a number above 0" : "a number from 0");
    return number;
}

void store_thread(StoredRow& row, const Field& field) {
    const auto number = parse<int>(field.text);
    if (!number || *number < 0)
        throw field.error("the number of a thread");
    row.thread = *number;
}

/// The size that was measured: five decimals of a MiB are 5 bytes to either side, within which the roundest number, a
/// multiple of a kibibyte, a usual line or a word, is what it must have been.
double restored_bytes(double size_mib) {
    constexpr double half_step = 0.5e-5 * mib;
    const double stored = size_mib * mib;
    for (const double unit : {1024.0, 64.0, 8.0}) {
        const double multiple = std::round(stored / unit) * unit;
        if (multiple > 0 && std::abs(multiple - stored) <= half_step)
            return multiple;
    }
    return stored;
}

void store_size(StoredRow& row, const Field& field) {
    const auto size_mib = figure(field, Zero::refused);
    if (!size_mib || *size_mib > max_size_mib)
        throw field.error("the size of a memory");
    row.size_bytes = restored_bytes(*size_mib);
}

template<std::optional<std::uint64_t> StoredRow::*Count>
void store_count(StoredRow& row, const Field& field) {
    if (field.text.empty())
        return;
    row.*Count = parse<std::uint64_t>(field.text);
    if (!(row.*Count))
        throw field.error("a count");
}

template<std::optional<double> StoredRow::*Figure>
void store_positive(StoredRow& row, const Field& field) {
    row.*Figure = figure(field, Zero::refused);
}

template<std::optional<double> StoredRow::*Figure>
void store_not_negative(StoredRow& row, const Field& field) {
    row.*Figure = figure(field, Zero::allowed);
}

struct Column {
    std::string_view name;
    void (*store)(StoredRow&, const Field&);
};

constexpr std::array<Column, 13> columns{{
    {"Thread", store_thread},
    {"Mem size (MiB)", store_size},
    {"Access latency (ns)", store_positive<&StoredRow::latency_ns>},
    {"Latency (cycles)", store_positive<&StoredRow::cycles>},
    {"Min (ns)", store_positive<&StoredRow::min_ns>},
    {"Median (ns)", store_positive<&StoredRow::median_ns>},
    {"Mean (ns)", store_positive<&StoredRow::mean_ns>},
    {"Spread (%)", store_not_negative<&StoredRow::spread_percent>},
    {"Visits (%)", store_not_negative<&StoredRow::visits_percent>},
    {"Placement (%)", store_not_negative<&StoredRow::visits_percent>}, // of files from before there were visits
    {"Visits", store_count<&StoredRow::visits>},
    {"Batches", store_count<&StoredRow::batches>},
    {"Notes", [](StoredRow& row, const Field& field) { row.notes = field.text; }},
}};

// The first ones are in every sweep, and stand first where there is no header.
constexpr std::size_t required_columns = 3;

/// @return null for a column that is not known.
const Column* find_column(std::string_view name) {
    for (const Column& column : columns)
        if (column.name == name)
            return &column;
    return nullptr;
}

bool starts_with_number(std::string_view line) {
    return line.front() == '-' || (line.front() >= '0' && line.front() <= '9');
}

/// Reads a sweep line by line.
class SweepReader {
public:
    explicit SweepReader(const std::string& name) { sweep_.name = name; }

    void read_line(std::string_view line) {
        ++line_number_;
        line = trimmed(line);
        if (line.empty())
            return;
        if (line.front() == '#')
            return read_description(line);
        split(line, fields_);
        if (layout_.empty()) {
            if (!starts_with_number(line))
                return read_header();
            assume_classic_header();
        }
        read_row();
    }

    [[nodiscard]] Place place() const { return {sweep_.name, line_number_}; }

    StoredSweep finish() && {
        if (sweep_.rows.empty())
            throw usage_error(fmt::format("{}: holds no rows", sweep_.name));
        return std::move(sweep_);
    }

private:
    void read_description(std::string_view line) {
        const auto colon = line.find(": ");
        if (line.substr(0, 2) != "# " || colon == std::string_view::npos)
            return;
        sweep_.description.emplace_back(line.substr(2, colon - 2), trimmed(line.substr(colon + 2)));
    }

    void read_header() {
        for (const Column& column : std::span(columns).first<required_columns>())
            if (std::find(fields_.begin(), fields_.end(), column.name) == fields_.end())
                throw place().error(fmt::format("{} is no header of a sweep: it lacks the column `{}`",
                                                quoted(fields_.front()), column.name));
        for (const std::string_view name : fields_)
            layout_.push_back(find_column(name));
    }

    void assume_classic_header() {
        layout_.assign(std::max(fields_.size(), required_columns), nullptr);
        for (std::size_t i = 0; i < required_columns; ++i)
            layout_[i] = &columns[i];
    }

    void read_row() {
        if (fields_.size() != layout_.size())
            throw place().error(
                fmt::format("there should be {} columns, but there are {}", layout_.size(), fields_.size()));
        StoredRow& row = sweep_.rows.emplace_back();
        row.line_number = line_number_;
        for (std::size_t i = 0; i < fields_.size(); ++i)
            if (layout_[i] != nullptr)
                layout_[i]->store(row, {layout_[i]->name, fields_[i], place()});
    }

    StoredSweep sweep_;
    std::size_t line_number_ = 0;
    std::vector<const Column*> layout_; ///< of a row's fields, null for a column not known; empty before the header
    std::vector<std::string_view> fields_;
};

} // namespace

std::optional<std::string_view> StoredSweep::value_of(std::string_view key) const {
    return memtest::value_of(description, key);
}

std::vector<int> StoredSweep::threads() const {
    std::vector<int> result;
    for (const StoredRow& row : rows)
        result.push_back(row.thread);
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

StoredSweep read_sweep(std::istream& in, const std::string& name) {
    SweepReader reader(name);
    std::vector<char> line(max_line_length + 1);
    while (in.getline(line.data(), static_cast<std::streamsize>(line.size()))) {
        // gcount includes the line end, which the last line may lack.
        const auto length = static_cast<std::size_t>(in.gcount()) - (in.eof() ? 0 : 1);
        reader.read_line({line.data(), length});
    }
    if (in.bad())
        throw Error(fmt::format("{}: cannot be read", name));
    if (!in.eof())
        throw usage_error(fmt::format("{}:{}: the line is too long for a sweep", name, reader.place().line_number + 1));
    return std::move(reader).finish();
}

StoredSweep read_sweep_file(const std::string& path) {
    if (path == "-")
        return read_sweep(std::cin, "standard input");
    if (path.empty())
        throw usage_error("'' is no name of a file; give the name of a stored sweep, or - for standard input");
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw usage_error(fmt::format("{}: cannot be opened: {}", path, std::generic_category().message(errno)));
    return read_sweep(file, path);
}

} // namespace memtest

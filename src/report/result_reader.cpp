#include "memtest/report/result_reader.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/report/file.hpp"
#include "memtest/report/loaded.hpp"
#include "memtest/report/matrix.hpp"
#include "memtest/report/run_keys.hpp"
#include "memtest/report/sweep.hpp"
#include "memtest/report/tail.hpp"
#include "memtest/report/translation.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <istream>
#include <set>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

// Without limits, input that does not end would take all memory, or all of the stack.
constexpr std::size_t most_rows = 4'100'000;  // more than 4096 processors at 1000 sizes have
constexpr std::size_t most_sentences = 1'000; // warnings or remarks
constexpr std::size_t deepest = 16;           // of JSON: the batches of a visit are the deepest there are

constexpr std::array<const Kind*, 7> stored_kinds{&sweep_kind,          &tlb_kind,   &loaded_kind, &tail_kind,
                                                  &tail_histogram_kind, &cores_kind, &nodes_kind};

/// Whether every file of the column's kind has it.
bool is_always_there(const Column& column) {
    return column.group == ColumnGroup::always && !column.name.empty();
}

/// The kind of a row or header, by the columns that are always there; null where there is none.
template<class Has>
const Kind* kind_by(const Has& has) {
    const auto found = std::ranges::find_if(stored_kinds, [&](const Kind* kind) {
        return std::ranges::all_of(kind->columns, [&](const Column& c) { return !is_always_there(c) || has(c); });
    });
    return found == stored_kinds.end() ? nullptr : *found;
}

/// What the nearest kind has and these fields lack, as the end of a sentence; empty where no kind is near.
std::string what_is_missing(std::span<const std::string_view> fields) {
    const auto has = [&](const Column& column) { return std::ranges::find(fields, column.name) != fields.end(); };
    const auto shared = [&](const Kind* kind) {
        return std::ranges::count_if(kind->columns, [&](const Column& c) { return is_always_there(c) && has(c); });
    };
    const Kind& nearest = **std::ranges::max_element(stored_kinds, {}, shared);
    if (shared(&nearest) == 0)
        return "";
    const auto missing =
        std::ranges::find_if(nearest.columns, [&](const Column& c) { return is_always_there(c) && !has(c); });
    return fmt::format(": {} has the column `{}`, too",
                       nearest.verb.empty() ? "a sweep" : fmt::format("one of 'memtest {}'", nearest.verb),
                       missing->name);
}

std::string what_is_wanted(const Column& column) {
    if (column.type == Column::Type::word || column.type == Column::Type::words)
        return "text";
    return fmt::format("a {}number from {:g} to {:g}", column.type == Column::Type::count ? "whole " : "",
                       column.lowest, column.highest);
}

/// A field of CSV: a number where its column has numbers and it is one.
Value cell_of(const Column& column, std::string_view field) {
    if (column.type == Column::Type::count) {
        if (const auto count = parse_number<std::uint64_t>(field))
            return *count;
    }
    if (column.type == Column::Type::figure) {
        if (const auto number = parse_number<double>(field))
            return *number;
    }
    return field.empty() ? Value() : field;
}

/// Whether the cell is of the column's type and range. Text becomes words.
bool take_cell(const Column& column, Value& cell) {
    if (!cell.is_known())
        return !column.needed;
    if (column.type == Column::Type::count && cell.as<std::uint64_t>() == nullptr)
        return false;
    if (column.type == Column::Type::count || column.type == Column::Type::figure)
        return cell.number() && column.holds(*cell.number());
    const auto* text = cell.as<std::string>();
    if (column.type == Column::Type::words && text != nullptr) {
        Value::List words;
        for (std::string_view rest = *text; !rest.empty();
             rest.remove_prefix(std::min(rest.find(' '), rest.size() - 1) + 1))
            words.emplace_back(rest.substr(0, rest.find(' ')));
        cell = std::move(words);
    }
    return text != nullptr || (column.type == Column::Type::words && cell.as<Value::List>() != nullptr);
}

ResultRow& add_row(Result& result) {
    if (result.rows.size() == most_rows)
        throw usage_error(fmt::format("{}: holds more than {} rows, which no result does", result.name, most_rows));
    return result.rows.emplace_back();
}

void add_sentence(std::vector<std::string>& sentences, std::string_view sentence) {
    if (sentences.size() < most_sentences)
        sentences.push_back(on_one_line(sentence));
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

/// Reads CSV line by line.
class CsvReader {
public:
    explicit CsvReader(Result& result) : result_(result) {}

    void read_line(std::string_view line, std::size_t number) {
        line_ = trimmed(line);
        number_ = number;
        if (line_.empty())
            return;
        if (line_.front() == '#')
            return read_keyed();
        if (line_.find(';') != std::string_view::npos)
            throw error(fmt::format("{}: columns are separated by commas, not semicolons, and decimals take a point",
                                    in_quotes(line_)));
        split_fields(line_, fields_);
        if (result_.kind == nullptr && !starts_with_number(line_))
            return read_header();
        if (result_.kind == nullptr)
            assume_classic_header();
        read_row();
    }

private:
    void read_keyed() {
        const std::size_t colon = line_.find(": ");
        if (!line_.starts_with("# ") || colon == std::string_view::npos)
            return;
        const std::string_view key = line_.substr(2, colon - 2);
        const std::string_view value = trimmed(line_.substr(colon + 2));
        if (key == warning_key)
            add_sentence(result_.warnings, value);
        else if (key.ends_with(remark_key))
            add_sentence(result_.remarks, value);
        else if (!read_run_line(result_.run, key, value))
            throw error(fmt::format("{} is {}, which is not known", key, in_quotes(value)));
    }

    void read_header() {
        std::ranges::replace(fields_, "Placement (%)", "Visits (%)"); // of files from before there were visits
        const auto has = [&](const Column& column) { return std::ranges::find(fields_, column.name) != fields_.end(); };
        result_.kind = kind_by(has);
        if (result_.kind == nullptr)
            throw error(
                fmt::format("{} is no header of a result{}", in_quotes(fields_.front()), what_is_missing(fields_)));
        for (const std::string_view name : fields_) {
            const auto column = std::ranges::find(result_.kind->columns, name, &Column::name);
            layout_.push_back(static_cast<std::size_t>(column - result_.kind->columns.begin()));
            if (column != result_.kind->columns.end())
                columns_ = std::max(columns_, layout_.back() + 1);
        }
    }

    void assume_classic_header() {
        result_.kind = &sweep_kind;
        columns_ = 3;
        layout_.assign(std::max(fields_.size(), columns_), sweep_kind.columns.size());
        for (std::size_t i = 0; i < columns_; ++i)
            layout_[i] = i;
    }

    void read_row() {
        if (has_decimal_comma(line_))
            throw error(fmt::format("{}: decimals take a point, not a comma", in_quotes(line_)));
        if (fields_.size() != layout_.size())
            throw error(fmt::format("there should be {} columns, but there are {}", layout_.size(), fields_.size()));
        std::vector<Value>& values = add_row(result_).values;
        values.resize(columns_);
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            if (layout_[i] == result_.kind->columns.size()) // an unknown one
                continue;
            const Column& column = result_.kind->columns[layout_[i]];
            Value cell = cell_of(column, fields_[i]);
            if (!take_cell(column, cell))
                throw error(
                    fmt::format("{} is {}, not {}", column.name, in_quotes(fields_[i]), what_is_wanted(column)));
            values[layout_[i]] = std::move(cell);
        }
    }

    /// In the line that was read last.
    [[nodiscard]] Error error(std::string_view what) const {
        return usage_error(fmt::format("{}:{}: {}", result_.name, number_, what));
    }

    Result& result_;
    std::string_view line_;
    std::size_t number_ = 0;
    std::vector<std::string_view> fields_;
    std::vector<std::size_t> layout_; ///< by field, its column; the number of columns of the kind for an unknown one
    std::size_t columns_ = 0;         ///< of the kind, up to the last that is in the file
};

/// Takes each row and each member as soon as the parser has read it, so that they are kept where the document is cut,
/// and nothing else is held in memory. The names of its members are those that the parser calls.
class JsonReader {
public:
    JsonReader(Result& result, std::istream& in) : result_(result), in_(in) {}

    bool null() { return take({}); }
    bool boolean(bool yes) { return take(yes); }
    bool number_integer(std::int64_t number) { return take(static_cast<double>(number)); }
    bool number_unsigned(std::uint64_t count) { return take(count); }
    bool number_float(double number, const std::string& /*text*/) { return take(number); }
    bool string(std::string& text) { return take(std::move(text)); }
    static bool binary(std::vector<std::uint8_t>& /*bytes*/) { return false; } // not in JSON
    bool start_object(std::size_t /*size*/) { return open(false); }
    bool start_array(std::size_t /*size*/) { return open(true); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }

    bool key(std::string& name) {
        if (depth_ != open_.size())
            return true; // in what is skipped
        if (depth_ == 1)
            section_ = name;
        skips_next_ = !is_wanted(name);
        if (!skips_next_)
            open_.back().name = std::move(name);
        return true;
    }

    bool parse_error(std::size_t byte, const std::string& /*token*/, const nlohmann::json::exception& error) {
        constexpr int too_large = 406;
        if (error.id == too_large)
            throw usage_error(fmt::format("{}: holds a number that is too large for a result", result_.name));
        if (!in_.eof())
            throw usage_error(fmt::format("{}: is not valid JSON at byte {}", result_.name, byte));
        result_.cut = true;
        return false;
    }

    void check() const {
        if (!has_schema_)
            throw usage_error(fmt::format("{}: is no result: it lacks `schema`", result_.name));
    }

private:
    [[nodiscard]] bool is_in(std::size_t depth, std::string_view section) const {
        return depth_ == depth && section_ == section;
    }

    /// Whether the value of the member that was just named is to be kept.
    [[nodiscard]] bool is_wanted(std::string_view name) const {
        constexpr std::array<std::string_view, 6> sections{"schema", "verb", "run", "rows", "warnings", "remarks"};
        const auto is_member = [&](const auto& entry) { return entry.member == name; };
        if (depth_ == 1)
            return std::ranges::find(sections, name) != sections.end() || std::ranges::any_of(run_keys(), is_member);
        if (is_in(3, "rows"))
            return std::ranges::any_of(stored_kinds,
                                       [&](const Kind* kind) { return std::ranges::any_of(kind->columns, is_member); });
        return true;
    }

    bool open(bool is_list) {
        if (++depth_ > deepest)
            throw usage_error(fmt::format("{}: is nested deeper than any result", result_.name));
        if (depth_ == 1 && is_list)
            throw usage_error(fmt::format("{}: is no result: a JSON array, not an object", result_.name));
        if (!skips_next_ && open_.size() + 1 == depth_)
            open_.push_back({.is_list = is_list});
        return true;
    }

    bool close() {
        const bool is_skipped = depth_ != open_.size();
        --depth_;
        if (depth_ == open_.size()) // the end of what is skipped
            skips_next_ = false;
        if (is_skipped)
            return true;
        Container closed = std::move(open_.back());
        open_.pop_back();
        return depth_ == 0 || take(closed.is_list ? Value(std::move(closed.list)) : Value(std::move(closed.members)));
    }

    bool take(const Value& value) {
        if (depth_ != open_.size() || std::exchange(skips_next_, false))
            return true;
        Container& parent = open_.back();
        if (is_in(2, "rows"))
            read_row(value);
        else if (is_in(2, "warnings") || is_in(2, "remarks"))
            add_sentence(section_ == "warnings" ? result_.warnings : result_.remarks, sentence_of(value));
        else if (depth_ == 1 || (is_in(2, "run") && !parent.is_list))
            read_member({std::move(parent.name), value});
        else if (parent.is_list)
            parent.list.push_back(value);
        else
            parent.members.push_back({std::move(parent.name), value});
        return true;
    }

    /// A sentence, or the one of a thread.
    static std::string sentence_of(const Value& value) {
        return value.as<Value::Members>() == nullptr ? value.text() : value["remark"].text();
    }

    void read_member(const Member& member) {
        if (depth_ == 1 && member.name == "schema")
            read_schema(member.value);
        else if (depth_ == 1 && member.name == "verb")
            read_verb(member.value.text());
        else if (!read_run_member(result_.run, member, depth_ == 1))
            throw usage_error(fmt::format("{}: {} is {}, which is not known", result_.name, member.name,
                                          in_quotes(member.value.json())));
    }

    void read_schema(const Value& schema) {
        const auto number = schema.number();
        has_schema_ = number && (*number == 1 || *number == schema_version);
        if (!has_schema_)
            throw usage_error(fmt::format("{}: has the schema {}; this program knows 1 to {}", result_.name,
                                          in_quotes(schema.text()), schema_version));
    }

    void read_verb(std::string_view verb) {
        const auto* const found = std::ranges::find(stored_kinds, verb, &Kind::verb);
        if (found == stored_kinds.end())
            throw usage_error(
                fmt::format("{}: is of the verb {}, whose results are not read", result_.name, in_quotes(verb)));
        if (result_.kind != nullptr && result_.kind != *found)
            throw usage_error(
                fmt::format("{}: has rows of another kind than its verb {}", result_.name, in_quotes(verb)));
        result_.kind = *found;
    }

    void read_row(const Value& members) {
        const auto has = [&](const Column& column) {
            const auto* all = members.as<Value::Members>();
            return all != nullptr && std::ranges::find(*all, column.member, &Member::name) != all->end();
        };
        if (result_.kind == nullptr) // the verb may stand behind the rows
            result_.kind = kind_by(has);
        const Kind& kind = result_.kind == nullptr ? sweep_kind : *result_.kind;
        result_.kind = &kind;
        std::vector<Value>& values = add_row(result_).values;
        for (const Column& column : kind.columns) {
            if (is_always_there(column) && !has(column))
                throw row_error(fmt::format("there is no {}", column.member));
            Value cell = column.member.empty() ? Value() : members[column.member];
            if (!take_cell(column, cell))
                throw row_error(fmt::format("{} is {}, not {}", column.member, in_quotes(members[column.member].text()),
                                            what_is_wanted(column)));
            values.push_back(std::move(cell));
        }
    }

    [[nodiscard]] Error row_error(std::string_view what) const {
        return usage_error(fmt::format("{}: row {}: {}", result_.name, result_.rows.size(), what));
    }

    /// A list, or members, whose end is not reached.
    struct Container {
        bool is_list = false;
        Value::List list{};
        Value::Members members{};
        std::string name{}; ///< of the next member
    };

    Result& result_;
    std::istream& in_;
    std::string section_;   ///< the member of the document that is being read
    std::size_t depth_ = 0; ///< of the parser; beyond that of what is open, all is skipped
    std::vector<Container> open_;
    bool skips_next_ = false;
    bool has_schema_ = false;
};

void read_json(std::istream& in, Result& result) {
    JsonReader reader(result, in);
    static_cast<void>(nlohmann::json::sax_parse(in, &reader));
    reader.check();
}

void read_csv(std::istream& in, Result& result) {
    CsvReader reader(result);
    result.cut =
        read_lines(in, result.name, [&](std::string_view line, std::size_t number) { reader.read_line(line, number); });
}

/// How many threads have a row for each size of a sweep.
std::uint64_t threads_of(const Result& sweep) {
    std::set<int> threads;
    for (const ResultRow& row : sweep.rows)
        threads.insert(thread_of(row));
    return std::max<std::uint64_t>(threads.size(), sweep.run.threads.value_or(1));
}

} // namespace

Result read_result(std::istream& in, const std::string& name) {
    Result result{.name = name};
    skip_byte_order_mark(in, name);
    const int first = in.peek();
    if (first == '{' || first == '[')
        read_json(in, result);
    else
        read_csv(in, result);
    if (result.rows.empty())
        throw usage_error(fmt::format("{}: holds no {}rows", name, result.cut ? "whole " : ""));
    return result;
}

Result read_result(const std::string& path) {
    InputFile file(path);
    return read_result(file.stream(), file.name());
}

Result read_result(const std::string& path, const Kind& kind) {
    Result result = read_result(path);
    const auto what = [](const Kind& of) {
        return of.verb.empty() ? "a sweep" : fmt::format("what 'memtest {}' measured", of.verb);
    };
    if (result.kind != &kind)
        throw usage_error(
            fmt::format("{}: holds {}, and {} is needed here", result.name, what(*result.kind), what(kind)));
    return result;
}

void check_standard_input(const std::vector<std::string>& files) {
    if (std::ranges::count(files, "-") > 1)
        throw usage_error("'-', which is standard input, may be given once");
}

std::vector<Result> read_sweeps(const std::vector<std::string>& files) {
    check_standard_input(files);
    std::vector<Result> sweeps;
    for (const std::string& file : files)
        sweeps.push_back(read_result(file, sweep_kind));
    return sweeps;
}

const Value& ResultRow::operator[](std::size_t column) const {
    static const Value none;
    return column < values.size() ? values[column] : none;
}

std::vector<std::string> ResultRow::words(std::size_t column) const {
    std::vector<std::string> words;
    if (const auto* list = (*this)[column].as<Value::List>()) {
        for (const Value& word : *list)
            words.push_back(word.text());
    }
    return words;
}

std::optional<std::string> why_incomplete(const Result& result) {
    if (result.cut)
        return "is cut: its last line has no end";
    const auto& end = result.run.end;
    if (!end)
        return result.run.version ? std::optional("does not say how its run ended") : std::nullopt;
    if (!end->complete())
        return fmt::format("has {} of {} {}{}", end->measured, end->planned, end->things(),
                           end->interrupted ? ": its run was interrupted or failed" : "");
    const std::uint64_t threads = result.kind == &sweep_kind ? threads_of(result) : 1;
    if (result.rows.size() == threads * end->measured)
        return std::nullopt;
    std::string things(end->things());
    things.resize(things.size() - (end->measured == 1 ? 1 : 0));
    return fmt::format("has {} row{}, but its end tells of {} {}{}", result.rows.size(),
                       result.rows.size() == 1 ? "" : "s", end->measured, things,
                       threads == 1 ? "" : fmt::format(" on {} threads", threads));
}

} // namespace memtest

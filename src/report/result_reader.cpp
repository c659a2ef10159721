#include "memtest/report/result_reader.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
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
#include <cstdio>
#include <istream>
#include <memory>
#include <set>
#include <streambuf>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

// Without limits, input that does not end (/dev/zero) would take all memory, or all of the stack.
constexpr std::size_t most_bytes = std::size_t{512} << 20U;
constexpr std::size_t most_line_bytes = std::size_t{64} * 1024; // a list of 4096 processors takes 20 KiB
constexpr std::size_t most_rows = 4'100'000;                    // more than 4096 processors at 1000 sizes have
constexpr std::size_t most_sentences = 1'000;                   // warnings or remarks
constexpr std::size_t deepest = 16; // of JSON: the batches of a visit are the deepest there are

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
        sentences.push_back(escaped(sentence));
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

    void read(std::istream& in) {
        std::vector<char> line(most_line_bytes + 1);
        for (number_ = 1; in.getline(line.data(), static_cast<std::streamsize>(line.size())); ++number_) {
            // A cut line lacks its end, which gcount counts; its last number may lack digits.
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

using Json = nlohmann::json; // its objects find a name among many

Value from_json(const Json& json) {
    if (json.is_boolean())
        return json.get<bool>();
    if (json.is_number_unsigned())
        return json.get<std::uint64_t>();
    if (json.is_number())
        return json.get<double>();
    if (json.is_string())
        return json.get<std::string>();
    if (json.is_array()) {
        Value::List list;
        for (const Json& element : json)
            list.push_back(from_json(element));
        return list;
    }
    if (json.is_object()) {
        Value::Members members;
        for (const auto& [name, value] : json.items())
            members.push_back({name, from_json(value)});
        return members;
    }
    return {};
}

/// Takes each row and each member as soon as the parser has read it, so that they are kept where the document is cut,
/// and no row is held in memory twice.
class JsonReader {
public:
    explicit JsonReader(Result& result) : result_(result) {}

    void read(std::istream& in) {
        try {
            [[maybe_unused]] const Json what_is_left =
                Json::parse(in, [this](int depth, Json::parse_event_t event, const Json& parsed) {
                    return take(static_cast<std::size_t>(depth), event, parsed);
                });
        } catch (const Json::out_of_range&) {
            throw error("holds a number that is too large for a result");
        } catch (const Json::parse_error& at) {
            if (!in.eof())
                throw error(fmt::format("is not valid JSON at byte {}", at.byte));
            result_.cut = true;
        }
        if (!has_schema_)
            throw error("is no result: it lacks `schema`");
    }

private:
    /// @param depth how many lists and objects are open around it
    /// @return whether the parser keeps it, for the end of what it is in
    bool take(std::size_t depth, Json::parse_event_t event, const Json& parsed) {
        using Event = Json::parse_event_t;
        if (event == Event::key)
            return take_name(depth, parsed.get_ref<const std::string&>());
        if (event == Event::object_start || event == Event::array_start) {
            if (depth == deepest)
                throw error("is nested deeper than any result");
            if (depth == 0 && event == Event::array_start)
                throw error("is no result: a JSON array, not an object");
            return true;
        }
        if (depth == 1)
            read_member({section_, from_json(parsed)}, true);
        return depth != 2 || !take_element(from_json(parsed));
    }

    /// @return whether nothing more is to be made of it
    bool take_element(const Value& element) {
        if (section_ == "rows")
            read_row(element);
        else if (section_ == "run")
            read_member({name_, element}, false);
        else if (section_ == "warnings" || section_ == "remarks")
            add_sentence(section_ == "warnings" ? result_.warnings : result_.remarks, sentence_of(element));
        else
            return false;
        return true;
    }

    /// @return whether the member of that name is wanted
    bool take_name(std::size_t depth, const std::string& name) {
        const auto is_member = [&](const auto& entry) { return entry.member == name; };
        if (depth == 1) {
            constexpr std::array<std::string_view, 6> sections{"schema", "verb", "run", "rows", "warnings", "remarks"};
            section_ = name;
            name_.clear();
            return std::ranges::find(sections, name) != sections.end() || std::ranges::any_of(run_keys(), is_member);
        }
        if (depth == 2) {
            name_ = name;
            return section_ != "run" || std::ranges::any_of(run_keys(), is_member);
        }
        return depth != 3 || section_ != "rows" || std::ranges::any_of(stored_kinds, [&](const Kind* kind) {
                   return std::ranges::any_of(kind->columns, is_member);
               });
    }

    /// A sentence, or the one of a thread.
    static std::string sentence_of(const Value& value) {
        return value.as<Value::Members>() == nullptr ? value.text() : value["remark"].text();
    }

    void read_member(const Member& member, bool of_document) {
        if (of_document && member.name == "schema")
            read_schema(member.value);
        else if (of_document && member.name == "verb")
            read_verb(member.value.text());
        else if (!read_run_member(result_.run, member, of_document))
            throw error(fmt::format("{} is {}, which is not known", member.name, in_quotes(member.value.json())));
    }

    void read_schema(const Value& schema) {
        const auto number = schema.number();
        has_schema_ = number && (*number == 1 || *number == schema_version);
        if (!has_schema_)
            throw error(
                fmt::format("has the schema {}; this program knows 1 to {}", in_quotes(schema.text()), schema_version));
    }

    void read_verb(std::string_view verb) {
        const auto* const found = std::ranges::find(stored_kinds, verb, &Kind::verb);
        if (found == stored_kinds.end())
            throw error(fmt::format("is of the verb {}, whose results are not read", in_quotes(verb)));
        if (result_.kind != nullptr && result_.kind != *found)
            throw error(fmt::format("has rows of another kind than its verb {}", in_quotes(verb)));
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
        return error(fmt::format("row {}: {}", result_.rows.size(), what));
    }

    [[nodiscard]] Error error(std::string_view what) const {
        return usage_error(fmt::format("{}: {}", result_.name, what));
    }

    Result& result_;
    std::string section_; ///< the member of the document that is being read
    std::string name_;    ///< of the member of that
    bool has_schema_ = false;
};

/// Skips the mark that some editors put ahead of UTF-8. @throws Error (usage) for text in UTF-16
void skip_byte_order_mark(std::istream& in, const std::string& name) {
    const int first = in.peek();
    if (first == 0xff || first == 0xfe)
        throw usage_error(fmt::format("{}: is UTF-16; make it UTF-8 with iconv -f UTF-16 -t UTF-8", name));
    if (first != 0xef)
        return;
    std::array<char, 3> mark{};
    in.read(mark.data(), mark.size());
    if (std::string_view(mark.data(), mark.size()) != "\xef\xbb\xbf")
        throw usage_error(fmt::format("{}: is not text", name));
}

std::FILE* opened(const std::string& path) {
    if (path == "-")
        return stdin;
    if (path.empty())
        throw usage_error("'' is not a file name; give the name of a stored sweep, or - for standard input");
    std::FILE* file = std::fopen(path.c_str(), "r");
    if (file == nullptr)
        throw usage_error(fmt::format("{}: cannot be opened: {}", path, system_reason()));
    return file;
}

void close_input(std::FILE* file) {
    if (file != stdin)
        std::fclose(file);
}

/// What a stream reads of a file. It throws where the system refuses, and where there is more than any result holds.
class FileBuffer : public std::streambuf {
public:
    FileBuffer(std::FILE* file, std::string name) : file_(file), name_(std::move(name)) {}

private:
    int_type underflow() override {
        const std::size_t count = std::fread(buffer_.data(), 1, buffer_.size(), file_);
        if (count == 0 && std::ferror(file_) != 0)
            throw Error(fmt::format("{}: cannot be read: {}", name_, system_reason()));
        if (count == 0)
            return traits_type::eof();
        taken_ += count;
        if (taken_ > most_bytes)
            throw usage_error(
                fmt::format("{}: holds more than {} MiB, which no result does", name_, most_bytes >> 20U));
        setg(buffer_.data(), buffer_.data(), buffer_.data() + count);
        return traits_type::to_int_type(buffer_[0]);
    }

    std::FILE* file_;
    std::string name_;
    std::size_t taken_ = 0;
    std::array<char, std::size_t{64} * 1024> buffer_{};
};

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
        JsonReader(result).read(in);
    else
        CsvReader(result).read(in);
    if (result.rows.empty())
        throw usage_error(fmt::format("{}: holds no {}rows", name, result.cut ? "whole " : ""));
    return result;
}

Result read_result(const std::string& path) {
    const std::unique_ptr<std::FILE, void (*)(std::FILE*)> file(opened(path), close_input);
    const std::string name = path == "-" ? "standard input" : path;
    FileBuffer buffer(file.get(), name);
    std::istream in(&buffer);
    in.exceptions(std::ios::badbit); // lets pass what the buffer throws
    return read_result(in, name);
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
    return fmt::format("has {}, but its end tells of {} {}{}", counted(result.rows.size(), "row"), end->measured,
                       things, threads == 1 ? "" : fmt::format(" on {} threads", threads));
}

} // namespace memtest

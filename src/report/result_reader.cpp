#include "memtest/report/result_reader.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/report/legacy.hpp"
#include "memtest/report/loaded.hpp"
#include "memtest/report/matrix.hpp"
#include "memtest/report/prefetch.hpp"
#include "memtest/report/run_description.hpp"
#include "memtest/report/sweep.hpp"
#include "memtest/report/tail.hpp"
#include "memtest/report/translation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <istream>
#include <limits>
#include <memory>
#include <optional>
#include <streambuf>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

// Without limits, endless input (/dev/zero) would exhaust the memory or the stack.
constexpr std::size_t most_bytes = std::size_t{512} << 20U;
constexpr std::size_t most_line_bytes = std::size_t{4} << 20U; // the pages of 4096 threads take 330 KiB
constexpr std::size_t most_rows = 4'100'000;                   // more than 4096 processors at 1000 sizes have
constexpr std::size_t most_notices = 1'000;                    // warnings or remarks
constexpr std::size_t deepest = 16;               // of JSON: the batches of a visit are the deepest there are
constexpr std::size_t deepest_unwanted = 100'000; // in what is skipped; the parser keeps a note of each level
constexpr std::size_t most_names = 200;           // of an object
constexpr std::size_t most_parts = 200;           // of a report
constexpr std::size_t most_values = 100'000; // of a row or of a member of the run: pages of 4096 threads are 20,000

const std::array<const Kind*, 8>& stored_kinds() {
    static const std::array<const Kind*, 8> kinds{&sweep_kind,          &tlb_kind,   &loaded_kind, &tail_kind,
                                                  &tail_histogram_kind, &cores_kind, &nodes_kind,  &prefetch_kind};
    return kinds;
}

/// The kind of a row or header, from the columns that are always there; null if none matches.
template<class Has>
const Kind* kind_by(const Has& has) {
    const auto& kinds = stored_kinds();
    const auto found = std::ranges::find_if(kinds, [&](const Kind* kind) {
        return std::ranges::all_of(kind->columns(), [&](const Column& c) { return !c.is_always_there() || has(c); });
    });
    return found == kinds.end() ? nullptr : *found;
}

std::string described(const Kind& kind) {
    return kind.facts.verb.empty() ? "a sweep" : fmt::format("a result of 'memtest {}'", kind.facts.verb);
}

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

std::string what_is_wanted(const Column& column) {
    if (column.is_word())
        return "text";
    return fmt::format("a {}number from {:g} to {:g}", column.type == Column::Type::count ? "whole " : "",
                       column.lowest, column.highest);
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

/// A text as the list of its words.
Json words_in(std::string_view text) {
    Json words = Json::array();
    for (; !text.empty(); text.remove_prefix(std::min(text.find(' '), text.size() - 1) + 1))
        words.push_back(text.substr(0, text.find(' ')));
    return words;
}

/// Whether the value is of the column's type and range.
bool is_of_type(const Column& column, const Json& value) {
    if (column.type == Column::Type::count && !value.is_number_unsigned())
        return false;
    if (column.is_number())
        return value.is_number() && column.holds(value.get<double>());
    return value.is_string() || (column.type == Column::Type::words && value.is_array());
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

/// Takes over what a file contains, in either format: members of the document and rows.
class Taker {
public:
    /// @param result must outlive it @param missing of a report; null for one of its parts
    explicit Taker(Result& result, std::vector<MissingPart>* missing = nullptr) : result_(result), missing_(missing) {}

    /// Takes a complete member of the document.
    void take_member(std::string_view name, const Json& value) {
        if (name == "schema")
            take_schema(value);
        else if (name == "verb")
            take_verb(text_of(value));
        else
            take_run_member(name, value, true);
    }

    /// Takes a row, or an element of another member of the document.
    void take_element(std::string_view section, std::string_view name, const Json& element) {
        if (section == "rows")
            take_row(element);
        else if (section == "row_notes")
            take_row_notes(element);
        else if (section == "run")
            take_run_member(name, element, false);
        else if (section == "missing")
            take_missing(element);
        else
            add_notice(section == "warnings" ? result_.warnings : result_.remarks, element);
    }

    /// A warning or a remark. Before version 3 it is a sentence, or with its thread in an object.
    static void add_notice(std::vector<Notice>& notices, const Json& element) {
        if (notices.size() == most_notices)
            return;
        const Json& sentence = element.is_object() ? member(element, "remark") : element;
        notices.push_back(sentence.is_string() ? notice_of_sentence(text_of(sentence)) : notice_in(element));
    }

    void begin_row() {
        rows_ = result_.kind->add_row(result_.rows);
        if (rows_ > most_rows)
            throw error(fmt::format("holds more than {} rows, which no result does", most_rows));
    }

    /// @return whether the column of the last row takes the value
    bool set(std::size_t place, const Json& value) {
        const Column& column = result_.kind->columns()[place];
        if (value.is_null())
            return !column.needed;
        const bool is_words = column.type == Column::Type::words && value.is_string();
        return is_of_type(column, value) &&
               result_.kind->set(result_.rows, place, is_words ? words_in(value.get_ref<const std::string&>()) : value);
    }

    [[nodiscard]] bool has_schema() const { return has_schema_; }
    [[nodiscard]] bool is_report() const { return is_report_; }

    [[nodiscard]] Error error(std::string_view what) const {
        return usage_error(fmt::format("{}: {}", result_.name, what));
    }

private:
    void take_run_member(std::string_view name, const Json& value, bool of_document) {
        if (!read_run_member(result_.run, name, value, of_document))
            throw error(fmt::format("{} is {}, which is not known", name, in_quotes(dumped(value))));
    }

    void take_schema(const Json& schema) {
        has_schema_ = schema.is_number_unsigned() && schema >= 1U && schema <= schema_version;
        if (!has_schema_)
            throw error(fmt::format("has the schema {}; this program knows 1 to {}", in_quotes(text_of(schema)),
                                    schema_version));
    }

    void take_missing(const Json& part) {
        if (missing_ != nullptr && missing_->size() < most_notices)
            missing_->push_back({text_of(member(part, "part")), text_of(member(part, "reason"))});
    }

    void take_verb(std::string_view verb) {
        is_report_ = verb == "report" && missing_ != nullptr && result_.kind == nullptr;
        if (is_report_)
            return;
        const auto* const found =
            std::ranges::find(stored_kinds(), verb, [](const Kind* kind) { return kind->facts.verb; });
        if (found == stored_kinds().end())
            throw error(fmt::format("is of the command {}, whose results are not read", in_quotes(verb)));
        if (result_.kind != nullptr && result_.kind != *found)
            throw error(fmt::format("has rows of another kind than its command {}", in_quotes(verb)));
        result_.kind = *found;
    }

    /// Takes the notes of a row, for files without a column of notes.
    void take_row_notes(const Json& of_row) {
        auto* rows = std::get_if<std::vector<Row>>(&result_.rows);
        const auto row = number_in(member(of_row, "row"));
        if (rows != nullptr && row && *row >= 0 && *row < static_cast<double>(rows->size()))
            add_notes((*rows)[static_cast<std::size_t>(*row)], of_row);
    }

    void take_row(const Json& members) {
        const auto has = [&](const Column& column) {
            return members.is_object() && members.contains(std::string(column.member));
        };
        if (result_.kind == nullptr) // the command may come after the rows
            result_.kind = kind_by(has);
        if (result_.kind == nullptr)
            result_.kind = &sweep_kind;
        begin_row();
        const auto columns = result_.kind->columns();
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const Column& column = columns[i];
            if (column.type == Column::Type::detail)
                continue;
            if (column.is_always_there() && !has(column))
                throw error(fmt::format("row {}: there is no {}", rows_, column.member));
            const Json& value = member(members, column.member);
            if (!set(i, value))
                throw error(fmt::format("row {}: {} is {}, not {}", rows_, column.member, in_quotes(text_of(value)),
                                        what_is_wanted(column)));
        }
    }

    Result& result_;
    std::vector<MissingPart>* missing_;
    std::size_t rows_ = 0;
    bool has_schema_ = false;
    bool is_report_ = false;
};

using Event = Json::parse_event_t;

/// Whether a list or an object begins. @param most lists and objects that may be open @throws Error (usage) for more
bool is_start(std::size_t depth, Event event, std::size_t most, const Taker& taker) {
    const bool starts = event == Event::object_start || event == Event::array_start;
    if (starts && depth >= most)
        throw taker.error("is nested deeper than any result");
    return starts;
}

/// Lets the parser take all of the input. @throws Json::parse_error
template<class Input, class Parser>
void parse_json(Input& input, Parser& parser, const Taker& taker) {
    try {
        [[maybe_unused]] const Json what_is_left =
            Json::parse(input, [&parser](int depth, Event event, const Json& parsed) {
                return parser.take(static_cast<std::size_t>(depth), event, parsed);
            });
    } catch (const Json::out_of_range&) {
        throw taker.error("holds a number that is too large for a result");
    }
}

/// Takes each row and each member as soon as the parser has read it: a truncated document keeps them, and the document
/// is never in memory as a whole. Discards unwanted values at once.
class JsonParser {
public:
    /// @param with_rows a whole document; else a line of data
    JsonParser(Taker& taker, bool with_rows) : taker_(taker), with_rows_(with_rows) {}

    /// @param depth number of lists and objects that are open around it
    /// @return whether the parser keeps it until the enclosing value ends
    bool take(std::size_t depth, Event event, const Json& parsed) {
        if (depth < skipped_ || (depth == skipped_ && event == Event::key))
            skipped_ = none;
        const bool starts = is_start(depth, event, skipped_ == none ? deepest : deepest_unwanted, taker_);
        if (skipped_ != none)
            return false;
        if (depth >= 2 && ++values_ > most_values)
            throw taker_.error("holds more values in one row or member than any result");
        if (event == Event::key && ++names_.at(depth) > most_names) // an object is searched name by name
            throw taker_.error("holds an object with more members than any result");
        if (event == Event::key)
            return take_name(depth, parsed.get_ref<const std::string&>());
        if (starts) {
            names_.at(depth + 1) = 0;
            return take_start(depth, event);
        }
        return take_value(depth, parsed);
    }

private:
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    bool take_start(std::size_t depth, Event event) {
        if (depth == 3 && section_ == "rows" && !has_column(cell_, &Column::is_word)) {
            skipped_ = depth;
            return false;
        }
        if (depth == 0 && event == Event::array_start)
            throw taker_.error("is not a result: a JSON array, not an object");
        if (depth == 1 && is_section() && (event == Event::object_start) != (section_ == "run"))
            throw taker_.error(fmt::format("`{}` is not {}", section_, section_ == "run" ? "an object" : "a list"));
        return true;
    }

    bool take_value(std::size_t depth, const Json& parsed) {
        if (depth > 2 || (depth == 2 && !is_section()))
            return true;
        values_ = 0;
        if (depth == 2) {
            taker_.take_element(section_, name_, parsed);
            return false;
        }
        if (depth == 1 && !is_section())
            taker_.take_member(section_, parsed);
        return true;
    }

    /// @return whether the member of that name is wanted
    bool take_name(std::size_t depth, const std::string& name) {
        const auto is_member = [&](const auto& entry) { return entry.member == name; };
        bool is_wanted = true;
        if (depth == 1) {
            section_ = name;
            name_.clear();
            is_wanted =
                is_section() || name == "schema" || name == "verb" || std::ranges::any_of(run_keys(), is_member);
            if (name == "rows" && (!with_rows_ || std::exchange(has_rows_, true)))
                throw taker_.error(with_rows_ ? "has `rows` twice" : "has `rows` in a line of data");
        } else if (depth == 2) {
            name_ = name;
            is_wanted = section_ != "run" || std::ranges::any_of(run_keys(), is_member);
        } else if (depth == 3 && section_ == "rows") {
            cell_ = name;
            is_wanted = has_column(name, [](const Column& column) { return column.type != Column::Type::detail; });
        }
        if (!is_wanted)
            skipped_ = depth;
        return is_wanted;
    }

    /// Whether any kind has a JSON column of this name that satisfies the predicate.
    [[nodiscard]] static bool has_column(std::string_view name,
                                         const std::function<bool(const Column&)>& is_like_this) {
        return std::ranges::any_of(stored_kinds(), [&](const Kind* kind) {
            return std::ranges::any_of(
                kind->columns(), [&](const Column& column) { return column.member == name && is_like_this(column); });
        });
    }

    /// Whether the current member of the document is taken element by element.
    [[nodiscard]] bool is_section() const {
        constexpr std::array<std::string_view, 6> sections{"run",     "rows",      "warnings",
                                                           "remarks", "row_notes", "missing"};
        return std::ranges::find(sections, section_) != sections.end();
    }

    Taker& taker_;
    bool with_rows_;
    bool has_rows_ = false;
    std::string section_;                          ///< the member of the document that is being read
    std::string name_;                             ///< of the member of that
    std::string cell_;                             ///< of the member of a row
    std::size_t values_ = 0;                       ///< in the row or member so far
    std::array<std::size_t, deepest + 1> names_{}; ///< so far, in the open object at each depth
    std::size_t skipped_ = none;                   ///< the depth of the name whose value is not wanted
};

/// Refuses a result of another kind. @throws Error (usage)
void check_kind(const Result& result, const Kind& kind) {
    if (result.kind != &kind)
        throw usage_error(
            fmt::format("{}: holds {}, and {} is needed here", result.name, described(*result.kind), described(kind)));
}

/// Refuses a result without rows. @throws Error (usage)
void check_rows(const Result& result) {
    if (result.row_count() == 0)
        throw usage_error(fmt::format("{}: holds no {}rows", result.name, result.cut ? "complete " : ""));
}

/// Whether it is no sweep of a single size.
bool has_several_sizes(const Result& sweep) {
    const std::vector<Row>& rows = sweep.rows_of<Row>();
    return rows.front().size_bytes != rows.back().size_bytes;
}

/// Takes a document: a result, or a report. The parts of a report are documents two levels deep, each with a parser of
/// its own.
class DocumentParser {
public:
    explicit DocumentParser(StoredFile& file) : file_(file) {}

    /// Like JsonParser.
    bool take(std::size_t depth, Event event, const Json& parsed) {
        if (depth == 1 && event == Event::key) {
            in_parts_ = parsed == "parts";
            if (in_parts_ && std::exchange(has_parts_, true))
                throw taker_.error("has `parts` twice");
        }
        if (depth == 0 || !in_parts_)
            return parser_.take(depth, event, parsed);
        if (depth == 1) {
            if (event == Event::array_start || event == Event::value)
                throw taker_.error("`parts` is not an object");
            return true;
        }
        return depth == 2 && event == Event::key ? begin_part(parsed.get_ref<const std::string&>())
                                                 : take_in_part(depth - 2, event, parsed);
    }

    /// Checks what the document held, and adds a result that is no report. @throws Error (usage)
    void end() {
        check_schema(taker_);
        file_.is_report = taker_.is_report();
        if (!file_.is_report && has_parts_)
            throw taker_.error("has `parts`, which only a report has");
        if (!file_.is_report) {
            whole_.cut = file_.cut;
            file_.results.push_back(std::move(whole_));
        } else if (part_) { // in which the file is cut
            part_->result.cut = true;
            if (part_->result.row_count() == 0)
                file_.results.pop_back();
            else
                check_kind(part_->result, *kind_of_part(part_->result.part));
        }
        if (file_.results.empty() && (file_.cut || !has_parts_))
            throw taker_.error(fmt::format("holds no {}parts", file_.cut ? "complete " : ""));
    }

    [[nodiscard]] const Taker& taker() const { return taker_; }

private:
    struct Part {
        explicit Part(Result& its_result) : result(its_result) {}
        Result& result;
        Taker taker{result};
        JsonParser parser{taker, true};
    };

    static void check_schema(const Taker& taker) {
        if (!taker.has_schema())
            throw taker.error("is not a result: it lacks `schema`");
    }

    /// @return whether there is such a part; those of later versions are skipped
    bool begin_part(const std::string& name) {
        part_.reset();
        if (kind_of_part(name) == nullptr)
            return false;
        if (std::ranges::count(file_.results, name, &Result::part) > 0)
            throw taker_.error(fmt::format("has the part {} twice", in_quotes(name)));
        if (file_.results.size() == most_parts)
            throw taker_.error(fmt::format("holds more than {} parts, which no report does", most_parts));
        part_.emplace(
            file_.results.emplace_back(Result{.name = fmt::format("{} ({})", file_.name, name), .part = name}));
        return true;
    }

    bool take_in_part(std::size_t depth, Event event, const Json& parsed) {
        if (!part_)
            return is_start(depth, event, deepest_unwanted, taker_) && false;
        const bool keeps = part_->parser.take(depth, event, parsed);
        if (depth > 0 || (event != Event::object_end && event != Event::value))
            return keeps;
        check_schema(part_->taker);
        check_rows(part_->result);
        check_kind(part_->result, *kind_of_part(part_->result.part));
        part_.reset();
        return false;
    }

    StoredFile& file_;
    Result whole_{.name = file_.name};
    Taker taker_{whole_, &file_.missing};
    JsonParser parser_{taker_, true};
    bool in_parts_ = false;
    bool has_parts_ = false;
    std::optional<Part> part_; ///< that is being read; none: it is skipped
};

/// Reads a JSON document.
void read_json_document(StoredFile& file, std::istream& in) {
    DocumentParser parser(file);
    try {
        parse_json(in, parser, parser.taker());
    } catch (const Json::parse_error& at) {
        if (!in.eof())
            throw parser.taker().error(fmt::format("is not valid JSON at byte {}", at.byte));
        file.cut = true;
    }
    parser.end();
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
        check_lines();
    }

private:
    void read_line(std::string_view line) {
        line_ = trimmed(line);
        if (line_.empty())
            return;
        if (line_.front() == '#')
            return read_keyed();
        check_lines();
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

    void read_keyed() {
        const std::size_t colon = line_.find(": ");
        if (!line_.starts_with("# ") || colon == std::string_view::npos)
            return;
        const std::string_view key = line_.substr(2, colon - 2);
        const std::string_view value = trimmed(line_.substr(colon + 2));
        if (key == data_key)
            return read_data(value);
        if (taker_.has_schema()) // then all other lines are only for people
            return;
        if (key == warning_key)
            Taker::add_notice(result_.warnings, Json(value));
        else if (key.ends_with(remark_key))
            Taker::add_notice(result_.remarks, Json(value));
        else if (!read_run_line(result_.run, key, value) && !refused_)
            refused_ = error(fmt::format("{} is {}, which is not known", key, in_quotes(value)));
    }

    /// Refuses a bad value of an older file. In newer files, a line of data comes between such a line and the rows.
    void check_lines() const {
        if (refused_)
            throw Error(*refused_);
    }

    /// The first line of data describes the run anew: earlier lines for people do not count.
    void read_data(std::string_view text) {
        if (!taker_.has_schema()) {
            result_.run = {};
            result_.warnings.clear();
            result_.remarks.clear();
            refused_.reset();
        }
        try {
            JsonParser parser(taker_, false);
            parse_json(text, parser, taker_);
        } catch (const Json::parse_error& at) {
            throw error(fmt::format("the data is not valid JSON at byte {}", at.byte));
        }
    }

    void read_header() {
        std::ranges::replace(fields_, "Placement (%)", "Visits (%)"); // files from before there were visits
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
    Taker taker_;
    std::string_view line_;
    std::size_t number_ = 0;
    std::optional<Error> refused_; ///< why the lines so far cannot be those of an older file
    std::vector<std::string_view> fields_;
    std::vector<std::size_t> layout_; ///< for each field, its column; the kind's number of columns for an unknown field
};

/// Skips the byte order mark that some editors put before UTF-8. @throws Error (usage) for text in UTF-16
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

/// Reads a stream from a file. Throws if the system refuses, and if there is more than any result holds.
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

} // namespace

StoredFile read_file(std::istream& in, const std::string& name) {
    StoredFile file{.name = name};
    skip_byte_order_mark(in, name);
    const int first = in.peek();
    if (first == '{' || first == '[')
        read_json_document(file, in);
    else
        CsvReader(file.results.emplace_back(Result{.name = name})).read(in);
    if (!file.is_report)
        check_rows(file.results.front());
    return file;
}

StoredFile read_file(const std::string& path) {
    const std::unique_ptr<std::FILE, void (*)(std::FILE*)> file(opened(path), close_input);
    const std::string name = path == "-" ? "standard input" : path;
    FileBuffer buffer(file.get(), name);
    std::istream in(&buffer);
    in.exceptions(std::ios::badbit); // passes on what the buffer throws
    return read_file(in, name);
}

ReportResults report_of(StoredFile file) {
    if (!file.is_report)
        throw usage_error(
            fmt::format("{}: holds {}, and a report is needed here", file.name, described(*file.results.front().kind)));
    ReportResults results{};
    for (Result& part : file.results)
        put_part(results, std::move(part));
    results.missing = std::move(file.missing);
    return results;
}

Result chosen_result(StoredFile file, const Kind* kind, const std::optional<std::string>& part) {
    std::vector<Result>& results = file.results;
    if (!file.is_report) {
        if (kind != nullptr)
            check_kind(results.front(), *kind);
        return std::move(results.front());
    }
    std::erase_if(results, [&](const Result& result) { return kind != nullptr && result.kind != kind; });
    const std::string names = results.empty() ? "none" : joined(results, ", ", &Result::part);
    if (part) {
        const auto named = std::ranges::find(results, *part, &Result::part);
        if (named == results.end())
            throw usage_error(
                fmt::format("--part {}: not among the parts of {} that fit: {}", shown(*part), file.name, names));
        return std::move(*named);
    }
    if (kind == &sweep_kind && std::ranges::any_of(results, has_several_sizes))
        std::erase_if(results, [](const Result& sweep) { return !has_several_sizes(sweep); });
    if (results.empty())
        throw usage_error(fmt::format("{}: no part of this report fits, and {} is needed here", file.name,
                                      kind == nullptr ? "a result" : described(*kind)));
    if (results.size() > 1)
        throw usage_error(fmt::format("{}: is a report; choose one of its parts with --part: {}", file.name, names));
    return std::move(results.front());
}

Result read_result(std::istream& in, const std::string& name) {
    return chosen_result(read_file(in, name), nullptr, std::nullopt);
}

Result read_result(const std::string& path, const Kind* kind, const std::optional<std::string>& part) {
    return chosen_result(read_file(path), kind, part);
}

void check_standard_input(const std::vector<std::string>& files) {
    if (std::ranges::count(files, "-") > 1)
        throw usage_error("'-', which is standard input, may be given once");
}

std::vector<Result> read_sweeps(const std::vector<std::string>& files, const std::optional<std::string>& part) {
    check_standard_input(files);
    std::vector<Result> sweeps;
    for (const std::string& file : files)
        sweeps.push_back(read_result(file, &sweep_kind, part));
    return sweeps;
}

} // namespace memtest

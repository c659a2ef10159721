#include "memtest/report/json_reader.hpp"

#include "memtest/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <istream>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace memtest {
namespace {

// Without limits, endless input would exhaust the memory or the stack.
constexpr std::size_t deepest = 16;               // of JSON: the batches of a visit are the deepest there are
constexpr std::size_t deepest_unwanted = 100'000; // in what is skipped; the parser keeps a note of each level
constexpr std::size_t most_names = 200;           // of an object
constexpr std::size_t most_parts = 200;           // of a report
constexpr std::size_t most_values = 100'000; // of a row or of a member of the run: pages of 4096 threads are 20,000

using Event = Json::parse_event_t;

/// Whether a list or an object begins. @param most lists and objects that may be open @throws Error (usage) for more
bool is_start(std::size_t depth, Event event, std::size_t most, const ResultTaker& taker) {
    const bool starts = event == Event::object_start || event == Event::array_start;
    if (starts && depth >= most)
        throw taker.error("is nested deeper than any result");
    return starts;
}

/// Lets the parser take all of the input. @throws Json::parse_error
template<class Input, class Parser>
void parse_json(Input& input, Parser& parser, const ResultTaker& taker) {
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
    JsonParser(ResultTaker& taker, bool with_rows) : taker_(taker), with_rows_(with_rows) {}

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

    ResultTaker& taker_;
    bool with_rows_;
    bool has_rows_ = false;
    std::string section_;                          ///< the member of the document that is being read
    std::string name_;                             ///< of the member of that
    std::string cell_;                             ///< of the member of a row
    std::size_t values_ = 0;                       ///< in the row or member so far
    std::array<std::size_t, deepest + 1> names_{}; ///< so far, in the open object at each depth
    std::size_t skipped_ = none;                   ///< the depth of the name whose value is not wanted
};

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

    [[nodiscard]] const ResultTaker& taker() const { return taker_; }

private:
    struct Part {
        explicit Part(Result& its_result) : result(its_result) {}
        Result& result;
        ResultTaker taker{result};
        JsonParser parser{taker, true};
    };

    static void check_schema(const ResultTaker& taker) {
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
    ResultTaker taker_{whole_, &file_.missing};
    JsonParser parser_{taker_, true};
    bool in_parts_ = false;
    bool has_parts_ = false;
    std::optional<Part> part_; ///< that is being read; none: it is skipped
};

} // namespace

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

void read_json_line(ResultTaker& taker, std::string_view text) {
    JsonParser parser(taker, false);
    parse_json(text, parser, taker);
}

} // namespace memtest

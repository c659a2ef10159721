#include "memtest/report/sweep_readers.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/report/json_text.hpp"
#include "memtest/report/run_keys.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <istream>
#include <string>
#include <string_view>

namespace memtest {
namespace {

using Json = nlohmann::ordered_json;

// A sweep is less deep: its deepest are the batches of a visit.
constexpr int deepest = 16;

/// Takes each row and each member of the document as soon as the parser has read it, so that they are kept where the
/// document is cut, and nothing else is held in memory.
class JsonReader {
public:
    explicit JsonReader(StoredSweep& sweep) : sweep_(sweep) {}

    /// Called by the parser. @return whether to keep the piece
    bool operator()(int depth, Json::parse_event_t event, Json& piece) {
        using Event = Json::parse_event_t;
        if (depth > deepest)
            throw usage_error(fmt::format("{}: is nested deeper than any sweep", sweep_.name));
        switch (event) {
        case Event::key:
            return keep_member(depth, piece.get_ref<const std::string&>());
        case Event::object_start:
            return true;
        case Event::array_start:
            if (depth == 0)
                throw usage_error(fmt::format("{}: is no sweep: a JSON array, not an object", sweep_.name));
            return true;
        case Event::object_end:
        case Event::array_end:
        case Event::value:
            break;
        }
        return keep_value(depth, piece);
    }

    void check_schema() const {
        if (!has_schema_)
            throw usage_error(fmt::format("{}: is no sweep: it lacks `{}`", sweep_.name, json_schema));
    }

private:
    bool keep_member(int depth, const std::string& name) {
        const auto is_named = [&](const auto& entry) { return entry.member == name; };
        if (depth == 1)
            section_ = name;
        if (depth == 2 && section_ == json_run)
            return std::ranges::any_of(run_keys(), is_named);
        if (depth == 3 && section_ == json_rows)
            return name == json_size_bytes || std::ranges::any_of(columns(), is_named);
        return depth != 1 || section_ == json_schema || section_ == json_run || section_ == json_rows ||
               section_ == json_warnings || section_ == json_verb || std::ranges::any_of(run_keys(), is_named);
    }

    bool keep_value(int depth, const Json& value) {
        if (section_ == json_rows && depth == 2) {
            read_row(value);
            return false;
        }
        if (depth == 1)
            read_member(value);
        return depth > 1;
    }

    void read_member(const Json& value) {
        if (section_ == json_schema)
            read_schema(value);
        else if (section_ == json_run)
            read_run(value, false);
        else if (section_ == json_warnings && value.is_array())
            read_warnings(value);
        else if (section_ == json_verb)
            throw usage_error(
                fmt::format("{}: is no sweep, but of another verb: {}", sweep_.name, in_quotes(csv_text(value))));
        else
            read_run({{section_, value}}, true);
    }

    void read_schema(const Json& value) {
        if (value != schema_version)
            throw usage_error(fmt::format("{}: has the schema {}; this program knows {}", sweep_.name,
                                          in_quotes(csv_text(value)), schema_version));
        has_schema_ = true;
    }

    void read_run(const Json& members, bool at_end) {
        if (const auto unknown = read_run_members(sweep_.run, members, at_end))
            throw usage_error(fmt::format("{}: {}, which is not known", sweep_.name, *unknown));
    }

    void read_warnings(const Json& sentences) {
        for (const Json& sentence : sentences)
            add_warning(sweep_, csv_text(sentence));
    }

    void read_row(const Json& members) {
        StoredRow& row = add_row(sweep_);
        for (const Column& column : columns()) {
            const auto found = members.is_object() ? members.find(std::string(column.member)) : members.end();
            const bool is_there = members.is_object() && found != members.end();
            if (!is_there && &column < &columns()[required_columns])
                throw error(fmt::format("there is no {}", column.member));
            if (!is_there)
                continue;
            const std::string text = csv_text(*found);
            if (const auto accepted = column.read(row, text))
                throw error(fmt::format("{} is {}, not {}", column.member, in_quotes(text), *accepted));
        }
        const auto exact = members.find(json_size_bytes);
        if (exact != members.end() && exact->is_number_unsigned() && *exact > 0)
            row.size_bytes = exact->get<double>();
    }

    [[nodiscard]] Error error(std::string_view what) const {
        return usage_error(fmt::format("{}: row {}: {}", sweep_.name, sweep_.rows.size(), what));
    }

    StoredSweep& sweep_;
    std::string section_; ///< the member of the document that is being read
    bool has_schema_ = false;
};

} // namespace

void read_json(std::istream& in, StoredSweep& sweep) {
    JsonReader reader(sweep);
    try {
        const Json ignored = Json::parse(
            in, [&](int depth, Json::parse_event_t event, Json& piece) { return reader(depth, event, piece); });
    } catch (const Json::parse_error& error) {
        if (!in.eof())
            throw usage_error(fmt::format("{}: is no JSON at byte {}", sweep.name, error.byte));
        sweep.cut = true;
    } catch (const Json::out_of_range&) {
        throw usage_error(fmt::format("{}: holds a number that is too large for a sweep", sweep.name));
    }
    reader.check_schema();
}

} // namespace memtest

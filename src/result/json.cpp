#include "memtest/result/json.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>
#include <vector>

namespace memtest {
namespace {

using Json = nlohmann::ordered_json;

// Without limits, endless input would exhaust the memory.
constexpr std::size_t deepest = 16;             // the batches of a visit in a report are the deepest there are
constexpr std::size_t most_members = 200;       // of an object, which is searched name by name
constexpr std::size_t most_values = 30'000'000; // the visits of 1000 threads to 40 sizes have 20 million batches

/// Makes a value of what the parser finds. Its names are those of the library.
class ValueBuilder : public nlohmann::json_sax<Json> {
public:
    ValueBuilder(const std::string& what, std::size_t bytes) : what_(what), bytes_(bytes) {}

    bool null() override { return add({}); }
    bool boolean(bool truth) override { return add(truth); }
    bool number_integer(number_integer_t number) override { return add(number); }
    bool number_unsigned(number_unsigned_t number) override { return add(number); }
    bool number_float(number_float_t number, const string_t& /*text*/) override { return add(number); }
    bool string(string_t& text) override { return add(text); }
    bool binary(binary_t& /*bytes*/) override { return false; } // JSON has none
    bool start_object(std::size_t /*size*/) override { return open(false); }
    bool start_array(std::size_t /*size*/) override { return open(true); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t& name) override {
        if (open_.back().members.size() == most_members)
            throw more("an object with more members");
        open_.back().name = std::move(name);
        return true;
    }
    bool parse_error(std::size_t byte, const std::string& /*token*/, const Json::exception& error) override {
        if (dynamic_cast<const Json::out_of_range*>(&error) != nullptr)
            throw usage_error(fmt::format("{} holds a number that is too large for a result", what_));
        if (byte > bytes_)
            throw usage_error(fmt::format("{} is truncated: its JSON has no end, so none of it is read", what_));
        throw usage_error(fmt::format("{} is not valid JSON at byte {}", what_, byte));
    }

    [[nodiscard]] Value take_value() { return std::move(value_); }

private:
    /// A list or an object whose end is not yet found.
    struct Open {
        bool is_list = false;
        List list = {};
        Members members = {};
        std::string name = {}; ///< of the next member
    };

    bool add(Value value) {
        if (++values_ > most_values)
            throw more("more values");
        if (open_.empty())
            value_ = std::move(value);
        else if (open_.back().is_list)
            open_.back().list.push_back(std::move(value));
        else
            open_.back().members.set(open_.back().name, std::move(value));
        return true;
    }

    bool open(bool is_list) {
        if (open_.size() == deepest)
            throw usage_error(fmt::format("{} is nested deeper than any result", what_));
        open_.push_back({.is_list = is_list});
        return true;
    }

    bool close() {
        Open last = std::move(open_.back());
        open_.pop_back();
        return last.is_list ? add(std::move(last.list)) : add(std::move(last.members));
    }

    [[nodiscard]] Error more(std::string_view things) const {
        return usage_error(fmt::format("{} holds {} than any result", what_, things));
    }

    const std::string& what_;
    const std::size_t bytes_; // of the text
    std::vector<Open> open_;
    Value value_;
    std::size_t values_ = 0;
};

/// A value that is no list and has no members.
Json scalar_of(const Value& value) {
    if (const std::string* text = value.text())
        return *text;
    if (const auto count = value.count())
        return *count;
    if (const auto number = value.number())
        return *number;
    return value.is_bool() ? Json(value.is_true()) : Json();
}

} // namespace

Value parse_json(std::string_view text, const std::string& what) {
    ValueBuilder builder(what, text.size());
    Json::sax_parse(text, &builder);
    return builder.take_value();
}

std::string dumped(const Value& value) {
    if (value.is_list())
        return fmt::format("[{}]", joined(value.list(), ",", dumped));
    if (value.has_members())
        return fmt::format("{{{}}}", joined(value.members(), ",", [](const Member& member) {
                               return fmt::format("{}:{}", dumped(member.first), dumped(member.second));
                           }));
    return scalar_of(value).dump(-1, ' ', true, Json::error_handler_t::replace);
}

} // namespace memtest

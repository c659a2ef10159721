#pragma once

#include "memtest/base/id_list.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"
#include "memtest/report/pages_got.hpp"
#include "memtest/report/reported_caches.hpp"
#include "memtest/report/run_description.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

/// How the values of a description are written and read, a Form for each kind: text and parse for `#` lines, json and
/// read for JSON. What cannot be read is nothing. What no verb needs of a file has neither parse nor read.
namespace memtest::forms {

using Json = nlohmann::ordered_json;

/// Cuts off the number that the text starts with; nothing where it starts with none.
template<class Number>
std::optional<Number> take_number(std::string_view& text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{})
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

inline bool take(std::string_view& text, std::string_view expected) {
    if (!text.starts_with(expected))
        return false;
    text.remove_prefix(expected.size());
    return true;
}

/// Cuts off what stands in brackets at the end of the text.
inline std::string_view take_remark(std::string_view& text) {
    const std::size_t begin = text.find(" (");
    if (begin == std::string_view::npos || !text.ends_with(')'))
        return {};
    const std::string_view remark = text.substr(begin + 2, text.size() - begin - 3);
    text = text.substr(0, begin);
    return remark;
}

/// Without what would end the line or reach a terminal as a command.
inline std::string one_line(std::string_view text) {
    std::string line(text);
    for (char& c : line) {
        if (static_cast<unsigned char>(c) < ' ' || c == 0x7f)
            c = '?';
    }
    return line;
}

/// Null where there is none.
inline const Json& member(const Json& json, const char* name) {
    static const Json none;
    const auto found = json.is_object() ? json.find(name) : json.end();
    return found == json.end() ? none : *found;
}

template<class Value>
Json or_null(const std::optional<Value>& value) {
    return value ? Json(*value) : Json();
}

inline Json or_null(const std::string& text) {
    return text.empty() ? Json() : Json(text);
}

/// What `read` gives of each element of an array; nothing where it gives nothing of one.
template<class Read>
auto read_each(const Json& array, const Read& read) {
    std::vector<typename decltype(read(array))::value_type> values;
    for (const Json& element : array) {
        auto value = read(element);
        if (!value)
            return std::optional<decltype(values)>();
        values.push_back(std::move(*value));
    }
    return array.is_array() ? std::optional(values) : std::nullopt;
}

struct Count {
    static std::string text(std::uint64_t value) { return fmt::format("{}", value); }
    static std::optional<std::uint64_t> parse(std::string_view text) { return parse_number<std::uint64_t>(text); }
    static Json json(std::uint64_t value) { return value; }
    static std::optional<std::uint64_t> read(const Json& json) {
        return json.is_number_unsigned() ? std::optional(json.get<std::uint64_t>()) : std::nullopt;
    }
};

struct Text {
    static std::string text(const std::string& value) { return one_line(value); }
    static std::optional<std::string> parse(std::string_view text) { return std::string(text); }
    static Json json(const std::string& value) { return value; }
    static std::optional<std::string> read(const Json& json) {
        return json.is_string() ? std::optional(json.get<std::string>()) : std::nullopt;
    }
};

struct Yes {
    static std::string text(bool value) { return value ? "yes" : "no"; }
    static std::optional<bool> parse(std::string_view text) {
        return text == "yes" || text == "no" ? std::optional(text == "yes") : std::nullopt;
    }
    static Json json(bool value) { return value; }
    static std::optional<bool> read(const Json& json) {
        return json.is_boolean() ? std::optional(json.get<bool>()) : std::nullopt;
    }
};

template<class Enum>
struct OneWord {
    static std::string text(Enum value) { return std::string(word_of(value)); }
    static std::optional<Enum> parse(std::string_view text) { return value_of<Enum>(text); }
    static Json json(Enum value) { return text(value); }
    static std::optional<Enum> read(const Json& json) {
        return json.is_string() ? parse(json.get_ref<const std::string&>()) : std::nullopt;
    }
};

inline double rounded(double value, int digits) {
    const double scale = std::pow(10, digits);
    return std::round(value * scale) / scale;
}

inline std::optional<double> read_positive(const Json& json) {
    const double number = json.is_number() ? json.get<double>() : 0;
    return number > 0 && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

struct Gigahertz {
    static std::string text(double value) { return fmt::format("{:.3f} GHz", value); }
    static std::optional<double> parse(std::string_view text) {
        const auto number = take_number<double>(text);
        return text == " GHz" && number && *number > 0 && std::isfinite(*number) ? number : std::nullopt;
    }
    static Json json(double value) { return rounded(value, 3); }
    static std::optional<double> read(const Json& json) { return read_positive(json); }
};

struct Percent {
    static std::string text(double value) { return fmt::format("{:g} %", value); }
    static Json json(double value) { return value; }
};

/// Words as a shell takes them.
struct Arguments {
    using Words = std::vector<std::string>;

    static std::string text(const Words& words) {
        return joined(words, " ", [](const std::string& word) { return quoted(one_line(word)); });
    }
    static Json json(const Words& words) { return words; }

private:
    static std::string quoted(const std::string& word) {
        constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.,:=+/%@";
        if (!word.empty() && word.find_first_not_of(plain) == std::string::npos)
            return word;
        std::string text = "'";
        for (const char c : word)
            text += c == '\'' ? "'\\''" : std::string(1, c);
        return text + "'";
    }
};

struct Largest {
    static std::string text(const LargestSize& size) {
        if (!size.lowered_from_bytes)
            return human_size(size.bytes);
        return fmt::format("lowered from {} to {}: {} are available", human_size(*size.lowered_from_bytes),
                           human_size(size.bytes), human_size(size.available_bytes.value_or(0)));
    }
    static Json json(const LargestSize& size) {
        return {{"bytes", size.bytes},
                {"lowered_from_bytes", or_null(size.lowered_from_bytes)},
                {"available_bytes", or_null(size.available_bytes)}};
    }
};

struct Warming {
    static std::string text(const Warmup& warmup) {
        return fmt::format("{}{}", warmup.laps, warmup.most_ms ? fmt::format(", at most {} ms", *warmup.most_ms) : "");
    }
    static std::optional<Warmup> parse(std::string_view text) {
        const auto laps = take_number<std::uint64_t>(text);
        if (!laps || text.empty())
            return laps ? std::optional(Warmup{*laps}) : std::nullopt;
        const auto most_ms = take(text, ", at most ") ? take_number<std::uint64_t>(text) : std::nullopt;
        return most_ms && text == " ms" ? std::optional(Warmup{*laps, most_ms}) : std::nullopt;
    }
    static Json json(const Warmup& warmup) { return {{"laps", warmup.laps}, {"most_ms", or_null(warmup.most_ms)}}; }
    static std::optional<Warmup> read(const Json& json) {
        const auto laps = Count::read(member(json, "laps"));
        return laps ? std::optional(Warmup{*laps, Count::read(member(json, "most_ms"))}) : std::nullopt;
    }
};

struct Counters {
    static std::string text(const std::vector<Counter>& counters) { return joined(counters, ", ", word_of<Counter>); }
    static Json json(const std::vector<Counter>& counters) {
        Json words = Json::array();
        for (const Counter counter : counters)
            words.push_back(word_of(counter));
        return words;
    }
};

struct Pages {
    static std::string text(const std::vector<PagesGot>& threads) { return text_of_pages(threads); }
    static std::optional<std::vector<PagesGot>> parse(std::string_view text) { return parse_pages(text); }
    static Json json(const std::vector<PagesGot>& threads) {
        const auto known = [](std::uint64_t bytes) { return bytes == 0 ? Json() : Json(bytes); };
        Json array = Json::array();
        for (const PagesGot& pages : threads)
            array.push_back({{"page_bytes", known(pages.page_bytes)},
                             {"transparent_page_bytes", known(pages.transparent_page_bytes)},
                             {"transparent_percent", rounded(pages.transparent_percent, 2)}});
        return array;
    }
    static std::optional<std::vector<PagesGot>> read(const Json& json) {
        if (json.empty())
            return std::nullopt;
        return read_each(json, [](const Json& pages) {
            return std::optional(
                PagesGot{Count::read(member(pages, "page_bytes")).value_or(0),
                         Count::read(member(pages, "transparent_page_bytes")).value_or(0),
                         std::min(100.0, read_positive(member(pages, "transparent_percent")).value_or(0))});
        });
    }
    static bool differ(const std::vector<PagesGot>& a, const std::vector<PagesGot>& b) { return pages_differ(a, b); }
};

inline std::optional<int> read_small(const Json& json, std::uint64_t most = 1'000'000) {
    const auto number = Count::read(json);
    return number && *number <= most ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

inline std::optional<std::vector<int>> read_ids(const Json& json) {
    return read_each(json, [](const Json& id) { return read_small(id); });
}

struct MemoryNodes {
    static constexpr std::string_view verified = "verified";

    static std::string text(const NodesUsed& nodes) {
        return fmt::format("{} ({})", format_ids(nodes.ids),
                           nodes.verified ? verified : "not verified: the kernel does not tell where memory is");
    }
    static std::optional<NodesUsed> parse(std::string_view text) {
        const bool is_verified = take_remark(text) == verified;
        const auto ids = parse_ids(text);
        return ids ? std::optional(NodesUsed{*ids, is_verified}) : std::nullopt;
    }
    static Json json(const NodesUsed& nodes) { return {{"ids", nodes.ids}, {"verified", nodes.verified}}; }
    static std::optional<NodesUsed> read(const Json& json) {
        const auto ids = read_ids(member(json, "ids"));
        return ids ? std::optional(NodesUsed{*ids, member(json, "verified") == true}) : std::nullopt;
    }
    static bool differ(const NodesUsed& a, const NodesUsed& b) { return a.ids != b.ids; }
};

struct Processors {
    static constexpr std::string_view not_pinned = "not pinned: ";

    static std::string text(const ProcessorsUsed& used) {
        if (!used.not_pinned.empty())
            return fmt::format("{} ({}{})", format_ids(used.ids), not_pinned, one_line(used.not_pinned));
        return used.relation.empty() ? format_ids(used.ids)
                                     : fmt::format("{} ({})", format_ids(used.ids), one_line(used.relation));
    }
    static std::optional<ProcessorsUsed> parse(std::string_view text) {
        std::string_view remark = take_remark(text);
        const auto ids = parse_ids(text);
        if (!ids)
            return std::nullopt;
        const bool is_reason = take(remark, not_pinned);
        return ProcessorsUsed{*ids, std::string(is_reason ? "" : remark), std::string(is_reason ? remark : "")};
    }
    static Json json(const ProcessorsUsed& used) {
        return {{"ids", used.ids}, {"relation", or_null(used.relation)}, {"not_pinned", or_null(used.not_pinned)}};
    }
    static std::optional<ProcessorsUsed> read(const Json& json) {
        const auto ids = read_ids(member(json, "ids"));
        if (!ids)
            return std::nullopt;
        return ProcessorsUsed{*ids, Text::read(member(json, "relation")).value_or(""),
                              Text::read(member(json, "not_pinned")).value_or("")};
    }
};

struct Caches {
    static std::string text(const std::vector<ReportedCache>& caches) { return text_of_caches(caches); }
    static std::optional<std::vector<ReportedCache>> parse(std::string_view text) { return parse_caches(text); }
    static Json json(const std::vector<ReportedCache>& caches) {
        Json array = Json::array();
        for (const ReportedCache& cache : caches)
            array.push_back({{"level", cache.level},
                             {"data_only", cache.data_only},
                             {"size_bytes", cache.size_bytes},
                             {"shared_by", cache.shared_by}});
        return array;
    }
    static std::optional<std::vector<ReportedCache>> read(const Json& json) {
        return read_each(json, [](const Json& cache) -> std::optional<ReportedCache> {
            const auto level = read_small(member(cache, "level"), 9);
            const auto size = Count::read(member(cache, "size_bytes"));
            const Json& shared_by = member(cache, "shared_by");
            const auto sharers = shared_by.is_number_unsigned() ? read_small(shared_by) : 1;
            if (!level || !size || !sharers)
                return std::nullopt;
            return ReportedCache{*level, *size, *sharers, member(cache, "data_only") == true};
        });
    }
};

struct Range {
    static std::string text(const ClockRange& range) {
        return fmt::format("{:.3f} to {:.3f} GHz", range.lowest_ghz, range.highest_ghz);
    }
    static Json json(const ClockRange& range) {
        return {{"lowest", Gigahertz::json(range.lowest_ghz)}, {"highest", Gigahertz::json(range.highest_ghz)}};
    }
};

struct End {
    static constexpr std::string_view interrupted = ", interrupted";

    static std::string text(const RunEnd& end) {
        return fmt::format("{} of {} {}{}", end.measured, end.planned, end.things(),
                           end.interrupted ? interrupted : "");
    }
    static std::optional<RunEnd> parse(std::string_view text) {
        const auto measured = take_number<std::uint64_t>(text);
        const auto planned = measured && take(text, " of ") ? take_number<std::uint64_t>(text) : std::nullopt;
        const bool of_rows = take(text, " rows");
        if (!planned || (!of_rows && !take(text, " sizes")) || (!text.empty() && text != interrupted))
            return std::nullopt;
        return RunEnd{*measured, *planned, !text.empty(), of_rows};
    }
    static Json json(const RunEnd& end) {
        return {{fmt::format("{}_measured", end.things()), end.measured},
                {fmt::format("{}_planned", end.things()), end.planned},
                {"interrupted", end.interrupted}};
    }
    static std::optional<RunEnd> read(const Json& json) {
        const bool of_rows = json.contains("rows_planned");
        const auto measured = Count::read(member(json, of_rows ? "rows_measured" : "sizes_measured"));
        const auto planned = Count::read(member(json, of_rows ? "rows_planned" : "sizes_planned"));
        if (!measured || !planned)
            return std::nullopt;
        return RunEnd{*measured, *planned, member(json, "interrupted") == true, of_rows};
    }
};

} // namespace memtest::forms

#include "memtest/base/id_list.hpp"

#include <fmt/format.h>

#include <charconv>
#include <set>

namespace memtest {
namespace {

constexpr int largest_id = 1 << 16; // far above CONFIG_NR_CPUS of any kernel (8192)

std::optional<int> parse_id(std::string_view text) {
    int id = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc{} || end != text.data() + text.size() || id > largest_id)
        return std::nullopt;
    return id;
}

bool append_range(std::vector<int>& ids, std::string_view range) {
    const std::size_t dash = range.find('-');
    const auto first = parse_id(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_id(range.substr(dash + 1));
    if (!first || !last || *last < *first)
        return false;
    for (int id = *first; id <= *last; ++id)
        ids.push_back(id);
    return true;
}

} // namespace

std::optional<std::vector<int>> parse_ids(std::string_view text) {
    std::vector<int> ids;
    while (true) {
        const std::size_t comma = text.find(',');
        if (!append_range(ids, text.substr(0, comma)))
            return std::nullopt;
        if (comma == std::string_view::npos)
            return ids;
        text.remove_prefix(comma + 1);
    }
}

std::optional<std::vector<int>> parse_distinct_ids(std::string_view text) {
    auto ids = parse_ids(text);
    if (ids && std::set(ids->begin(), ids->end()).size() != ids->size())
        return std::nullopt;
    return ids;
}

std::string format_ids(const std::vector<int>& ids) {
    std::string text;
    for (std::size_t i = 0; i < ids.size();) {
        std::size_t end = i + 1;
        while (end < ids.size() && ids[end] == ids[end - 1] + 1)
            ++end;
        if (end - i < 3)
            end = i + 1;
        text += fmt::format("{}{}", text.empty() ? "" : ",", ids[i]);
        if (end - i > 1)
            text += fmt::format("-{}", ids[end - 1]);
        i = end;
    }
    return text;
}

} // namespace memtest

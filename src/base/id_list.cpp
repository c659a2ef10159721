#include "memtest/base/id_list.hpp"

#include "memtest/base/text.hpp"

#include <fmt/format.h>

#include <utility>

namespace memtest {
namespace {

constexpr int largest_id = 1 << 16; // far above CONFIG_NR_CPUS of any kernel (8192)

std::optional<int> parse_id(std::string_view text) {
    const auto id = parse_number<int>(text);
    return id && *id <= largest_id ? id : std::nullopt;
}

/// The first and the last id of "2" or "0-3".
std::optional<std::pair<int, int>> parse_range(std::string_view text) {
    const std::size_t dash = text.find('-');
    const auto first = parse_id(text.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_id(text.substr(dash + 1));
    return first && last && *first <= *last ? std::optional(std::pair(*first, *last)) : std::nullopt;
}

/// Reads at most as many ids as are possible.
std::optional<std::vector<int>> parse(std::string_view text, bool may_repeat) {
    std::vector<int> ids;
    std::vector<bool> seen(largest_id + 1);
    while (true) {
        const std::size_t comma = text.find(',');
        const auto range = parse_range(text.substr(0, comma));
        if (!range)
            return std::nullopt;
        for (int id = range->first; id <= range->second; ++id) {
            const auto place = static_cast<std::size_t>(id);
            if (ids.size() == seen.size() || (seen[place] && !may_repeat))
                return std::nullopt;
            seen[place] = true;
            ids.push_back(id);
        }
        if (comma == std::string_view::npos)
            return ids;
        text.remove_prefix(comma + 1);
    }
}

} // namespace

std::optional<std::vector<int>> parse_distinct_ids(std::string_view text) {
    return parse(text, false);
}

std::optional<std::vector<int>> parse_ids(std::string_view text) {
    return parse(text, true);
}

std::string format_ids(const std::vector<int>& ids) {
    std::string text;
    for (std::size_t i = 0; i < ids.size();) {
        std::size_t end = i + 1;
        while (end < ids.size() && ids[end - 1] < ids[end] && ids[end] - 1 == ids[end - 1])
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

#include "memtest/insight/settings.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace memtest {
namespace {

constexpr std::string_view tlb_locality = "tlb locality";

constexpr std::array<std::string_view, 11> settings{
    "order", "link", "node", "line", "stride", tlb_locality, "pages", "pages got", "threads", "parallel", "estimate"};

std::optional<std::string_view> setting_of(KeyedLines description, std::string_view setting) {
    const auto value = value_of(description, setting);
    // This one stands only where it is used: a sweep that tells its order would tell it.
    if (!value && setting == tlb_locality && value_of(description, "order"))
        return "none";
    return value;
}

/// What two values must share: of the pages that were got the kinds alone, as the share of each, "(57 % of the
/// memory)", is another in every run.
std::string_view kind_of(std::string_view value) {
    return value.substr(0, value.find(" ("));
}

} // namespace

std::optional<std::string_view> value_of(KeyedLines description, std::string_view key) {
    const auto line = std::ranges::find(description, key, &KeyedLines::value_type::first);
    return line == description.end() ? std::nullopt : std::optional<std::string_view>(line->second);
}

std::vector<SettingDifference> settings_differences(KeyedLines base, KeyedLines latest) {
    std::vector<SettingDifference> differences;
    for (const std::string_view setting : settings) {
        const auto base_value = setting_of(base, setting);
        const auto latest_value = setting_of(latest, setting);
        if (base_value && latest_value && kind_of(*base_value) != kind_of(*latest_value))
            differences.push_back({std::string(setting), std::string(*base_value), std::string(*latest_value)});
    }
    return differences;
}

} // namespace memtest

#include "memtest/insight/settings.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace memtest {
namespace {

using Description = std::span<const std::pair<std::string, std::string>>;

constexpr std::string_view tlb_locality = "tlb locality";

constexpr std::array<std::string_view, 11> settings{
    "order", "link", "node", "line", "stride", tlb_locality, "pages", "pages got", "threads", "parallel", "estimate"};

std::optional<std::string> value_of(Description description, std::string_view key) {
    const auto line =
        std::find_if(description.begin(), description.end(), [key](const auto& entry) { return entry.first == key; });
    if (line != description.end())
        return line->second;
    // This one stands only where it is used: a sweep that tells its order would tell it.
    if (key == tlb_locality && value_of(description, "order"))
        return "none";
    return std::nullopt;
}

/// What two values must share: of the pages that were got the kinds alone, as the share of each, "(57 % of the
/// memory)", is another in every run.
std::string_view kind_of(std::string_view value) {
    return value.substr(0, value.find(" ("));
}

} // namespace

std::vector<SettingDifference> settings_differences(Description base, Description latest) {
    std::vector<SettingDifference> differences;
    for (const std::string_view setting : settings) {
        const auto base_value = value_of(base, setting);
        const auto latest_value = value_of(latest, setting);
        if (base_value && latest_value && kind_of(*base_value) != kind_of(*latest_value))
            differences.push_back({std::string(setting), *base_value, *latest_value});
    }
    return differences;
}

} // namespace memtest

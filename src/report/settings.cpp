#include "memtest/report/settings.hpp"

#include "memtest/report/run_keys.hpp"

#include <optional>

namespace memtest {
namespace {

std::optional<std::string> value_in(const RunDescription& run, const RunKey& key) {
    auto text = key.text(run);
    if (!text && !key.unsaid.empty() && run.order)
        return std::string(key.unsaid);
    return text;
}

} // namespace

std::vector<SettingDifference> settings_differences(const RunDescription& base, const RunDescription& latest) {
    std::vector<SettingDifference> differences;
    for (const RunKey& key : run_keys()) {
        const auto base_value = value_in(base, key);
        const auto latest_value = value_in(latest, key);
        if (key.setting && base_value && latest_value && *base_value != *latest_value && key.differ(base, latest))
            differences.push_back({std::string(key.key), *base_value, *latest_value});
    }
    return differences;
}

} // namespace memtest

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memtest {

/// The `# key: value` lines of a sweep, in its order.
using KeyedLines = std::span<const std::pair<std::string, std::string>>;

/// The value of the first line with this key.
[[nodiscard]] std::optional<std::string_view> value_of(KeyedLines description, std::string_view key);

/// Something that two sweeps were measured with differently.
struct SettingDifference {
    std::string setting;
    std::string base;
    std::string latest;
};

/// Names every setting in which two descriptions differ so that their latencies are not
/// those of the same thing: order, link, node, line, stride, TLB locality, pages (asked for and got), threads,
/// parallel, estimate. What one of them does not say (a file of the classic tool says nothing) is not known, hence no
/// difference.
[[nodiscard]] std::vector<SettingDifference> settings_differences(KeyedLines base, KeyedLines latest);

} // namespace memtest

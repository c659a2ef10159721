#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// Reads a list as the kernel and taskset write it ("2", "0,4", "0-3,8"): ids in the order given, none twice.
/// std::nullopt if the text is not such a list or names more than 65537 ids.
[[nodiscard]] std::optional<std::vector<int>> parse_distinct_ids(std::string_view text);

/// The same for a list in which ids may repeat ("0,0,1").
[[nodiscard]] std::optional<std::vector<int>> parse_ids(std::string_view text);

/// Writes ids as such a list, with ranges of three or more joined by a dash; keeps the order.
[[nodiscard]] std::string format_ids(const std::vector<int>& ids);

} // namespace memtest

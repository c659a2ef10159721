#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace memtest {

/// Something that two sweeps were measured with differently.
struct SettingDifference {
    std::string setting;
    std::string base;
    std::string latest;
};

/// Names every setting in which two descriptions (the `# key: value` lines) differ so that their latencies are not
/// those of the same thing: order, link, node, line, stride, TLB locality, pages (asked for and got), threads,
/// parallel, estimate. What one of them does not say (a file of the classic tool says nothing) is not known, hence no
/// difference.
[[nodiscard]] std::vector<SettingDifference>
settings_differences(std::span<const std::pair<std::string, std::string>> base,
                     std::span<const std::pair<std::string, std::string>> latest);

} // namespace memtest

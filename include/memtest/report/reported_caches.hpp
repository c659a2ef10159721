#pragma once

#include "memtest/insight/reported.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// The value of a `# caches:` line: "L1d 32 KiB, L2 1 MiB, L3 32 MiB shared by 16".
[[nodiscard]] std::string text_of_caches(std::span<const ReportedCache> caches);

/// Reads such a value back; an entry that is not understood is left out. Nothing where none is.
[[nodiscard]] std::optional<std::vector<ReportedCache>> parse_caches(std::string_view text);

} // namespace memtest

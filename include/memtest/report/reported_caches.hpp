#pragma once

#include "memtest/insight/reported.hpp"
#include "memtest/machine/caches.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// The value of a `# caches:` line: "L1d 32 KiB, L2 1 MiB, L3 32 MiB shared by 16".
[[nodiscard]] std::string describe_caches(std::span<const Cache> caches);

/// Reads such a value back; what is not understood is left out.
[[nodiscard]] std::vector<ReportedCache> parse_caches(std::string_view text);

} // namespace memtest

#pragma once

#include "memtest/report/run_description.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// The value of a `# pages got:` line: "4 KiB", "2 MiB transparent", "4 KiB and 2 MiB transparent (37 % of the
/// memory)", "not known"; one for all threads, or one for each where they differ, with "; " between them.
[[nodiscard]] std::string text_of_pages(const std::vector<PagesGot>& threads);

/// Reads such a value back; nothing for other text.
[[nodiscard]] std::optional<std::vector<PagesGot>> parse_pages(std::string_view text);

/// Whether two runs' pages may give other latencies: a thread has pages of another size, or a share of transparent huge
/// pages more than ten points away. Smaller differences come from run to run.
[[nodiscard]] bool pages_differ(const std::vector<PagesGot>& a, const std::vector<PagesGot>& b);

} // namespace memtest

#pragma once

#include "memtest/result/plot_data.hpp"
#include "memtest/show/page.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// The names of the plots that a page may have: "sweep", "beside", and the parts that are drawn by themselves.
[[nodiscard]] std::vector<std::string> plots_of(const StoredFile& report);

/// A plot of the page; std::nullopt if it would show a single point or less. @throws Error (usage) if it cannot be
/// drawn
[[nodiscard]] std::optional<Plot> plot_of(const StoredFile& report, const PageExtras& extras, std::string_view name);

} // namespace memtest

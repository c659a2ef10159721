#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace memtest {

/// The one of the words that was probably meant: one that begins so, or else the one that takes the fewest letters
/// added, dropped, replaced or exchanged with their neighbour, at most a third of what was written. Nothing where there
/// is none.
[[nodiscard]] std::optional<std::string_view> suggestion_for(std::string_view written,
                                                             std::span<const std::string_view> words);

} // namespace memtest

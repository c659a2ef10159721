#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace memtest {

/// The word that was probably meant: one that begins so, or else the nearest one. Nothing where that takes more edits
/// (letters added, dropped, replaced or exchanged with their neighbour) than a third of the written letters.
[[nodiscard]] std::optional<std::string_view> suggestion_for(std::string_view written,
                                                             std::span<const std::string_view> words);

} // namespace memtest

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memtest {

inline constexpr std::uint64_t kib = std::uint64_t{1} << 10U; ///< in bytes
inline constexpr std::uint64_t mib = std::uint64_t{1} << 20U; ///< in bytes

/// How many bytes a unit has: K, M, G, T, each also with B or iB, or B alone (powers of 1024, either case). Nothing for
/// other text.
[[nodiscard]] std::optional<std::uint64_t> bytes_in_unit(std::string_view unit);

/// "512 B", "1.5 KiB", "1024 MiB": the largest of B, KiB and MiB in which the size is at least one.
[[nodiscard]] std::string human_size(std::uint64_t bytes);

/// The same to three digits and up to TiB, for people alone: "708 KiB", "1.5 GiB", "64 TiB".
[[nodiscard]] std::string rounded_size(double bytes);

/// Reads back what human_size wrote; nothing for other text, and for more than 2^64 bytes.
[[nodiscard]] std::optional<std::uint64_t> parse_human_size(std::string_view text);

} // namespace memtest

#pragma once

#include "memtest/machine/system_files.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace memtest {

/// Bytes that this process can still fill: the kernel's estimate of available memory or the rest of its control group
/// (version 1 or 2, any ancestor), whichever is less. Nothing where neither is known.
[[nodiscard]] std::optional<std::uint64_t> available_memory(const SystemFiles& files);

/// The bytes that the kernel tells under a key of /proc/meminfo; nothing where it does not.
[[nodiscard]] std::optional<std::uint64_t> memory_of(const SystemFiles& files, std::string_view key);

} // namespace memtest

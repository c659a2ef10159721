#pragma once

#include "memtest/machine/system_files.hpp"

#include <cstdint>
#include <optional>

namespace memtest {

/// Bytes that this process can still fill: the kernel's estimate of available memory or the rest of its control group
/// (version 1 or 2, any ancestor), whichever is less. Nothing where neither is known.
[[nodiscard]] std::optional<std::uint64_t> available_memory(const SystemFiles& files);

} // namespace memtest

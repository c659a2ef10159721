#pragma once

#include "memtest/machine/system_files.hpp"

#include <cstdint>
#include <optional>

namespace memtest {

/// Bytes that this process can still fill: what the kernel estimates as available, or what its control group (version 1
/// or 2, any ancestor) leaves, whichever is less. Nothing where the system says neither.
[[nodiscard]] std::optional<std::uint64_t> available_memory(const SystemFiles& files);

} // namespace memtest

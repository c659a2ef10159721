#pragma once

#include <cstddef>
#include <span>

namespace memtest {

/// Whether this processor lets a program take lines out of all its caches at the pace of memory: x86-64 with CLFLUSHOPT
/// (Intel's manual, volume 2; CLFLUSH takes a memory latency for each line), aarch64 (DC CIVAC, which Linux grants to
/// programs) and ppc64le (dcbf, Power ISA, book II).
[[nodiscard]] bool can_flush_lines() noexcept;

/// Writes back the line at every `pitch_bytes` of the memory and takes it out of all caches.
/// @return false where the processor cannot: nothing happened
bool flush_lines(std::span<const std::byte> memory, std::size_t pitch_bytes) noexcept;

} // namespace memtest

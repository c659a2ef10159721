#pragma once

#include "memtest/chain/walk.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace memtest {

/// Segments of lines: each begins at a random line and goes on by a constant stride.
struct Segments {
    enum class Start { anywhere, even_line, odd_line };

    std::size_t count = 1;
    std::size_t lines = 1;           ///< of a segment
    std::ptrdiff_t stride_lines = 1; ///< from line to line; negative: backward
    Start start = Start::anywhere;

    bool operator==(const Segments&) const = default;
};

/// The lines of all segments in the order of a walk, with the segments in random order. No two segments have a line in
/// common: each lies in its own part of the memory. @pre the memory, in lines, is long enough for that
[[nodiscard]] std::vector<std::size_t> lines_of(const Segments& segments, std::size_t memory_lines, std::uint64_t seed);

/// One cycle through given lines of a memory area.
class LineCycle {
public:
    /// Links the lines in this order. @param lines distinct, in the memory @param memory outlives this object and is
    /// aligned for a word
    LineCycle(std::span<std::byte> memory, std::size_t line_bytes, std::span<const std::size_t> lines, Link link);

    /// Makes this many hops, with a single load in the loop: some prefetchers learn a stride for each load.
    /// @return the link to the line that the walk has reached
    std::uintptr_t walk(std::size_t hops) noexcept;

    /// Writes the lines back and flushes them from all caches. @return false if the processor cannot
    bool flush() const noexcept;

private:
    std::byte* base_;
    Walk walk_;
    std::vector<const std::byte*> lines_;
    std::uintptr_t cursor_;
};

} // namespace memtest

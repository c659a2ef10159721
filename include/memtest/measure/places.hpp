#pragma once

#include <cstddef>
#include <cstdint>

namespace memtest {

/// Where a thread's chains begin in one round, in bytes from the start of its area. Chains grow from size to size, so
/// many sizes share a place. Sizes that a cache may hold share one that moves all over the area from round to round.
/// Larger sizes share another, which moves within the room that the largest leaves.
class Places {
public:
    /// Draws both places uniformly among the pages that leave enough room.
    /// @param area_bytes at least largest_bytes @param largest_bytes of the sizes to be visited
    Places(std::size_t area_bytes, std::size_t largest_bytes, std::size_t page_bytes, std::uint64_t seed);

    [[nodiscard]] std::size_t place_of(std::size_t bytes) const noexcept {
        return is_large(bytes) ? large_place_ : small_place_;
    }

    /// Whether the size shares the second place.
    [[nodiscard]] bool is_large(std::size_t bytes) const noexcept { return bytes > small_bytes_; }

private:
    std::size_t small_bytes_; // the largest size in the first place
    std::size_t small_place_;
    std::size_t large_place_;
};

} // namespace memtest

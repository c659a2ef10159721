#pragma once

#include <cstddef>
#include <cstdint>

namespace memtest {

/// Where in its area a thread's chains begin in one round, in bytes from the start of the area. A place is kept from
/// size to size, so that a chain can grow in it. Sizes that may lie in a cache have a place that moves all over the
/// area from round to round; larger ones have another, which moves within what the largest one leaves.
class Places {
public:
    /// Draws both uniformly among the whole pages that leave room for what must fit.
    /// @param area_bytes at least largest_bytes @param largest_bytes of the sizes to be visited
    Places(std::size_t area_bytes, std::size_t largest_bytes, std::size_t page_bytes, std::uint64_t seed);

    [[nodiscard]] std::size_t place_of(std::size_t bytes) const noexcept {
        return bytes <= small_bytes_ ? small_place_ : large_place_;
    }

private:
    std::size_t small_bytes_; // the largest size in the first place
    std::size_t small_place_;
    std::size_t large_place_;
};

} // namespace memtest

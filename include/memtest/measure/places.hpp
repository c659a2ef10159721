#pragma once

#include <cstddef>
#include <cstdint>

namespace memtest {

/// Where in its area a thread's chains begin in one round, in bytes from the start of the area. A place is kept from
/// size to size, so that a chain can grow in it; all sizes up to half of the area fit in the first, all in the second.
class Places {
public:
    /// Draws both uniformly among the whole pages that leave room for what must fit.
    /// @param area_bytes at least largest_bytes @param largest_bytes of the sizes to be visited
    Places(std::size_t area_bytes, std::size_t largest_bytes, std::size_t page_bytes, std::uint64_t seed);

    [[nodiscard]] std::size_t place_of(std::size_t bytes) const noexcept {
        return bytes <= half_bytes_ ? small_place_ : large_place_;
    }

private:
    std::size_t half_bytes_;
    std::size_t small_place_;
    std::size_t large_place_;
};

} // namespace memtest

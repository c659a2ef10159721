#include "memtest/measure/places.hpp"

#include "memtest/base/error.hpp"
#include "memtest/chain/random.hpp"

#include <algorithm>

namespace memtest {
namespace {

// Larger sizes lie in memory wherever they are placed. Their chain is linked anew: with 1 GiB an eighth is linked
// twice.
std::size_t small_bytes_in(std::size_t area_bytes) {
    constexpr std::size_t largest_cache = std::size_t{64} << 20U;
    return std::max(area_bytes / 8, std::min(area_bytes / 2, largest_cache));
}

std::size_t draw_page(std::size_t room_bytes, std::size_t page_bytes, SplitMix64& random) {
    return static_cast<std::size_t>(random.below(room_bytes / page_bytes + 1)) * page_bytes;
}

} // namespace

Places::Places(std::size_t area_bytes, std::size_t largest_bytes, std::size_t page_bytes, std::uint64_t seed)
    : small_bytes_(small_bytes_in(area_bytes)) {
    require(largest_bytes <= area_bytes && page_bytes > 0, "every size fits into its area, which is made of pages");
    SplitMix64 random(seed);
    small_place_ = draw_page(area_bytes - small_bytes_, page_bytes, random);
    large_place_ = draw_page(area_bytes - largest_bytes, page_bytes, random);
}

} // namespace memtest

#include "memtest/measure/places.hpp"

#include "memtest/base/error.hpp"
#include "memtest/chain/random.hpp"

namespace memtest {
namespace {

std::size_t draw_page(std::size_t room_bytes, std::size_t page_bytes, SplitMix64& random) {
    return static_cast<std::size_t>(random.below(room_bytes / page_bytes + 1)) * page_bytes;
}

} // namespace

Places::Places(std::size_t area_bytes, std::size_t largest_bytes, std::size_t page_bytes, std::uint64_t seed)
    : half_bytes_(area_bytes / 2) {
    require(largest_bytes <= area_bytes && page_bytes > 0, "every size fits into its area, which is made of pages");
    SplitMix64 random(seed);
    small_place_ = draw_page(area_bytes - half_bytes_, page_bytes, random);
    large_place_ = draw_page(area_bytes - largest_bytes, page_bytes, random);
}

} // namespace memtest

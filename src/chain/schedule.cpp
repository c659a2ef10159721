#include "memtest/chain/schedule.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace memtest {
namespace {

// In bytes: five decimals of a MiB, as in results, distinguish sizes that differ by this much.
constexpr std::uint64_t told_apart = 11;

std::uint64_t next_of(std::uint64_t size, unsigned points_per_doubling) {
    return capped_sum(size, std::max<std::uint64_t>(1, std::bit_floor(size) / points_per_doubling));
}

std::uint64_t next_classic(std::uint64_t size) {
    if (size < kib)
        return size * 2;
    if (size < 4 * kib)
        return size + kib;
    return next_of(size, 2);
}

} // namespace

std::vector<std::size_t> sweep_sizes(const Schedule& schedule) {
    require(schedule.first_bytes > 0 && schedule.line_bytes > 0 && schedule.points_per_doubling != 0U,
            "a sweep starts with at least a byte and takes steps");
    const std::uint64_t line = schedule.line_bytes;
    std::vector<std::size_t> sizes;
    std::uint64_t size = schedule.first_bytes;
    while (size <= schedule.last_bytes) {
        const std::uint64_t whole_lines = rounded_up(size, line);
        if (whole_lines > schedule.last_bytes)
            break;
        if (sizes.empty() || whole_lines >= sizes.back() + told_apart)
            sizes.push_back(static_cast<std::size_t>(whole_lines));
        if (size == std::numeric_limits<std::uint64_t>::max())
            break;
        size = schedule.points_per_doubling ? next_of(size, *schedule.points_per_doubling) : next_classic(size);
    }
    return sizes;
}

} // namespace memtest

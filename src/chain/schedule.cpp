#include "memtest/chain/schedule.hpp"

#include "memtest/base/error.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace memtest {
namespace {

constexpr std::uint64_t kib = 1024;

std::uint64_t next_of(std::uint64_t size, unsigned points_per_doubling) {
    return size + std::max<std::uint64_t>(1, std::bit_floor(size) / points_per_doubling);
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
        const std::uint64_t whole_lines = (size - 1) / line * line + line;
        if (whole_lines > schedule.last_bytes || whole_lines < size) // the latter: beyond 2^64
            break;
        if (sizes.empty() || sizes.back() != whole_lines)
            sizes.push_back(static_cast<std::size_t>(whole_lines));
        const std::uint64_t next =
            schedule.points_per_doubling ? next_of(size, *schedule.points_per_doubling) : next_classic(size);
        if (next < size)
            break;
        size = next;
    }
    return sizes;
}

} // namespace memtest

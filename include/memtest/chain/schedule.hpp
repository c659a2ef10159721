#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace memtest {

/// Which working-set sizes a sweep visits.
struct Schedule {
    std::size_t first_bytes = 512;
    std::size_t last_bytes = std::size_t{1} << 30;
    std::size_t line_bytes = 64;
    /// Sizes per doubling, evenly spaced between two powers of two. None: the classic schedule of lmbench's lat_mem_rd,
    /// which doubles below 1 KiB, adds 1 KiB below 4 KiB and takes two sizes per doubling from there.
    std::optional<unsigned> points_per_doubling = std::nullopt;
};

/// The sizes in bytes, ascending, each rounded up to whole lines and none above last_bytes. Results state sizes in MiB
/// with five decimals: a size that would look like the previous one is left out.
[[nodiscard]] std::vector<std::size_t> sweep_sizes(const Schedule& schedule);

} // namespace memtest

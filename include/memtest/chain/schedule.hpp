#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memtest {

/// The largest size that could be tested.
struct LargestSize {
    std::uint64_t bytes = 0;
    std::optional<std::uint64_t> lowered_from_bytes = std::nullopt; ///< because no more memory was available
    std::optional<std::uint64_t> available_bytes = std::nullopt;    ///< set if it was lowered

    bool operator==(const LargestSize&) const = default;
};

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

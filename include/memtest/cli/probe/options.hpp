#pragma once

#include "memtest/chain/chains.hpp"
#include "memtest/machine/counters.hpp"
#include "memtest/machine/pages.hpp"
#include "memtest/measure/statistics.hpp"
#include "memtest/measure/timing.hpp"
#include "memtest/report/format.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memtest {

/// What the user asked of the probe. The one place for defaults; what is empty is chosen later, when the machine is
/// known.
struct ProbeOptions {
    // what is measured
    std::size_t line_bytes = 64;
    std::optional<std::uint64_t> accesses = std::nullopt;   ///< none: as many as the precision takes
    std::optional<std::size_t> stride_bytes = std::nullopt; ///< none: default_stride_bytes
    std::optional<std::size_t> max_bytes = std::nullopt; ///< none: default_max_bytes, or less where that does not fit
    std::optional<std::size_t> min_bytes = std::nullopt; ///< none: the smallest that makes sense
    std::optional<unsigned> points = std::nullopt;       ///< none: the classic schedule
    bool forward = false;
    bool index = false;
    bool random = false;
    std::optional<std::size_t> tlb_locality_bytes = std::nullopt;
    std::uint64_t seed = 1;

    // on what
    bool concurrent = false;
    std::optional<unsigned> threads = std::nullopt; ///< none: 1, or 2 if concurrent
    unsigned parallel = 1;
    std::optional<std::vector<int>> cpus = std::nullopt;
    std::optional<std::vector<int>> nodes = std::nullopt; ///< one for all threads, or one for each
    PageKind pages = PageKind::system_default;

    // how
    std::optional<unsigned> warmup_laps = std::nullopt; ///< none: one, bounded for large sizes
    std::optional<unsigned> visits = std::nullopt;      ///< none: 16 with a precision, else 4
    std::optional<unsigned> batches = std::nullopt;     ///< none: 32
    Estimate estimate = Estimate::min;
    std::optional<double> precision_percent = std::nullopt; ///< none: 2, or off where accesses are given

    // what is printed
    bool stats = false;
    bool cycles = false;
    std::vector<Counter> counters{};
    bool levels = false;
    Format format = Format::csv;
    std::optional<std::string> output = std::nullopt; ///< none: standard output
    bool quiet = false;
    bool help = false;
    bool version = false;

    bool operator==(const ProbeOptions&) const = default;
};

inline constexpr std::size_t default_stride_bytes = 512;
inline constexpr std::size_t default_max_bytes = std::size_t{1} << 30U;

/// The shape of the chain that the options ask for.
[[nodiscard]] ChainShape shape_of(const ProbeOptions& options);

/// How each size is timed.
[[nodiscard]] TimingPlan timing_of(const ProbeOptions& options);

[[nodiscard]] unsigned threads_of(const ProbeOptions& options);

/// Refuses what does not make sense on any machine: a stride of broken lines, options that exclude each other, a
/// largest size below the smallest. @throws Error (usage)
void check_options(const ProbeOptions& options);

/// The smallest size of the sweep.
[[nodiscard]] std::size_t smallest_size_of(const ProbeOptions& options);

} // namespace memtest

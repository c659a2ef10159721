#pragma once

#include "memtest/chain/chains.hpp"
#include "memtest/machine/counters.hpp"
#include "memtest/machine/pages.hpp"
#include "memtest/measure/statistics.hpp"
#include "memtest/measure/timing.hpp"
#include "memtest/report/output_file.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace memtest {

/// What the user asked of the probe, with its defaults. Empty members are chosen when the machine is known.
struct ProbeOptions {
    // what is measured
    ChainShape shape{};
    std::optional<std::size_t> max_bytes = std::nullopt; ///< none: default_max_bytes, or less where that does not fit
    std::optional<std::size_t> min_bytes = std::nullopt; ///< none: the smallest that makes sense
    std::optional<unsigned> points = std::nullopt;       ///< none: the classic schedule

    // on what
    unsigned threads = 1;
    std::optional<std::vector<int>> cpus = std::nullopt;
    std::optional<std::vector<int>> nodes = std::nullopt; ///< one for all threads, or one for each
    PageKind pages = PageKind::system_default;

    // how
    TimingPlan timing{.accesses = any_number_of_accesses, .visits = 16, .precision_percent = 2};
    std::optional<unsigned> warmup_laps = std::nullopt; ///< none: one, bounded for large sizes

    // what is printed
    bool stats = false;
    bool cycles = false;
    std::vector<Counter> counters{};
    bool levels = false;
    Format format = Format::csv;
    std::optional<std::string> output = std::nullopt; ///< none: standard output
    bool quiet = false;
    bool version = false;

    bool operator==(const ProbeOptions&) const = default;
};

inline constexpr std::size_t default_max_bytes = std::size_t{1} << 30U;
inline constexpr unsigned default_visits_without_precision = 4;

/// Refuses what makes sense on no machine: a stride of broken lines, a largest size below the smallest, too few visits
/// to agree. @throws Error (usage)
void check_options(const ProbeOptions& options);

/// The smallest size of the sweep.
[[nodiscard]] std::size_t smallest_size_of(const ProbeOptions& options);

/// The same in whole lines: the first size of the sweep.
[[nodiscard]] std::size_t first_size_of(const ProbeOptions& options);

} // namespace memtest

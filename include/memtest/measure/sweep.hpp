#pragma once

#include "memtest/measure/probe.hpp"
#include "memtest/measure/row.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace memtest {

/// What a sweep does, as plain data.
struct Sweep {
    std::vector<std::size_t> sizes; ///< ascending
    unsigned mappings = 1;          ///< how often it is repeated on freshly mapped memory
    Estimate estimate = Estimate::min;
    /// How near to the smallest batch two others must come for it not to be noted as single: the precision, if any.
    double agreement_percent = 2;
};

/// Maps fresh memory and returns the probe on it; the probe before it is gone by then.
using MapProbe = std::function<std::unique_ptr<Probe>()>;

/// Takes each row as soon as it is known.
using RowSink = std::function<void(const Row&)>;

/// Is told, before each size, how many of how many are done.
using ProgressSink = std::function<void(std::size_t done, std::size_t of)>;

/// Measures every size on every mapping. Rows come in the order of sizes, within a size in that of threads; with
/// several mappings a row is known when the last one has measured its size. When interrupted, what was measured of a
/// size on some of the mappings still comes as a row.
void run_sweep(const Sweep& sweep, const MapProbe& map_probe, const RowSink& row_sink,
               const ProgressSink& progress_sink);

/// Joins what one thread measured at one size on each mapping into a row. Each mapping counts once, however many
/// batches it took: the row's min is that of the mappings' mins, its median and its spread are the medians of theirs,
/// its mean is the mean of their means. So the spread is that within a mapping, and placement that between them.
[[nodiscard]] Row join_mappings(int thread, std::size_t size_bytes, const std::vector<Measurement>& mappings,
                                const Sweep& sweep);

} // namespace memtest

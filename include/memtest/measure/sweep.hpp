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

/// Joins what one thread measured at one size on each mapping into a row.
[[nodiscard]] Row join_mappings(int thread, std::size_t size_bytes, const std::vector<Measurement>& mappings,
                                Estimate estimate);

} // namespace memtest

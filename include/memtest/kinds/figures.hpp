#pragma once

#include "memtest/insight/figure.hpp"
#include "memtest/result/figure_list.hpp"
#include "memtest/result/stored_file.hpp"

#include <span>
#include <vector>

namespace memtest {

/// A file with what it states.
struct Stated {
    /// Infers the levels of its sweeps: frames and figures use them. @param stored lives as long as this
    explicit Stated(const StoredFile& stored);

    const StoredFile* file;
    InferredLevels levels{};
    std::vector<Figure> figures{}; ///< in a frame, if they are asked for
};

[[nodiscard]] Frame frame_of(std::span<const Stated> baselines);

/// The figures that a result or all parts of a report state, each once. A cache is stated at the sizes of the frame, by
/// its latency and capacity, from the sweep with huge pages if there is one. Memory latency in one kind of pages is one
/// figure, whatever parts measure it. What is known of the sizes of the sweep counts for all figures of these sizes.
/// @throws Error (usage) if the rows are none of their kind
[[nodiscard]] std::vector<Figure> figures_in(const Stated& stated, const Frame& frame);

/// Of a sweep of several sizes the latency of memory and, unless another part has them from huge pages, the latency and
/// capacity of each cache of the frame, and single sizes. Of a sweep of one size the latency: with one chain a reading
/// of memory, with several the share of the time with one.
void add_sweep_figures(FigureList& list, const Result& sweep);

} // namespace memtest

#pragma once

#include "memtest/insight/figure.hpp"
#include "memtest/insight/level.hpp"
#include "memtest/machine/pages.hpp"
#include "memtest/result/stored_file.hpp"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memtest {

// What sweeps state, in sweep_figures.cpp.

/// Sizes up to this factor apart are near each other: one step of a sweep.
inline constexpr double nearby_sizes = 1.3;

/// The sizes that the latency of one level comes from, both ends included.
struct SizeRange {
    std::string name; ///< "L1", "memory"
    double from_bytes = 0;
    double to_bytes = 0;
    double capacity_bytes = 0; ///< of a cache; 0 if unknown
    bool is_shared = false;    ///< a cache that other cores use, as a rule
    /// What the table of levels infers, of what the sizes take and where the latency is half way to the next level.
    double latency_scale = 1;
    double capacity_scale = 1;
};

/// What a SizeRange of memory is called.
inline constexpr std::string_view memory_level = "memory";

/// The sizes of the levels that the baselines show together, at which figures of several results are compared.
/// By part, which is a sweep; the last may be memory.
using Frame = std::map<std::string, std::vector<SizeRange>>;

/// A file with what it states.
struct Stated {
    /// Infers the levels of its sweeps: frames and figures use them. @param stored lives as long as this
    explicit Stated(const StoredFile& stored);

    const StoredFile* file;
    std::map<std::string, std::map<int, Hierarchy>>
        levels{};                  ///< of each thread of its sweeps of several sizes, by part
    std::vector<Figure> figures{}; ///< in a frame, if they are asked for
};

[[nodiscard]] Frame frame_of(std::span<const Stated> baselines);

/// Of a sweep of several sizes the latency of memory and, unless another part has them from huge pages, the latency and
/// capacity of each cache of the frame, and single sizes. Of a sweep of one size the latency: with one chain a reading
/// of memory, with several the share of the time with one.
void add_sweep_figures(FigureList& list, const Result& sweep);

// What all parts state.

/// The figures that a result or all parts of a report state, each once. A cache is stated at the sizes of the frame, by
/// its latency and capacity, from the sweep with huge pages if there is one. Memory latency in one kind of pages is one
/// figure, whatever parts measure it. What is known of the sizes of the sweep counts for all figures of these sizes.
/// @throws Error (usage) if the rows are none of their kind
[[nodiscard]] std::vector<Figure> figures_in(const Stated& stated, const Frame& frame);

/// The figures of one file, as its parts add them.
class FigureList {
public:
    /// @param stated and @param frame live as long as the list
    FigureList(const Stated& stated, const Frame& frame) : stated_(stated), frame_(frame) {}

    [[nodiscard]] const Stated& stated() const { return stated_; }
    [[nodiscard]] const Frame& frame() const { return frame_; }
    /// Whether a warning of the part is a disturbance.
    [[nodiscard]] bool is_disturbed() const { return disturbed_; }
    /// The noise of what other work changes, such as memory: at least noise_of_loads if it disturbed the part.
    [[nodiscard]] double beside_others(double noise) const;

    /// Begins with the figures of a part.
    void begin(const Result& part);

    /// Adds a figure unless it is there, or 0 for another reason than a disturbance. What disturbed the run casts doubt
    /// on one without own noise.
    void add(Figure figure);

    /// Adds a reading of the latency of memory; all of them in one kind of pages make one figure, with the noise of the
    /// first sound one. @param sizes of a sweep, as many readings instead
    void add_memory(const std::optional<PageKind>& pages, double ns, double noise, Why doubt = Why::none,
                    std::vector<FigureReading> sizes = {});

    /// All of them, memory first.
    [[nodiscard]] std::vector<Figure> take();

private:
    const Stated& stated_;
    const Frame& frame_;
    std::string part_{};
    bool incomplete_ = false;
    bool disturbed_ = false;
    bool is_guest_ = false;
    bool is_lone_sweep_ = false; ///< in no report, and so compared in one kind of pages alone
    std::set<std::pair<std::string, std::string>> names_{};
    std::map<bool, Figure> memory_{}; ///< by whether it is in small pages
    std::vector<Figure> all_{};
};

/// The standard deviation of latencies under load, or of what a run beside other work shares with it: memory and the
/// caches of all cores. Six sweeps in a row beside builds took 175 to 214 ns in memory and 36 to 46 ns in L3 (Emerald
/// Rapids), each of them alike in itself.
inline constexpr double noise_of_loads = 0.1;

/// The noise that quartiles of batches suggest. Batches of one run resemble each other, so their median moves from run
/// to run by more than their number suggests.
[[nodiscard]] double noise_of_quartiles(std::optional<double> low, std::optional<double> high, double middle);

} // namespace memtest

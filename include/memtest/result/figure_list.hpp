#pragma once

#include "memtest/insight/figure.hpp"
#include "memtest/insight/level.hpp"
#include "memtest/machine/pages.hpp"
#include "memtest/result/result.hpp"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memtest {

/// The sizes that the latency of one level comes from, both ends included.
struct SizeRange {
    std::string name; ///< "L1", "memory"
    double from_bytes = 0;
    double to_bytes = 0;
    /// What the table of levels infers, of what the sizes take and where the latency is half way to the next level.
    double latency_scale = 1;
    double capacity_scale = 1;
};

/// What a SizeRange of memory is called.
inline constexpr std::string_view memory_level = "memory";

/// The sizes of the levels that the baselines show together, at which figures of several results are compared.
/// By part, which is a sweep; the last may be memory.
using Frame = std::map<std::string, std::vector<SizeRange>>;

/// What each thread of a file's sweeps of several sizes shows, by part.
using InferredLevels = std::map<std::string, std::map<int, Hierarchy>>;

/// The figures of one file, as its parts add them.
class FigureList {
public:
    /// @param parts of the file, all of them; all live as long as the list
    FigureList(const Frame& frame, std::span<const Result> parts, const InferredLevels& levels)
        : frame_(frame), parts_(parts), levels_(levels) {}

    [[nodiscard]] const Frame& frame() const { return frame_; }
    [[nodiscard]] std::span<const Result> parts() const { return parts_; }
    [[nodiscard]] const InferredLevels& levels() const { return levels_; }

    /// Begins with the figures of a part.
    void begin(const Result& part);

    /// Adds a figure unless it is not above 0, or there. What disturbed the run casts doubt on one without own noise.
    void add(Figure figure);

    /// Adds a reading of the latency of memory; all of them in one kind of pages make one figure.
    void add_memory(const std::optional<PageKind>& pages, double ns, double noise, Why doubt = Why::none);

    /// All of them, memory first.
    [[nodiscard]] std::vector<Figure> take();

private:
    const Frame& frame_;
    std::span<const Result> parts_;
    const InferredLevels& levels_;
    std::string part_{};
    bool incomplete_ = false;
    bool disturbed_ = false;
    bool is_guest_ = false;
    std::set<std::pair<std::string, std::string>> names_{};
    std::map<std::string, Figure> memory_{};
    std::vector<Figure> all_{};
};

/// The noise that quartiles of batches suggest. Batches of one run resemble each other, so their median moves from run
/// to run by more than their number suggests.
[[nodiscard]] double noise_of_quartiles(std::optional<double> low, std::optional<double> high, double middle);

} // namespace memtest

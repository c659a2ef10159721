#pragma once

#include "memtest/insight/cache_edge.hpp"
#include "memtest/insight/curve.hpp"
#include "memtest/insight/level.hpp"
#include "memtest/insight/level_rules.hpp"

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace memtest {

inline constexpr double endless = std::numeric_limits<double>::max(); ///< no bound on a size

/// A range of sizes, both ends in it.
struct Sizes {
    double from = 0;
    double to = endless;
};

/// The points of a curve in these sizes.
[[nodiscard]] Curve between(Curve curve, const Sizes& sizes);

/// The size at which a latency is first reached, interpolated in doublings. @pre two points or more
[[nodiscard]] double size_reaching(Curve curve, double latency_ns);

/// The expected latency of one access in a cycle through `size_bytes`. It is that of the first level, plus, at each
/// cache's edge, the step to the next level times the share of the accesses that miss. With random replacement it is
///     E(N) = ( s_1 l_1 + (s_2 - s_1) l_2 + ... + (N - s_k) l_m ) / N
/// and with least recently used the latency of the first level that holds the whole cycle. Assumes capacities in
/// ascending order, one line size, and no cost of translation.
/// @param behind_ns the latency of the level after the caches
[[nodiscard]] double modelled_latency_ns(std::span<const Level> caches, double behind_ns, double size_bytes);

/// The latency of the level after `caches`, from that of a size on it, without the share that `caches` still serve.
[[nodiscard]] double latency_behind_ns(std::span<const Level> caches, double latency_ns, double size_bytes);

/// Where a curve leaves one level for the next.
struct Edge {
    double from_bytes = 0;       ///< the last size that lies on the level before it
    double to_bytes = 0;         ///< the first size that lies on the level after it
    bool ends_in_foot = false;   ///< the level after it has no plateau of its own; it is the foot of the next edge
    bool may_hide_level = false; ///< longer than a single cache causes, without enough to split it
    bool follows_step = false;   ///< the level before it is two plateaus, too near each other for levels
    bool is_reported = false;    ///< only taken for an edge since the system reports a cache that ends here
};

/// In edges.cpp. Finds the edges of a curve, in ascending order. Edges are rises of log latency over log size. Two are
/// separate if a valley of the slope lies between them, or if a rise begins earlier than that of one cache can (see
/// LevelRules). Rises too small or too slow for an edge (TLB and page-colouring shoulders, creep, noise) belong to
/// their level.
/// @param curve without disturbances, condensed to LevelRules::points_per_doubling
[[nodiscard]] std::vector<Edge> find_edges(Curve curve, const LevelRules& rules);

/// Levels and the edges between them: edges[k] ends caches[k].
struct FoundLevels {
    std::vector<Edge> edges;
    std::vector<Level> caches;
    std::optional<LevelLatency> memory; ///< what follows the last edge, if there is one
    bool is_coloured = false;           ///< page colours may have made the first cache look smaller

    [[nodiscard]] bool is_foot(std::size_t k) const { return k > 0 && edges[k - 1].ends_in_foot; }

    /// How many times slower the level after cache k is.
    [[nodiscard]] double ratio_behind(std::size_t k) const {
        const double next = k + 1 < caches.size() ? caches[k + 1].latency_ns : memory->latency_ns;
        return next / caches[k].latency_ns;
    }
};

/// A curve to search for levels, and what has been derived from it.
class SearchedCurve {
public:
    /// @param pages_are_small like SweepFacts::small_pages
    SearchedCurve(Curve curve, const LevelRules& of_search, std::optional<bool> pages_are_small);

    /// The sweep's next size above this one, or its last.
    [[nodiscard]] Curve::iterator first_above(double size) const;
    /// The step of the sweep around a size, in doublings.
    [[nodiscard]] double step_at(double size) const;

    LevelRules rules;
    std::optional<bool> small_pages;
    Curve all;                         ///< as measured
    std::vector<CurvePoint> clean;     ///< without disturbances
    std::vector<CurvePoint> condensed; ///< LevelRules::points_per_doubling
    std::vector<Edge> edges;           ///< that it shows
    std::optional<Edge> last_rise;     ///< in which the sweep ends, if it does
};

/// Goes up the curve from edge to edge; each level depends on those below it. Leaves out edges that then turn out to be
/// none.
[[nodiscard]] FoundLevels levels_between(std::vector<Edge> edges, const SearchedCurve& curve);

/// Joins edges[k] and the next: what lies between them is part of one rise.
void join_edges(std::vector<Edge>& edges, std::size_t k);

/// How many of these points were disturbed or are contested.
[[nodiscard]] std::size_t count_disturbed(Curve points);

/// How sure it is that a level is there at all, and what is claimed of it.
struct LevelConfidence {
    Confidence existence = Confidence::low;
    Confidence capacity = Confidence::low; ///< never surer than its existence
    Confidence latency = Confidence::low;  ///< at least fair if it repeats at three sizes
};

/// In level_confidence.cpp, like count_disturbed().
[[nodiscard]] std::vector<LevelConfidence> confidences(const FoundLevels& found, const SearchedCurve& curve);

/// Of the latency of memory, which follows the caches. @pre it was found
[[nodiscard]] Confidence memory_confidence(const FoundLevels& found, const SearchedCurve& curve);

} // namespace memtest

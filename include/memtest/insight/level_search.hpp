#pragma once

#include "memtest/insight/cache_edge.hpp"
#include "memtest/insight/curve.hpp"
#include "memtest/insight/edges.hpp"
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

/// Levels and the edges between them: edges[k] ends caches[k].
struct FoundLevels {
    std::vector<Edge> edges;
    std::vector<Level> caches;
    std::optional<Memory> memory; ///< what follows the last edge, if there is one
    bool is_coloured = false;     ///< page colours may have made the first cache look smaller

    [[nodiscard]] bool is_foot(std::size_t k) const { return k > 0 && edges[k - 1].ends_in_foot; }

    /// How many times slower the level after cache k is.
    [[nodiscard]] double ratio_behind(std::size_t k) const {
        const double next = k + 1 < caches.size() ? caches[k + 1].latency_ns : memory->latency_ns;
        return next / caches[k].latency_ns;
    }
};

/// A curve, and what has been derived from it for the search.
class SearchedCurve {
public:
    SearchedCurve(Curve curve, const LevelRules& rules);

    /// The sweep's next size above this one, or its last.
    [[nodiscard]] Curve::iterator first_above(double size) const;

    /// The step of the sweep around a size, in doublings.
    [[nodiscard]] double step_at(double size) const;

    Curve all;                         ///< as measured
    std::vector<CurvePoint> clean;     ///< without disturbances
    std::vector<CurvePoint> condensed; ///< LevelRules::points_per_doubling
};

/// Goes up the curve edge by edge; each level depends on those below it.
class LevelSearch {
public:
    /// Finds the levels that the curve alone shows. @param small_pages like SweepFacts
    LevelSearch(const SearchedCurve& curve, const LevelRules& rules, std::optional<bool> small_pages);

    [[nodiscard]] const FoundLevels& found() const { return found_; }

    /// The rise in which the sweep ends, if it does.
    [[nodiscard]] const std::optional<Edge>& last_rise() const { return last_rise_; }

    /// The same with other edges.
    void use(std::vector<Edge> edges);

private:
    void go_up();
    [[nodiscard]] double below() const;
    [[nodiscard]] bool drop_shoulder();
    [[nodiscard]] bool join_split_edge();
    [[nodiscard]] bool drop_translation();
    void drop_step(std::size_t k);
    [[nodiscard]] Level level_on_plateau(std::size_t k);
    [[nodiscard]] Level level_without_plateau(std::size_t k) const;
    [[nodiscard]] double half_of_step(std::size_t k, const Level& level) const;
    [[nodiscard]] std::pair<EdgeFit, double> fit(std::size_t k) const;
    void set_range(Level& level, double least, double most, double half) const;
    [[nodiscard]] double last_held(const Level& level, double low_bytes) const;
    [[nodiscard]] bool is_next_to(double size, const CurvePoint& above) const;
    template<typename LevelOrMemory>
    void set_latency(LevelOrMemory& level, const Sizes& well_inside, const Sizes& anywhere) const;

    const SearchedCurve& curve_;
    LevelRules rules_;
    std::optional<bool> small_pages_;
    FoundLevels found_;
    std::optional<Edge> last_rise_;
};

/// Joins edges[k] and the next: what lies between them is part of one rise.
void join_edges(std::vector<Edge>& edges, std::size_t k);

} // namespace memtest

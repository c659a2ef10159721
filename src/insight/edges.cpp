#include "memtest/insight/level_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

namespace memtest {
namespace {

constexpr double never = std::numeric_limits<double>::max();

/// A curve on log scales, both in doublings.
class LogCurve {
public:
    explicit LogCurve(Curve curve) {
        for (const CurvePoint& point : curve) {
            size_.push_back(std::log2(point.size_bytes));
            latency_.push_back(std::log2(point.latency_ns));
        }
    }

    [[nodiscard]] double rise(std::size_t from, std::size_t to) const { return latency_[to] - latency_[from]; }

    [[nodiscard]] double at(double size) const {
        const auto above = std::upper_bound(size_.begin() + 1, size_.end() - 1, size);
        const auto i = static_cast<std::size_t>(above - size_.begin());
        const double share = (size - size_[i - 1]) / (size_[i] - size_[i - 1]);
        return latency_[i - 1] + share * (latency_[i] - latency_[i - 1]);
    }

    /// The first size with this latency. @pre there is one, and it is not the first point
    [[nodiscard]] double size_at(double latency) const {
        const auto i = static_cast<std::size_t>(
            std::find_if(latency_.begin(), latency_.end(), [&](double value) { return value >= latency; }) -
            latency_.begin());
        const double share = (latency - latency_[i - 1]) / (latency_[i] - latency_[i - 1]);
        return size_[i - 1] + share * (size_[i] - size_[i - 1]);
    }

    /// The slope between point i and the next one, over at least `width` doublings around their middle.
    [[nodiscard]] double slope(std::size_t i, double width) const {
        const double middle = (size_[i] + size_[i + 1]) / 2;
        const double reach = std::max(size_[i + 1] - size_[i], width) / 2;
        const double from = std::max(middle - reach, size_.front());
        const double to = std::min(middle + reach, size_.back());
        return (at(to) - at(from)) / (to - from);
    }

private:
    std::vector<double> size_;
    std::vector<double> latency_;
};

/// A run of points on one level; between two of them is a rise.
struct Plateau {
    std::size_t first = 0;
    std::size_t last = 0;
    double slope = 0; ///< the gentlest on it
    bool foot = false;
    bool doubtful = false; ///< the next rise may hide a level
    bool stepped = false;  ///< two plateaus, too near each other for levels
};

class EdgeSearch {
public:
    EdgeSearch(Curve curve, const LevelRules& rules) : curve_(curve), log_(curve), rules_(rules) {
        for (std::size_t i = 0; i + 1 < curve.size(); ++i)
            slopes_.push_back(log_.slope(i, 0.5));
    }

    [[nodiscard]] std::vector<Edge> edges() {
        start_from_every_valley();
        while (drop_shallowest_valley() || drop_smallest_rise()) {
        }
        split_at_feet();
        std::vector<Edge> result;
        for (std::size_t k = 0; k + 1 < plateaus_.size(); ++k) {
            result.push_back({curve_[plateaus_[k].last].size_bytes, curve_[plateaus_[k + 1].first].size_bytes,
                              plateaus_[k + 1].foot, plateaus_[k].doubtful, plateaus_[k].stepped});
        }
        return result;
    }

private:
    void start_from_every_valley() {
        plateaus_.push_back({});
        for (std::size_t i = 0; i < slopes_.size(); ++i) {
            const double before = i == 0 ? never : slopes_[i - 1];
            const double after = i + 1 == slopes_.size() ? never : slopes_[i + 1];
            if (slopes_[i] <= before && slopes_[i] <= after)
                plateaus_.push_back({.first = i, .last = i + 1, .slope = std::max(0.0, slopes_[i])});
        }
        plateaus_.push_back({.first = slopes_.size(), .last = slopes_.size()});
    }

    /// The steepest slope between plateau k and the next.
    [[nodiscard]] double peak(std::size_t k) const {
        const auto begin = slopes_.begin() + static_cast<std::ptrdiff_t>(plateaus_[k].last);
        const auto end = slopes_.begin() + static_cast<std::ptrdiff_t>(plateaus_[k + 1].first);
        return begin < end ? *std::max_element(begin, end) : 0.0;
    }

    [[nodiscard]] double rise(std::size_t k) const { return log_.rise(plateaus_[k].last, plateaus_[k + 1].first); }

    /// Joins the two rises around the shallowest valley, unless all valleys are deep enough.
    bool drop_shallowest_valley() {
        std::optional<std::size_t> shallowest;
        double worst = rules_.valley_share;
        for (std::size_t k = 1; k + 1 < plateaus_.size(); ++k) {
            const double peaks = std::min(peak(k - 1), peak(k));
            const double share = peaks > 0 ? plateaus_[k].slope / peaks : 0;
            if (share > worst) {
                worst = share;
                shallowest = k;
            }
        }
        if (shallowest)
            plateaus_.erase(plateaus_.begin() + static_cast<std::ptrdiff_t>(*shallowest));
        return shallowest.has_value();
    }

    /// Whether the rise after plateau k is that of a cache.
    [[nodiscard]] bool is_edge(std::size_t k) const {
        if (curve_[plateaus_[k].last].size_bytes < rules_.least_cache_bytes)
            return false;
        const bool memory_already = curve_[plateaus_[k].first].latency_ns >= rules_.most_cache_ns;
        const double least_ratio = memory_already ? rules_.least_ratio_beyond : rules_.least_ratio;
        return rise(k) >= std::log2(least_ratio) && peak(k) >= rules_.least_slope && (k == 0 || !is_tlb_step(k));
    }

    /// The most that a hit in the second-level TLB costs.
    [[nodiscard]] double tlb_step_ns() const { return rules_.most_tlb_step * curve_.front().latency_ns; }

    /// Whether the rise after plateau k is no more than the second-level TLB costs.
    [[nodiscard]] bool is_tlb_step(std::size_t k) const {
        return curve_[plateaus_[k + 1].first].latency_ns - curve_[plateaus_[k].last].latency_ns <= tlb_step_ns();
    }

    /// Whether a plateau has one latency at three sizes or more.
    [[nodiscard]] bool is_flat(const Plateau& plateau) const {
        return plateau.last >= plateau.first + 2 &&
               curve_[plateau.last].latency_ns <= (1 + rules_.plain_error) * curve_[plateau.first].latency_ns;
    }

    /// Joins the two plateaus around the smallest rise that is no edge, if there is one.
    bool drop_smallest_rise() {
        std::optional<std::size_t> smallest;
        for (std::size_t k = 0; k + 1 < plateaus_.size(); ++k) {
            if (!is_edge(k) && (!smallest || rise(k) < rise(*smallest)))
                smallest = k;
        }
        if (!smallest)
            return false;
        Plateau& joined = plateaus_[*smallest];
        const Plateau& next = plateaus_[*smallest + 1];
        joined.stepped = joined.stepped || next.stepped ||
                         (is_flat(joined) && is_flat(next) && rise(*smallest) >= std::log2(rules_.doubtful_ratio));
        joined.last = next.last;
        joined.slope = std::min(joined.slope, next.slope);
        plateaus_.erase(plateaus_.begin() + static_cast<std::ptrdiff_t>(*smallest) + 1);
        return true;
    }

    /// Splits each rise that hides a level where that level begins.
    void split_at_feet() {
        for (std::size_t k = 0; k + 1 < plateaus_.size(); ++k) {
            const std::size_t from = plateaus_[k].last;
            const std::size_t to = plateaus_[k + 1].first;
            const double climbed = climbed_early(from, to, still_to_come(k));
            const auto foot = climbed > rules_.quiet_share ? foot_of_rise(from, to) : std::nullopt;
            if (foot)
                plateaus_.insert(plateaus_.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                                 {.first = *foot, .last = *foot, .foot = true});
            else
                plateaus_[k].doubtful = climbed > rules_.doubtful_share;
        }
    }

    /// The rise left on plateau k until the level below serves nothing, if that replaces at random.
    [[nodiscard]] double still_to_come(std::size_t k) const {
        if (k == 0)
            return 0;
        const CurvePoint& end_below = curve_[plateaus_[k - 1].last];
        const CurvePoint& end = curve_[plateaus_[k].last];
        return (end.latency_ns - end_below.latency_ns) * end_below.size_bytes / end.size_bytes;
    }

    /// The share of a rise that is climbed `knee_doublings` below the size at half of it, less what translation and
    /// `else_ns` may have added by then.
    [[nodiscard]] double climbed_early(std::size_t from, std::size_t to, double else_ns = 0) const {
        const double base = curve_[from].latency_ns;
        const double step = curve_[to].latency_ns - base;
        const double noise = rules_.plain_error * base;
        std::vector<CurvePoint> excess;
        for (std::size_t i = from; i <= to; ++i)
            excess.push_back({curve_[i].size_bytes, std::max(curve_[i].latency_ns - base, noise) / step});
        const LogCurve log_excess(excess); // a share of misses grows as a power, so between two sizes, too
        const double early = log_excess.size_at(-1) - rules_.knee_doublings;
        if (early <= std::log2(curve_[from].size_bytes))
            return 0;
        const bool within_tlb = curve_[from].size_bytes < rules_.tlb_reach_bytes;
        const double translation = within_tlb ? tlb_step_ns() : rules_.early_walks * base;
        return std::exp2(log_excess.at(early)) - (translation + else_ns) / step;
    }

    /// The first size of a level hidden inside a rise, if both parts are then edges, and the upper one is that of one
    /// cache.
    [[nodiscard]] std::optional<std::size_t> foot_of_rise(std::size_t from, std::size_t to) const {
        const double least_rise = std::log2(rules_.least_foot_ratio);
        for (std::size_t foot = from + 1; foot < to; ++foot) {
            if (log_.rise(from, foot) >= least_rise && log_.rise(foot, to) >= least_rise &&
                climbed_early(foot, to) <= rules_.quiet_share)
                return foot;
        }
        return std::nullopt;
    }

    Curve curve_;
    LogCurve log_;
    LevelRules rules_;
    std::vector<double> slopes_;
    std::vector<Plateau> plateaus_;
};

} // namespace

std::vector<Edge> find_edges(Curve curve, const LevelRules& rules) {
    return curve.size() < 2 ? std::vector<Edge>() : EdgeSearch(curve, rules).edges();
}

} // namespace memtest

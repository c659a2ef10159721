#include "memtest/insight/edges.hpp"

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

    [[nodiscard]] std::size_t points() const { return size_.size(); }
    [[nodiscard]] double rise(std::size_t from, std::size_t to) const { return latency_[to] - latency_[from]; }

    /// The slope between point i and the next one, taken over at least `width` doublings around their middle.
    [[nodiscard]] double slope(std::size_t i, double width) const {
        const double middle = (size_[i] + size_[i + 1]) / 2;
        const double reach = std::max(size_[i + 1] - size_[i], width) / 2;
        const double from = std::max(middle - reach, size_.front());
        const double to = std::min(middle + reach, size_.back());
        return (at(to) - at(from)) / (to - from);
    }

private:
    [[nodiscard]] double at(double size) const {
        const auto above = std::upper_bound(size_.begin() + 1, size_.end() - 1, size);
        const auto i = static_cast<std::size_t>(above - size_.begin());
        const double share = (size - size_[i - 1]) / (size_[i] - size_[i - 1]);
        return latency_[i - 1] + share * (latency_[i] - latency_[i - 1]);
    }

    std::vector<double> size_;
    std::vector<double> latency_;
};

/// A run of points on one level; between two of them lies a rise.
struct Plateau {
    std::size_t first = 0;
    std::size_t last = 0;
    double slope = 0; ///< the gentlest on it
    bool foot = false;
};

class EdgeSearch {
public:
    EdgeSearch(Curve curve, const LevelRules& rules) : curve_(curve), log_(curve), rules_(rules) {
        for (std::size_t i = 0; i + 1 < log_.points(); ++i)
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
                              plateaus_[k + 1].foot});
        }
        return result;
    }

private:
    void start_from_every_valley() {
        plateaus_.push_back({0, 0, 0});
        for (std::size_t i = 0; i < slopes_.size(); ++i) {
            const double before = i == 0 ? never : slopes_[i - 1];
            const double after = i + 1 == slopes_.size() ? never : slopes_[i + 1];
            if (slopes_[i] <= before && slopes_[i] <= after)
                plateaus_.push_back({i, i + 1, std::max(0.0, slopes_[i])});
        }
        plateaus_.push_back({slopes_.size(), slopes_.size(), 0});
        // A valley at the very end takes the end into itself.
        if (plateaus_.size() > 2 && plateaus_[1].first == 0)
            plateaus_.erase(plateaus_.begin());
        if (plateaus_.size() > 1 && plateaus_[plateaus_.size() - 2].last == slopes_.size())
            plateaus_.pop_back();
    }

    /// The steepest slope between plateau k and the next.
    [[nodiscard]] double peak(std::size_t k) const {
        const auto begin = slopes_.begin() + static_cast<std::ptrdiff_t>(plateaus_[k].last);
        const auto end = slopes_.begin() + static_cast<std::ptrdiff_t>(plateaus_[k + 1].first);
        return begin < end ? *std::max_element(begin, end) : 0.0;
    }

    [[nodiscard]] double rise(std::size_t k) const { return log_.rise(plateaus_[k].last, plateaus_[k + 1].first); }

    /// Joins the two rises around the valley that is least of one, if there is such.
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

    /// Whether the rise behind plateau k is that of a cache.
    [[nodiscard]] bool is_edge(std::size_t k) const {
        const bool memory_already = curve_[plateaus_[k].first].latency_ns >= rules_.most_cache_ns;
        const double least_ratio = memory_already ? rules_.least_ratio_beyond : rules_.least_ratio;
        return rise(k) >= std::log2(least_ratio) && peak(k) >= rules_.least_slope;
    }

    /// Joins the two plateaus around the smallest rise that is no edge, if there is such.
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
        joined.last = next.last;
        joined.slope = std::min(joined.slope, next.slope);
        plateaus_.erase(plateaus_.begin() + static_cast<std::ptrdiff_t>(*smallest) + 1);
        return true;
    }

    void split_at_feet() {
        for (std::size_t k = 0; k + 1 < plateaus_.size(); ++k) {
            if (const std::optional<std::size_t> foot = foot_in_rise(plateaus_[k].last, plateaus_[k + 1].first))
                plateaus_.insert(plateaus_.begin() + static_cast<std::ptrdiff_t>(k) + 1, {*foot, *foot, 0, true});
        }
    }

    /// The point inside a rise after which what exceeds the level below gains speed again.
    [[nodiscard]] std::optional<std::size_t> foot_in_rise(std::size_t from, std::size_t to) const {
        const double base = curve_[from].latency_ns;
        std::vector<CurvePoint> excess;
        std::size_t first = to;
        for (std::size_t i = from; i <= to; ++i) {
            const double above = curve_[i].latency_ns - base;
            if (above < rules_.least_excess * base) {
                excess.clear();
                continue;
            }
            if (excess.empty())
                first = i;
            excess.push_back({curve_[i].size_bytes, above});
        }
        if (excess.size() < 3)
            return std::nullopt;
        const LogCurve log_excess(excess);
        std::optional<std::size_t> foot;
        double least_growth = never;
        std::optional<std::size_t> slowest;
        for (std::size_t i = 0; i + 1 < excess.size(); ++i) {
            const double growth = log_excess.slope(i, 1);
            if (slowest && growth >= least_growth + rules_.second_edge_growth)
                foot = slowest;
            const std::size_t end = first + i + 1;
            const bool apart = log_.rise(from, end) >= std::log2(rules_.least_foot_ratio) &&
                               log_.rise(end, to) >= std::log2(rules_.least_foot_ratio);
            if (!apart || growth >= least_growth)
                continue;
            least_growth = growth;
            slowest = end;
        }
        return foot;
    }

    Curve curve_;
    LogCurve log_;
    LevelRules rules_;
    std::vector<double> slopes_;
    std::vector<Plateau> plateaus_;
};

} // namespace

std::vector<Edge> find_edges(Curve curve, const LevelRules& rules) {
    const std::vector<CurvePoint> points = condensed(without_outliers(curve, rules.outlier), rules.points_per_doubling);
    if (points.size() < 2)
        return {};
    return EdgeSearch(points, rules).edges();
}

} // namespace memtest

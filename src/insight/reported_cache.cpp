#include "memtest/insight/reported_cache.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace memtest {
namespace {

/// Page colours, code and page tables take up to a third of a thread's own cache; less of it has another reason.
constexpr double own_share = 0.6;

/// The cost of an unpaired cache, in doublings: two of them cost as much as a pair that differs sixteen-fold.
constexpr double unpaired = 2;

double distance(const Level& found, const ReportedCache& reported) {
    const double low = found.capacity_low_bytes.value_or(found.edge.capacity_bytes);
    const double middle = std::sqrt(low * found.capacity_high_bytes.value_or(low));
    return std::abs(doublings(found.capacity_bytes.value_or(middle), static_cast<double>(reported.size_bytes)));
}

/// The min cost of pairing all caches from found[i] and reported[j] on.
using CostTable = std::vector<std::vector<double>>;

CostTable costs_of_pairing(std::span<const Level> found, std::span<const ReportedCache> reported) {
    CostTable cost(found.size() + 1, std::vector<double>(reported.size() + 1));
    for (std::size_t i = found.size() + 1; i-- > 0;) {
        for (std::size_t j = reported.size() + 1; j-- > 0;) {
            if (i == found.size() || j == reported.size()) {
                cost[i][j] = unpaired * static_cast<double>(found.size() - i + reported.size() - j);
                continue;
            }
            cost[i][j] = std::min({cost[i + 1][j + 1] + distance(found[i], reported[j]), cost[i + 1][j] + unpaired,
                                   cost[i][j + 1] + unpaired});
        }
    }
    return cost;
}

} // namespace

Unseen why_unseen(const ReportedCache& cache, std::span<const ReportedCache> reported, double largest_bytes,
                  double sizes_per_doubling) {
    constexpr std::uint64_t plateau_from = 3; // times the cache before
    constexpr double dense = 7.5;             // sizes per doubling: 8, where ends are rounded
    const auto crowds = [&cache](const ReportedCache& other) {
        const auto [smaller, larger] = std::minmax(cache.size_bytes, other.size_bytes);
        return smaller < larger && larger < plateau_from * smaller;
    };
    if (largest_bytes < static_cast<double>(last_caches_to_memory * cache.size_bytes))
        return Unseen::sweep_too_short;
    return sizes_per_doubling < dense && std::ranges::any_of(reported, crowds) ? Unseen::too_near : Unseen::no_trace;
}

std::vector<CacheComparison> compare_with_reported(std::span<const Level> found,
                                                   std::span<const ReportedCache> reported) {
    std::vector<ReportedCache> sorted(reported.begin(), reported.end());
    std::ranges::sort(sorted, {}, &ReportedCache::size_bytes);
    const CostTable cost = costs_of_pairing(found, sorted);

    std::vector<CacheComparison> result;
    std::size_t j = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        while (j < sorted.size() && cost[i][j] == cost[i][j + 1] + unpaired)
            ++j; // reported, but not found
        CacheComparison& comparison = result.emplace_back();
        if (j < sorted.size() && cost[i][j] == cost[i + 1][j + 1] + distance(found[i], sorted[j])) {
            comparison.reported = sorted[j++];
            comparison.much_smaller = found[i].capacity_high_bytes.value_or(std::numeric_limits<double>::max()) <
                                      own_share * static_cast<double>(comparison.reported->size_bytes);
        }
    }
    return result;
}

} // namespace memtest

#include "memtest/insight/reported_cache.hpp"

#include <algorithm>

namespace memtest {

std::vector<ReportedCache> plausible_caches(std::span<const ReportedCache> reported) {
    std::vector<ReportedCache> caches(reported.begin(), reported.end());
    std::ranges::sort(caches, {}, &ReportedCache::level);
    const auto is_not_above = [](const ReportedCache& cache, const ReportedCache& next) {
        return next.level == cache.level || next.size_bytes <= cache.size_bytes;
    };
    const bool is_none = caches.empty() || caches.front().size_bytes == 0;
    return is_none || std::ranges::adjacent_find(caches, is_not_above) != caches.end() ? std::vector<ReportedCache>()
                                                                                       : caches;
}

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

} // namespace memtest

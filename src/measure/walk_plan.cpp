#include "memtest/measure/walk_plan.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"
#include "memtest/chain/random.hpp"

#include <algorithm>
#include <bit>

namespace memtest {
namespace {

// Larger sizes are in memory wherever they are placed. Their chain is linked anew: with 1 GiB an eighth is linked
// twice.
std::size_t small_bytes_in(std::size_t area_bytes) {
    constexpr std::size_t largest_cache = 64 * mib;
    return std::max(area_bytes / 8, std::min<std::size_t>(area_bytes / 2, largest_cache));
}

/// Whether a size lies where all sizes do that no cache holds; else where those do that a cache may hold.
bool is_large(std::size_t bytes, const WalkPlan& plan) {
    return bytes > small_bytes_in(plan.area_bytes);
}

std::size_t draw_page(std::size_t room_bytes, std::size_t page_bytes, SplitMix64& random) {
    return static_cast<std::size_t>(random.below(room_bytes / page_bytes + 1)) * page_bytes;
}

constexpr std::size_t smallest_page_bytes = 4096;

// For the seed of a round. Lower streams are for the chains and their orders.
constexpr std::uint64_t stream_of_places = std::uint64_t{1} << 32U;

// For the seed of a thread. Lower streams are for the rounds.
constexpr std::uint64_t stream_of_kept = std::uint64_t{1} << 32U;

// Flushed in some 10 ms. Larger sizes, once linked, are nearly all evicted by visits to other sizes.
constexpr std::size_t always_flushed_bytes = 256 * mib;

// With a precision, whole laps in a stride order are timed up to this length.
constexpr double longest_timed_lap_ns = 64e6;

// Parts differ in cost, so many make a batch.
constexpr std::uint64_t parts_in_batch = 64;

constexpr std::size_t hops_in_part = 1024; // long compared with what a prefetcher needs to find the stride again

/// The largest size that is walked in several orders.
std::size_t reordered_bytes(const ChainShape& shape) {
    return capped_product<std::size_t>(most_reordered_lines, shape.line_bytes);
}

} // namespace

std::size_t kept_from(const std::vector<std::size_t>& sizes, const ChainShape& shape) {
    // Otherwise chains at other pages would not keep to the first word of the same lines.
    const bool divides_pages = std::has_single_bit(shape.line_bytes) && shape.line_bytes <= smallest_page_bytes;
    const std::size_t words = most_orders(shape.line_bytes) - shape.orders;
    if (shape.order != Order::random || !divides_pages || sizes.empty())
        return WalkPlan::no_size;
    if (shape.orders > 1 && sizes.size() == 1)
        return sizes.front();
    const std::size_t reordered = shape.orders == 1 ? 0 : reordered_bytes(shape);
    const auto first = std::ranges::upper_bound(sizes, reordered);
    const std::size_t kept = std::min(words, static_cast<std::size_t>(sizes.end() - first));
    return kept == 0 ? WalkPlan::no_size : sizes[sizes.size() - kept];
}

Placement placement_of(const TeamPlan& plan, std::size_t number) {
    return {.processor = plan.pinned ? std::optional(plan.processors[number]) : std::nullopt,
            .node = plan.nodes.empty() ? std::nullopt : std::optional(plan.nodes[number]),
            .number = number,
            .file = plan.memory_file ? std::optional(plan.memory_file->part(number, plan.processors.size()))
                                     : std::nullopt};
}

std::size_t place_of(std::size_t bytes, const WalkPlan& plan, std::size_t page_bytes, std::uint64_t seed) {
    require(plan.largest_bytes <= plan.area_bytes && page_bytes > 0,
            "every size fits into its area, which is made of pages");
    SplitMix64 random(seed);
    const std::size_t small = draw_page(plan.area_bytes - small_bytes_in(plan.area_bytes), page_bytes, random);
    const std::size_t large = draw_page(plan.area_bytes - plan.largest_bytes, page_bytes, random);
    return is_large(bytes, plan) ? large : small;
}

LinkPlan plan_links(const WalkPlan& plan, std::uint64_t thread, std::size_t page_bytes, std::size_t bytes,
                    unsigned round, const LinkedChains& linked) {
    const std::uint64_t thread_seed = stream_seed(plan.shape.seed, thread);
    LinkPlan links{.shape = plan.shape, .is_kept = bytes >= plan.kept_from_bytes && is_large(bytes, plan)};
    links.place = place_of(bytes, plan, page_bytes,
                           stream_seed(stream_seed(thread_seed, links.is_kept ? 0 : round), stream_of_places));
    bool has_all_lines = false;
    if (links.is_kept) {
        links.is_new = !linked.has_kept;
        if (links.is_new) {
            const bool shares_lines = plan.shape.orders == 1 || bytes > reordered_bytes(plan.shape);
            if (shares_lines) { // with the chains that grow
                links.shape.word = plan.shape.orders + linked.kept_sizes;
                links.shape.orders = 1;
            }
            links.shape.seed = stream_seed(thread_seed, stream_of_kept + 1 + linked.kept_sizes);
        }
        has_all_lines = linked.has_kept;
    } else {
        links.shape.seed = stream_seed(thread_seed, round);
        links.is_new = !linked.grown || linked.grown->round != round || linked.grown->place != links.place;
        has_all_lines = !links.is_new && linked.grown->bytes >= bytes;
    }
    links.flushes = !has_all_lines || bytes <= always_flushed_bytes;
    return links;
}

BatchPlan plan_batches(const WalkPlan& plan, std::uint64_t lap, double ns_per_access, const TimingPlan& left,
                       const ClockQuality& quality) {
    BatchPlan batches{.shortest = shortest_batch(left, ns_per_access, quality)};
    if (plan.shape.order == Order::random || plan.starts_cold())
        return batches;
    const bool is_long = left.precision_percent && ns_per_access * static_cast<double>(lap) > longest_timed_lap_ns;
    if (is_long || left.accesses / std::max(1U, left.visits) < lap)
        batches.part_accesses = hops_in_part * plan.shape.parallel;
    if (is_long)
        batches.shortest = std::max<std::uint64_t>(batches.shortest, parts_in_batch * batches.part_accesses);
    else if (batches.part_accesses == 0)
        batches.shortest = rounded_up(batches.shortest, lap);
    return batches;
}

} // namespace memtest

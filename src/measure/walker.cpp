#include "memtest/measure/walker.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/id_list.hpp"
#include "memtest/base/units.hpp"
#include "memtest/chain/random.hpp"
#include "memtest/machine/disturbances.hpp"
#include "memtest/machine/numa.hpp"
#include "memtest/machine/pages.hpp"
#include "memtest/machine/processors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

namespace memtest {
namespace {

// Larger sizes lie in memory wherever they are placed. Their chain is linked anew: with 1 GiB an eighth is linked
// twice.
std::size_t small_bytes_in(std::size_t area_bytes) {
    constexpr std::size_t largest_cache = std::size_t{64} << 20U;
    return std::max(area_bytes / 8, std::min(area_bytes / 2, largest_cache));
}

std::size_t draw_page(std::size_t room_bytes, std::size_t page_bytes, SplitMix64& random) {
    return static_cast<std::size_t>(random.below(room_bytes / page_bytes + 1)) * page_bytes;
}

// A proof walks a lap, which must not cost more than linking (some 25 ns per line). Up to here (4 MiB of 64-byte lines)
// a lap takes at most 10 ms, even where most hops miss. Larger chains grow by the same steps, which tests prove.
constexpr std::size_t largest_proof = std::size_t{1} << 16U;

// Short enough that a thread soon notices that the others are done.
constexpr std::size_t accesses_between_looks = 1024;

// Lower streams of a round's seed are for the orders of its chains.
constexpr std::uint64_t stream_of_places = max_parallel;

constexpr std::size_t smallest_page_bytes = 4096;

// Flushed in some 10 ms. Of larger sizes that were visited before, others leave next to nothing in caches.
constexpr std::size_t always_flushed_bytes = std::size_t{256} << 20U;

// Of a thread's seed, behind those of the rounds.
constexpr std::uint64_t stream_of_kept = std::uint64_t{1} << 32U;

// With a precision, whole laps in a stride order are timed up to here.
constexpr double longest_timed_lap_ns = 64e6;

constexpr std::uint64_t parts_in_batch = 64;

std::size_t largest_page_bytes(const GrantedPages& granted, PageKind asked, const SystemFiles& files) {
    if (granted.transparent_bytes.value_or(0) > 0)
        return granted.transparent_page_bytes;
    return granted.page_bytes > 0 ? granted.page_bytes : page_bytes_of(asked, files);
}

} // namespace

Places::Places(std::size_t area_bytes, std::size_t largest_bytes, std::size_t page_bytes, std::uint64_t seed)
    : small_bytes_(small_bytes_in(area_bytes)) {
    require(largest_bytes <= area_bytes && page_bytes > 0, "every size fits into its area, which is made of pages");
    SplitMix64 random(seed);
    small_place_ = draw_page(area_bytes - small_bytes_, page_bytes, random);
    large_place_ = draw_page(area_bytes - largest_bytes, page_bytes, random);
}

std::size_t kept_from(const std::vector<std::size_t>& sizes, const ChainShape& shape) {
    // Else chains at other pages would not keep to the first word of the same lines.
    const bool divides_pages = std::has_single_bit(shape.line_bytes) && shape.line_bytes <= smallest_page_bytes;
    const std::size_t words = shape.line_bytes / sizeof(std::uintptr_t) - 1;
    if (shape.order != Order::random || !divides_pages || words == 0 || sizes.empty())
        return WalkPlan::no_size;
    return sizes[sizes.size() - std::min(sizes.size(), words)];
}

Placement placement_of(const TeamPlan& plan, std::size_t number) {
    return {.processor = plan.pinned ? std::optional(plan.processors[number]) : std::nullopt,
            .node = plan.nodes.empty() ? std::nullopt : std::optional(plan.nodes[number]),
            .number = number,
            .file = plan.memory_file ? std::optional(plan.memory_file->part(number, plan.processors.size()))
                                     : std::nullopt};
}

const Placement& bound_to(const Placement& placement) {
    if (placement.processor)
        pin_to(*placement.processor);
    return placement;
}

Arena area_of(const Placement& placement, std::size_t bytes, PageKind pages, const SystemFiles& files,
              const std::atomic<bool>& interrupted) {
    if (placement.file)
        return {bytes, *placement.file, files, interrupted};
    return {bytes, pages, files, placement.node, interrupted};
}

bool is_verified_on_node(const Arena& arena, std::optional<int> node) {
    const auto found = node ? numa_nodes_of(arena.memory()) : std::nullopt;
    if (found && *found != std::vector{*node})
        throw Error(fmt::format("memory for node {} is on node {}", *node, format_ids(*found)));
    return found.has_value();
}

Walker::Walker(const WalkPlan& plan, const Placement& placement, const SystemFiles& files,
               const std::atomic<bool>& interrupted)
    : plan_(plan), placement_(bound_to(placement)), // first, so that the memory comes from that processor's node
      interrupted_(interrupted), arena_(area_of(placement, plan.area_bytes, plan.pages, files, interrupted)),
      counters_(plan.counters),
      quality_(measure_clock(clock_)), facts_{.pages = arena_.granted(files),
                                              .node_verified = !interrupted && // then it is filled
                                                               is_verified_on_node(arena_, placement.node),
                                              .core_ghz = core_ghz()},
      page_bytes_(largest_page_bytes(facts_.pages, plan.pages, files)),
      fit_(last_cache_bytes(read_processors(files, {current_processor()}))),
      random_places_(stream_seed(plan.shape.seed, placement.number)) {}

std::uint64_t Walker::prepare(const VisitPlan& visit) {
    is_ready_ = link(visit);
    if (!is_ready_)
        return 1;
    if (!starts_cold())
        prove();
    warm_up(visit.bytes);
    choose_batches(visit.left);
    ghz_before_ = core_ghz();
    return shortest_batch_;
}

bool Walker::link(const VisitPlan& visit) {
    if (round_ != visit.round) {
        fit_.begin_round();
        grown_.reset();
    }
    const Places places = places_in(visit.round);
    const bool is_kept = visit.bytes >= plan_.kept_from_bytes && places.is_large(visit.bytes);
    const bool is_linked = is_kept ? link_kept(visit.bytes) : link_grown(visit, places.place_of(visit.bytes));
    round_ = visit.round;
    return is_linked;
}

Places Walker::places_in(unsigned round) const {
    const std::uint64_t seed = stream_seed(stream_seed(plan_.shape.seed, placement_.number), round);
    return {plan_.area_bytes, plan_.largest_bytes, page_bytes_, stream_seed(seed, stream_of_places)};
}

bool Walker::link_grown(const VisitPlan& visit, std::size_t place) {
    if (!grown_ || grown_place_ != place) {
        ChainShape shape = plan_.shape;
        shape.seed = stream_seed(stream_seed(plan_.shape.seed, placement_.number), visit.round);
        grown_.emplace(arena_.memory().subspan(place), shape);
    }
    grown_place_ = place_ = place;
    chains_ = &*grown_;
    is_new_ = chains_->nodes() * plan_.shape.line_bytes < visit.bytes;
    return chains_->grow_to(visit.bytes, interrupted_);
}

bool Walker::link_kept(std::size_t bytes) {
    place_ = places_in(0).place_of(bytes);
    auto found = kept_.find(bytes);
    is_new_ = found == kept_.end();
    if (is_new_) {
        ChainShape shape = plan_.shape;
        shape.word = 1 + kept_.size();
        shape.seed = stream_seed(stream_seed(plan_.shape.seed, placement_.number), stream_of_kept + shape.word);
        found = kept_.emplace(bytes, Chains(arena_.memory().subspan(place_), shape)).first;
    }
    chains_ = &found->second;
    return !is_new_ || chains_->grow_to(bytes, interrupted_);
}

void Walker::prove() const {
    if (chains_->nodes() <= largest_proof)
        require(chains_->proven(), "every chain is a single cycle through all its nodes");
}

void Walker::warm_up(std::size_t bytes) {
    const WarmedChains chains{.lap = chains_->nodes(),
                              .walk = [this](std::size_t n) { return chains_->walk(n); },
                              .flush =
                                  [this, bytes] {
                                      const bool is_needed = is_new_ || bytes <= always_flushed_bytes;
                                      return is_needed ? chains_->flush() : can_flush_lines();
                                  }};
    if (plan_.warmup_laps)
        return walk_laps(*plan_.warmup_laps, plan_.laps_start, chains, interrupted_);
    start_ = walk_to_steady_state(chains, fit_.of(bytes), clock_, interrupted_);
    fit_.note(bytes, start_);
}

void Walker::choose_batches(const TimingPlan& left) {
    const double ns = ns_per_access();
    const std::uint64_t lap = chains_->nodes();
    shortest_batch_ = shortest_batch(left, ns, quality_);
    walks_parts_ = false;
    if (plan_.shape.order == Order::random || starts_cold())
        return;
    const bool is_long = left.precision_percent && ns * static_cast<double>(lap) > longest_timed_lap_ns;
    walks_parts_ = is_long || left.accesses / std::max(1U, left.visits) < lap;
    if (is_long) // each part is easier or harder than others: many make a batch
        shortest_batch_ = std::max<std::uint64_t>(shortest_batch_, parts_in_batch * part_accesses());
    else if (!walks_parts_)
        shortest_batch_ = rounded_up(shortest_batch_, lap);
}

std::size_t Walker::part_accesses() const {
    constexpr std::size_t hops = 1024; // long against what a prefetcher needs to find the stride again
    return hops * plan_.shape.parallel;
}

std::size_t Walker::walk_timed(std::size_t accesses) {
    if (!walks_parts_)
        return chains_->walk(accesses);
    std::size_t made = 0;
    while (made < accesses) {
        chains_->jump(random_places_);
        made += chains_->walk(std::min(part_accesses(), accesses - made));
    }
    return made;
}

double Walker::ns_per_access() {
    if (starts_cold())
        return shortest_access_ns / plan_.shape.parallel;
    return pilot_ns_per_access([this](std::size_t n) { return chains_->walk(n); }, clock_, quality_);
}

void Walker::stay_warm() {
    if (!starts_cold())
        walk_on();
}

void Walker::measure(const TimingPlan& timing, Measurement& measurement) {
    if (!is_ready_)
        return;
    measurement.place_bytes = place_;
    measurement.is_held = start_ == Start::linked;
    measurement.ghz_before = ghz_before_;
    measurement.before = read_disturbances();
    measurement.start_ns = clock_.now_ns();
    counters_.start();
    measurement.timing = time_batches(
        timing, shortest_batch_, [this](std::size_t n) { return walk_timed(n); }, clock_, quality_, interrupted_);
    counters_.stop();
    measurement.counters = counters_.read();
    measurement.after = read_disturbances();
}

void Walker::walk_on() {
    if (is_ready_)
        chains_->walk(accesses_between_looks);
}

void Walker::finish(Measurement& measurement) {
    if (!is_ready_)
        return;
    measurement.ghz_after = core_ghz();
    if (starts_cold())
        prove(); // only now: a proof is a warm-up lap
}

} // namespace memtest

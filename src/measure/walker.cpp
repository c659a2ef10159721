#include "memtest/measure/walker.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/id_list.hpp"
#include "memtest/chain/random.hpp"
#include "memtest/machine/core_clock.hpp"
#include "memtest/machine/disturbances.hpp"
#include "memtest/machine/numa.hpp"
#include "memtest/machine/pages.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/measure/places.hpp"

#include <fmt/format.h>

#include <vector>

namespace memtest {
namespace {

// A proof walks a lap, which must not cost more than linking (some 25 ns per line). Up to here (4 MiB of 64-byte lines)
// a lap takes at most 10 ms, even where most hops miss. Larger chains grow by the same steps, which tests prove.
constexpr std::size_t largest_proof = std::size_t{1} << 16U;

// Short enough that a thread soon notices that the others are done.
constexpr std::size_t accesses_between_looks = 1024;

// Lower streams of a round's seed are for the orders of its chains.
constexpr std::uint64_t stream_of_places = max_parallel;

std::size_t largest_page_bytes(const GrantedPages& granted, PageKind asked, const SystemFiles& files) {
    if (granted.transparent_bytes.value_or(0) > 0)
        return granted.transparent_page_bytes;
    return granted.page_bytes > 0 ? granted.page_bytes : page_bytes_of(asked, files);
}

} // namespace

Seat seat_of(const TeamPlan& plan, std::size_t number) {
    return {.processor = plan.pinned ? std::optional(plan.processors[number]) : std::nullopt,
            .node = plan.nodes.empty() ? std::nullopt : std::optional(plan.nodes[number]),
            .number = number};
}

const Seat& taken(const Seat& seat) {
    if (seat.processor)
        pin_to(*seat.processor);
    return seat;
}

bool is_verified_on_node(const Arena& arena, std::optional<int> node) {
    const auto found = node ? numa_nodes_of(arena.memory()) : std::nullopt;
    if (found && *found != std::vector{*node})
        throw Error(fmt::format("memory for node {} is on node {}", *node, format_ids(*found)));
    return found.has_value();
}

Walker::Walker(const WalkPlan& plan, const Seat& seat, const SystemFiles& files, const std::atomic<bool>& interrupted)
    : plan_(plan), seat_(taken(seat)), // first, so that the memory comes from that processor's node
      interrupted_(interrupted), arena_(plan.area_bytes, plan.pages, files, seat.node, interrupted),
      counters_(plan.counters),
      quality_(measure_clock(clock_)), facts_{.pages = arena_.granted(files),
                                              .node_verified = !interrupted && // then it is filled
                                                               is_verified_on_node(arena_, seat.node),
                                              .core_ghz = core_ghz()},
      page_bytes_(largest_page_bytes(facts_.pages, plan.pages, files)) {}

std::optional<double> Walker::core_ghz() {
    return measure_core_clock_ghz(clock_, quality_);
}

std::uint64_t Walker::prepare(const VisitPlan& visit) {
    is_ready_ = link(visit);
    if (!is_ready_)
        return 1;
    if (!starts_cold())
        prove();
    warm_up(
        plan_.warmup_laps, chains_->nodes(), [this](std::size_t n) { return chains_->walk(n); }, clock_, interrupted_);
    shortest_batch_ = shortest_batch(visit.left, ns_per_access(), quality_);
    ghz_before_ = core_ghz();
    return shortest_batch_;
}

bool Walker::link(const VisitPlan& visit) {
    ChainShape shape = plan_.shape;
    shape.seed = stream_seed(stream_seed(plan_.shape.seed, seat_.number), visit.round);
    const Places places(plan_.area_bytes, plan_.largest_bytes, page_bytes_, stream_seed(shape.seed, stream_of_places));
    const std::size_t place = places.place_of(visit.bytes);
    if (!chains_ || round_ != visit.round || place_ != place)
        chains_.emplace(arena_.memory().subspan(place), shape);
    round_ = visit.round;
    place_ = place;
    return chains_->grow_to(visit.bytes, interrupted_);
}

void Walker::prove() const {
    if (chains_->nodes() <= largest_proof)
        require(chains_->proven(), "every chain is a single cycle through all its nodes");
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
    measurement.ghz_before = ghz_before_;
    measurement.before = read_disturbances();
    measurement.start_ns = clock_.now_ns();
    counters_.start();
    measurement.timing = time_batches(
        timing, shortest_batch_, [this](std::size_t n) { return chains_->walk(n); }, clock_, quality_, interrupted_);
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

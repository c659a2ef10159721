#include "memtest/measure/walker.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/id_list.hpp"
#include "memtest/chain/random.hpp"
#include "memtest/machine/disturbances.hpp"
#include "memtest/machine/numa.hpp"
#include "memtest/machine/pages.hpp"
#include "memtest/machine/processors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace memtest {
namespace {

// A proof walks a lap, which must not cost more than linking (about 25 ns per line). Up to here (4 MiB of 64-byte
// lines) a lap takes at most 10 ms, even if most hops miss. Larger chains grow by the same steps, which tests prove.
constexpr std::size_t largest_proof = std::size_t{1} << 16U;

// Short enough that a thread soon notices that the others are done.
constexpr std::size_t accesses_between_looks = 1024;

std::size_t largest_page_bytes(const GrantedPages& granted, PageKind asked, const SystemFiles& files) {
    if (granted.transparent_bytes.value_or(0) > 0)
        return granted.transparent_page_bytes;
    return granted.page_bytes > 0 ? granted.page_bytes : page_bytes_of(asked, files);
}

} // namespace

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
      fit_(last_cache_bytes(files, current_processor())),
      random_places_(stream_seed(plan.shape.seed, placement.number)) {}

std::uint64_t Walker::prepare(const VisitPlan& visit) {
    chains_ = nullptr; // until they are linked: that may be interrupted, or fail
    if (round_ != visit.round)
        fit_.begin_round();
    round_ = visit.round;
    links_ = plan_links(plan_, placement_.number, page_bytes_, visit.bytes, visit.round,
                        {.grown = grown_to_, .has_kept = kept_.contains(visit.bytes), .kept_sizes = kept_.size()});
    chains_ = link(visit);
    if (chains_ == nullptr)
        return 1;
    if (!plan_.starts_cold())
        prove();
    warm_up(visit.bytes);
    batches_ = plan_batches(plan_, chains_->nodes(), ns_per_access(), visit.left, quality_);
    ghz_before_ = core_ghz();
    return batches_.shortest;
}

/// @return null if interrupted
Chains* Walker::link(const VisitPlan& visit) {
    const std::span<std::byte> memory = arena_.memory().subspan(links_.place);
    if (links_.is_new && links_.is_kept)
        kept_.emplace(visit.bytes, Chains(memory, links_.shape));
    else if (links_.is_new) {
        grown_to_.reset(); // it throws if memory runs out
        grown_.emplace(memory, links_.shape);
    }
    Chains& chains = links_.is_kept ? kept_.at(visit.bytes) : *grown_;
    const bool grows = links_.is_new || !links_.is_kept;
    if (grows && !chains.grow_to(visit.bytes, interrupted_)) {
        grown_to_.reset();
        kept_.erase(visit.bytes);
        return nullptr;
    }
    if (!links_.is_kept)
        grown_to_ = {.round = visit.round, .place = links_.place, .bytes = chains.nodes() * plan_.shape.line_bytes};
    return &chains;
}

void Walker::prove() const {
    const bool is_too_large = chains_->nodes() > largest_proof && !placement_.file;
    if (is_too_large || chains_->proven(largest_proof))
        return;
    require(placement_.file.has_value(), "every chain is a single cycle through all its nodes");
    throw Error(
        fmt::format("--memory {}: another program changed the file while it was measured", placement_.file->path));
}

void Walker::warm_up(std::size_t bytes) {
    const WarmedChains chains{.lap = chains_->nodes(),
                              .walk = [this](std::size_t n) { return chains_->walk(n); },
                              .flush = [this] { return links_.flushes ? chains_->flush() : can_flush_lines(); }};
    if (plan_.warmup_laps)
        return walk_laps(*plan_.warmup_laps, plan_.laps_start, chains, interrupted_);
    start_ = walk_to_steady_state(chains, bytes, fit_, clock_, interrupted_);
}

std::size_t Walker::walk_timed(std::size_t accesses) {
    if (batches_.part_accesses == 0)
        return chains_->walk(accesses);
    std::size_t made = 0;
    while (made < accesses) {
        chains_->jump(random_places_);
        made += chains_->walk(std::min(batches_.part_accesses, accesses - made));
    }
    return made;
}

double Walker::ns_per_access() {
    if (plan_.starts_cold())
        return shortest_access_ns / plan_.shape.parallel;
    return pilot_ns_per_access([this](std::size_t n) { return chains_->walk(n); }, clock_, quality_);
}

void Walker::stay_warm() {
    if (!plan_.starts_cold())
        walk_on();
}

void Walker::measure(const TimingPlan& timing, Measurement& measurement) {
    if (chains_ == nullptr)
        return;
    measurement.place_bytes = links_.place;
    measurement.is_held = start_ == Start::linked;
    measurement.ghz_before = ghz_before_;
    measurement.before = read_disturbances();
    measurement.start_ns = clock_.now_ns();
    counters_.start();
    measurement.timing = time_batches(
        timing, batches_.shortest, [this](std::size_t n) { return walk_timed(n); }, clock_, quality_, interrupted_);
    counters_.stop();
    measurement.counters = counters_.read();
    measurement.after = read_disturbances();
}

void Walker::walk_on() {
    if (chains_ != nullptr)
        chains_->walk(accesses_between_looks);
}

void Walker::finish(Measurement& measurement) {
    if (chains_ == nullptr)
        return;
    measurement.ghz_after = core_ghz();
    if (plan_.starts_cold() || placement_.file) // a file may have changed meanwhile
        prove();                                // not earlier: a proof is a warm-up lap
}

} // namespace memtest

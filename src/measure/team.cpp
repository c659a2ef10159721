#include "memtest/measure/team.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/id_list.hpp"
#include "memtest/machine/arena.hpp"
#include "memtest/machine/core_clock.hpp"
#include "memtest/machine/numa.hpp"
#include "memtest/machine/processors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

namespace memtest {
namespace {

// A proof walks a lap: up to here (16 MiB of 64-byte lines) its hops hit the caches and cost about what linking did;
// beyond, each is a miss of ten times that. Larger chains grow from proven ones by the same steps, and tests prove
// them.
constexpr std::size_t largest_proof = std::size_t{1} << 18U;

// Short enough that a thread that is done notices soon that the others are, too.
constexpr std::size_t accesses_between_looks = 1024;

} // namespace

/// One thread's memory, chains and clock; lives on that thread.
class Team::Member {
public:
    Member(const TeamPlan& plan, std::size_t number, const SystemFiles& files)
        : plan_(plan), node_(node_for(plan, number)), arena_(plan.memory_bytes, plan.pages, files, node_),
          chains_(arena_.memory(), shape_for(plan.shape, number)), counters_(plan.counters),
          quality_(measure_clock(clock_)) {}

    [[nodiscard]] ThreadFacts facts(const SystemFiles& files) {
        return {.pages = arena_.granted(files), .node_verified = has_verified_node(), .core_ghz = core_ghz()};
    }

    [[nodiscard]] double core_ghz() { return measure_core_clock_ghz(clock_, quality_); }

    void prepare(std::size_t bytes, const std::atomic<bool>& interrupted) {
        chains_.grow_to(bytes);
        if (!starts_cold())
            prove();
        warm_up(interrupted);
    }

    /// Walks on while others are not ready, unless the first timed hop is to be the first of all.
    void stay_warm() {
        if (!starts_cold())
            walk_on();
    }

    /// The timed batches, and what the counters counted over them alone.
    void time(const std::atomic<bool>& interrupted, Measurement& measurement) {
        const auto walk = [this](std::size_t accesses) { return chains_.walk(accesses); };
        const double ns_per_access =
            starts_cold() ? shortest_access_ns / plan_.shape.parallel : pilot_ns_per_access(walk, clock_, quality_);
        measurement.timing =
            time_batches(plan_.timing, ns_per_access, walk, clock_, quality_, interrupted,
                         {.start = [this] { counters_.start(); }, .stop = [this] { counters_.stop(); }});
        measurement.counters = counters_.read();
    }

    void walk_on() { chains_.walk(accesses_between_looks); }

    void finish() {
        if (starts_cold())
            prove(); // only now: a proof is a warm-up lap
    }

private:
    static std::optional<int> node_for(const TeamPlan& plan, std::size_t number) {
        return plan.nodes.empty() ? std::nullopt : std::optional(plan.nodes[number]);
    }

    /// Whether the kernel says that the memory is where it was asked for. @throws Error when it says otherwise
    [[nodiscard]] bool has_verified_node() const {
        const auto found = node_ ? numa_nodes_of(arena_.memory()) : std::nullopt;
        if (found && *found != std::vector{*node_})
            throw Error(
                fmt::format("--node: memory was asked for on node {} and is on {}", *node_, format_ids(*found)));
        return found.has_value();
    }

    static ChainShape shape_for(ChainShape shape, std::size_t number) {
        shape.seed = stream_seed(shape.seed, number);
        return shape;
    }

    [[nodiscard]] bool starts_cold() const { return plan_.warmup_laps == 0U; }

    void prove() const {
        if (chains_.nodes() <= largest_proof)
            require(chains_.proven(), "every chain is a single cycle through all its nodes");
    }

    void warm_up(const std::atomic<bool>& interrupted) {
        const std::uint64_t lap = chains_.nodes();
        const std::uint64_t accesses =
            plan_.warmup_laps ? *plan_.warmup_laps * lap : std::min<std::uint64_t>(lap, warmup_bound);
        walk_in_portions(
            accesses, [this](std::size_t n) { return chains_.walk(n); }, interrupted);
    }

    const TeamPlan& plan_;
    std::optional<int> node_;
    Arena arena_;
    Chains chains_;
    ThreadCounters counters_;
    MonotonicClock clock_;
    ClockQuality quality_;
};

Team::Team(TeamPlan plan, SystemFiles files, const std::atomic<bool>& interrupted)
    : plan_(std::move(plan)), files_(std::move(files)), interrupted_(interrupted), facts_(plan_.processors.size()),
      results_(plan_.processors.size()), gate_(static_cast<std::ptrdiff_t>(plan_.processors.size()) + 1) {
    std::vector<std::exception_ptr> failures(plan_.processors.size());
    start_threads(failures);
    gate_.arrive_and_wait(); // all are ready, or have failed
    for (const std::exception_ptr& failure : failures) {
        if (failure) {
            dismiss();
            std::rethrow_exception(failure);
        }
    }
}

void Team::start_threads(std::vector<std::exception_ptr>& failures) {
    for (std::size_t number = 0; number < failures.size(); ++number) {
        try {
            threads_.emplace_back([this, number, &failure = failures[number]] { run_member(number, failure); });
        } catch (const std::system_error& error) {
            failures[number] = std::make_exception_ptr(
                Error(fmt::format("cannot start thread {} of {}: {}; give fewer --threads, or raise the limit (ulimit "
                                  "-u and -v, control group)",
                                  number + 1, failures.size(), error.code().message())));
            // Those that are not there are not waited for.
            for (std::size_t missing = number; missing < failures.size(); ++missing)
                gate_.arrive_and_drop();
            return;
        }
    }
}

Team::~Team() {
    dismiss();
}

void Team::dismiss() {
    bytes_ = 0;
    if (!threads_.empty())
        gate_.arrive_and_wait();
    threads_.clear();
}

std::vector<Measurement> Team::measure(std::size_t bytes) {
    bytes_ = bytes;
    preparing_ = threads_.size();
    walking_ = threads_.size();
    gate_.arrive_and_wait(); // off they go
    gate_.arrive_and_wait(); // all are done
    if (interrupted_)
        return {};
    return std::exchange(results_, std::vector<Measurement>(threads_.size()));
}

void Team::run_member(std::size_t number, std::exception_ptr& failure) {
    std::optional<Member> member;
    try {
        if (plan_.pinned)
            pin_to(plan_.processors[number]); // first, so that the memory comes from that processor's node
        member.emplace(plan_, number, files_);
        facts_[number] = member->facts(files_);
    } catch (...) {
        failure = std::current_exception();
    }
    gate_.arrive_and_wait();
    while (true) {
        gate_.arrive_and_wait();
        if (bytes_ == 0)
            return;
        // Assembled here and handed over at the end, so that no result is written beside what another thread reads.
        Measurement measurement;
        member->prepare(bytes_, interrupted_);
        measurement.ghz_before = member->core_ghz();
        // Met by spinning: a thread that slept here would start tens of microseconds, or a time slice, after the
        // others.
        preparing_.fetch_sub(1, std::memory_order_release);
        while (preparing_.load(std::memory_order_acquire) > 0)
            member->stay_warm();
        measurement.before = read_disturbances();
        member->time(interrupted_, measurement);
        measurement.after = read_disturbances();
        walking_.fetch_sub(1, std::memory_order_release);
        while (walking_.load(std::memory_order_acquire) > 0)
            member->walk_on();
        measurement.ghz_after = member->core_ghz();
        member->finish();
        results_[number] = std::move(measurement);
        gate_.arrive_and_wait();
    }
}

} // namespace memtest

// The timed loop itself: a hop inside the first cache, and K chains side by side in memory.
#include "memtest/chain/chains.hpp"
#include "memtest/machine/arena.hpp"
#include "memtest/machine/clock.hpp"

#include <benchmark/benchmark.h>

#include <cstddef>

namespace {

void report_per_access(benchmark::State& state, double accesses, bool in_cycles) {
    using benchmark::Counter;
    state.counters["ns_per_access"] = Counter(accesses * 1e-9, Counter::kIsRate | Counter::kInvert);
    if (!in_cycles)
        return;
    memtest::MonotonicClock clock;
    if (const auto ghz = memtest::measure_core_clock_ghz(clock, memtest::measure_clock(clock)))
        state.counters["cycles_per_access"] = Counter(accesses * 1e-9 / *ghz, Counter::kIsRate | Counter::kInvert);
}

/// Hops around 16 KiB, inside the first cache of any processor.
void hop_in_first_cache(benchmark::State& state, memtest::Link link) {
    constexpr std::size_t bytes = std::size_t{16} << 10U;
    const memtest::Arena arena(bytes, memtest::PageKind::system_default, memtest::SystemFiles());
    memtest::Chains chains(arena.memory(), {.order = memtest::Order::random, .link = link});
    chains.grow_to(bytes);
    double accesses = 0;
    for (auto _ : state)
        accesses += static_cast<double>(chains.walk(std::size_t{1} << 16U));
    report_per_access(state, accesses, true);
}

/// K chains side by side in 1 GiB: down from latency towards throughput.
void parallel_chains_in_memory(benchmark::State& state) {
    constexpr std::size_t bytes = std::size_t{1} << 30U;
    static const memtest::Arena arena(bytes, memtest::PageKind::transparent_huge, memtest::SystemFiles());
    memtest::Chains chains(arena.memory(),
                           {.order = memtest::Order::random, .parallel = static_cast<unsigned>(state.range(0))});
    chains.grow_to(bytes);
    double accesses = 0;
    for (auto _ : state)
        accesses += static_cast<double>(chains.walk(std::size_t{1} << 16U));
    report_per_access(state, accesses, false);
}

BENCHMARK_CAPTURE(hop_in_first_cache, pointer, memtest::Link::pointer)->Repetitions(7)->ReportAggregatesOnly();
BENCHMARK_CAPTURE(hop_in_first_cache, index, memtest::Link::index)->Repetitions(7)->ReportAggregatesOnly();
BENCHMARK(parallel_chains_in_memory)->RangeMultiplier(2)->Range(1, 16)->Unit(benchmark::kMillisecond);

} // namespace

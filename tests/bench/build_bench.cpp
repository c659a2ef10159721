// What it costs to build a random chain at 1 GiB with lines of 64 bytes.
#include "memtest/chain/chains.hpp"
#include "memtest/machine/arena.hpp"

#include <benchmark/benchmark.h>

#include <cstddef>

namespace {

constexpr std::size_t bytes = std::size_t{1} << 30U;
constexpr std::size_t nodes = bytes / 64;

void grow_random_chain(benchmark::State& state, memtest::PageKind pages) {
    const memtest::Arena arena(bytes, pages, memtest::SystemFiles());
    const auto memory = arena.memory();
    for (auto _ : state) {
        memtest::Chains chains(memory, {.order = memtest::Order::random});
        chains.grow_to(bytes);
        benchmark::DoNotOptimize(memory.data());
    }
    state.counters["ns_per_node"] =
        benchmark::Counter(static_cast<double>(nodes) * 1e-9 * static_cast<double>(state.iterations()),
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void five_times(benchmark::internal::Benchmark* benchmark) {
    benchmark->Unit(benchmark::kMillisecond)->Repetitions(5)->ReportAggregatesOnly();
}

BENCHMARK_CAPTURE(grow_random_chain, small_pages, memtest::PageKind::base)->Apply(five_times);
BENCHMARK_CAPTURE(grow_random_chain, huge_pages, memtest::PageKind::transparent_huge)->Apply(five_times);

} // namespace

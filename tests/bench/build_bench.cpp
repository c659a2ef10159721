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

void fill_shuffle_link(benchmark::State& state, memtest::PageKind pages) {
    const memtest::Arena arena(bytes, pages, memtest::SystemFiles());
    const auto memory = arena.memory();
    const memtest::Nodes chain(memory.data(), 0, line, memtest::Link::pointer);
    for (auto _ : state) {
        std::vector<std::uint32_t> order(nodes);
        std::iota(order.begin(), order.end(), 0U);
        memtest::SplitMix64 random(1);
        for (std::size_t i = nodes - 1; i > 0; --i)
            std::swap(order[i], order[random.below(i + 1)]);
        for (std::size_t i = 0; i + 1 < nodes; ++i)
            chain.set_next(order[i], order[i + 1]);
        chain.set_next(order[nodes - 1], order[0]);
        benchmark::DoNotOptimize(memory.data());
    }
    report(state, static_cast<double>(nodes * sizeof(std::uint32_t)) / (1U << 20U));
}

void five_times(benchmark::internal::Benchmark* benchmark) {
    benchmark->Unit(benchmark::kMillisecond)->Repetitions(5)->ReportAggregatesOnly();
}

BENCHMARK_CAPTURE(grow_random_chain, small_pages, memtest::PageKind::base)->Apply(five_times);
BENCHMARK_CAPTURE(fill_shuffle_link, small_pages, memtest::PageKind::base)->Apply(five_times);
BENCHMARK_CAPTURE(grow_random_chain, huge_pages, memtest::PageKind::transparent_huge)->Apply(five_times);
BENCHMARK_CAPTURE(fill_shuffle_link, huge_pages, memtest::PageKind::transparent_huge)->Apply(five_times);

} // namespace

// The wall time of a whole random sweep up to 1 GiB: until known to 2 %, and with all accesses.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>

namespace {

void random_sweep(benchmark::State& state, const std::string& options) {
    const std::string command = MEMTEST_PROGRAM " --random --quiet " + options + " 2>/dev/null >/dev/null";
    for (auto _ : state) {
        if (std::system(command.c_str()) != 0)
            state.SkipWithError("the sweep failed");
    }
}

BENCHMARK_CAPTURE(random_sweep, until_known, "")->Unit(benchmark::kSecond)->UseRealTime()->Iterations(3);
BENCHMARK_CAPTURE(random_sweep, all_accesses, "-a 10000000")->Unit(benchmark::kSecond)->UseRealTime()->Iterations(1);

} // namespace

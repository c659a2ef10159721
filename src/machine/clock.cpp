#include "memtest/machine/clock.hpp"

#include "memtest/machine/disturbances.hpp"
#include "memtest/machine/system_files.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

constexpr const char* standing = "the system's clock stands still; nothing can be measured with it (see "
                                 "/sys/devices/system/clocksource)";

} // namespace

std::uint64_t MonotonicClock::now_ns() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    const auto now_ns = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
    if (now_ns > last_ns_) {
        last_ns_ = now_ns;
        repetitions_ = 0;
    } else {
        check_it_moves();
    }
    return last_ns_;
}

void MonotonicClock::check_it_moves() {
    constexpr std::uint64_t usual = 64; // of a clock of 1 us
    constexpr double longest_s = 0.5;
    if (++repetitions_ % usual != 0) // it costs as much as some readings
        return;
    const double used_s = processor_seconds(RUSAGE_THREAD);
    if (repetitions_ == usual)
        used_s_ = used_s;
    if (used_s - used_s_ > longest_s)
        throw standing_clock();
}

Error standing_clock() {
    return Error(standing);
}

ClockQuality measure_clock(Clock& clock) {
    // Enough pairs for one to be undisturbed; on a coarse clock enough steps for one to be a single tick.
    constexpr int pairs_wanted = 1000;
    constexpr int steps_wanted = 20;
    constexpr int most_repetitions = 1 << 20; // some 25 ms, longer if a reading is a system call
    std::uint64_t smallest_step = std::numeric_limits<std::uint64_t>::max();
    int pairs = 0;
    int steps = 0;
    const std::uint64_t start = clock.now_ns();
    std::uint64_t before = start;
    int repetitions = 0;
    while (pairs < pairs_wanted || steps < steps_wanted) {
        const std::uint64_t now = clock.now_ns();
        ++pairs;
        repetitions = now == before ? repetitions + 1 : 0;
        if (repetitions == most_repetitions)
            throw usage_error(standing);
        if (now != before) {
            ++steps;
            smallest_step = std::min(smallest_step, now - before);
        }
        before = now;
    }
    const double mean_cost_ns = static_cast<double>(before - start) / pairs;
    const auto resolution_ns = static_cast<double>(smallest_step);
    // A fine clock's smallest step is the cost of reading it undisturbed; a coarse clock shows the cost only on
    // average.
    return {.cost_ns = std::min(mean_cost_ns, resolution_ns), .resolution_ns = resolution_ns};
}

namespace {

/// One addition that the compiler can neither fold into the next nor move. Both operands are registers: some cores add
/// a small constant in no time at all.
inline void add(std::size_t& sum, std::size_t addend) {
    sum += addend;
    asm volatile("" : "+r"(sum));
}

template<std::size_t... Step>
inline void add_many(std::size_t& sum, std::size_t addend, std::index_sequence<Step...> /*steps*/) {
    ((static_cast<void>(Step), add(sum, addend)), ...);
}

[[gnu::noinline]] void add_chain(std::size_t additions) {
    constexpr std::size_t unrolled = 64;
    std::size_t sum = 0;
    std::size_t addend = 1;
    asm volatile("" : "+r"(sum), "+r"(addend));
    for (; additions >= unrolled; additions -= unrolled)
        add_many(sum, addend, std::make_index_sequence<unrolled>{});
}

} // namespace

std::optional<double> measure_core_clock_ghz(Clock& clock, const ClockQuality& quality) {
    if (!addition_takes_one_cycle)
        return std::nullopt;
    constexpr std::size_t trials = 5;
    // 40 us at 3 GHz: short enough that most trials are not interrupted, and 1000 times a usual clock's resolution.
    std::size_t additions = std::size_t{1} << 17U;
    const double long_enough_ns = 500 * quality.resolution_ns;
    std::vector<double> ghz;
    while (ghz.size() < trials) {
        const std::uint64_t start = clock.now_ns();
        add_chain(additions);
        const std::uint64_t passed = clock.now_ns() - start;
        if (passed == 0 && static_cast<double>(additions) * impossible_ns > long_enough_ns)
            throw standing_clock();
        const double ns = static_cast<double>(passed) - quality.cost_ns;
        if (ns < long_enough_ns)
            additions *= 2;
        else
            ghz.push_back(static_cast<double>(additions) / ns);
    }
    // Not the max: a virtual machine's clock now and then jumps by 2 us, and a trial then seems 14 % too fast.
    std::ranges::nth_element(ghz, ghz.begin() + trials / 2);
    return ghz[trials / 2];
}

std::vector<ScaledClock> read_uncore_clocks(const SystemFiles& files) {
    constexpr std::string_view folder = "/sys/devices/system/cpu/intel_uncore_frequency";
    std::vector<ScaledClock> clocks;
    for (const std::string& name : files.names(folder)) {
        const auto ghz = [&](std::string_view which) -> std::optional<double> {
            const auto khz = files.number(fmt::format("{}/{}/{}_freq_khz", folder, name, which));
            return khz ? std::optional(static_cast<double>(*khz) / 1e6) : std::nullopt;
        };
        const auto lowest_ghz = ghz("min");
        const auto highest_ghz = ghz("max");
        if (lowest_ghz && highest_ghz)
            clocks.push_back({*lowest_ghz, *highest_ghz, ghz("current")});
    }
    return clocks;
}

std::vector<ScaledClock> read_memory_clocks(const SystemFiles& files) {
    constexpr std::string_view folder = "/sys/class/devfreq";
    // In the names of drivers and of device trees: Rockchip, Arm, Exynos, NXP, Tegra, Allwinner.
    constexpr std::array<std::string_view, 7> parts{"dmc", "memory-controller", "mif", "ddr", "emc", "dram", "mbus"};
    std::vector<ScaledClock> clocks;
    for (const std::string& name : files.names(folder)) {
        const std::string path = fmt::format("{}/{}/", folder, name);
        const std::string names = name + ' ' + files.line(path + "name").value_or("");
        if (std::ranges::none_of(parts, [&](std::string_view part) { return names.find(part) != std::string::npos; }))
            continue;
        const auto ghz = [&](std::string_view which) -> std::optional<double> {
            constexpr double least_hz = 1e7; // some drivers count kHz
            const auto number = static_cast<double>(files.number(fmt::format("{}{}_freq", path, which)).value_or(0));
            return number > 0 ? std::optional(number / (number < least_hz ? 1e6 : 1e9)) : std::nullopt;
        };
        const auto current_ghz = ghz("cur");
        const auto lowest_ghz = ghz("min");
        const auto highest_ghz = ghz("max");
        if (current_ghz || (lowest_ghz && highest_ghz))
            clocks.push_back({.lowest_ghz = lowest_ghz.value_or(current_ghz.value_or(0)),
                              .highest_ghz = highest_ghz.value_or(current_ghz.value_or(0)),
                              .current_ghz = current_ghz,
                              .governor = files.line(path + "governor").value_or("")});
    }
    return clocks;
}

} // namespace memtest

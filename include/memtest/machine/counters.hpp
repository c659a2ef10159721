#pragma once

#include "memtest/base/words.hpp"
#include "memtest/machine/descriptor.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace memtest {

class SystemFiles;

/// Events that the kernel can count for a thread. The first five are the processor's. They count the program's own
/// work, not the kernel's on its behalf, and include speculative work if the processor counts it.
enum class Counter { cycles, instructions, l1d_misses, llc_misses, dtlb_misses, page_faults, context_switches };

template<>
inline constexpr std::array<Word<Counter>, 7> word_table<Counter>{{{Counter::cycles, "cycles"},
                                                                   {Counter::instructions, "instructions"},
                                                                   {Counter::l1d_misses, "l1d-misses"},
                                                                   {Counter::llc_misses, "llc-misses"},
                                                                   {Counter::dtlb_misses, "dtlb-misses"},
                                                                   {Counter::page_faults, "page-faults"},
                                                                   {Counter::context_switches, "context-switches"}}};

/// The title of its column: "L1d misses per access".
[[nodiscard]] std::string_view column_of(Counter counter);

/// A counter's reading over a span of time. The processor has few counters: if more are requested, they take turns, and
/// each runs for part of the time.
struct CounterReading {
    std::uint64_t count = 0;
    std::uint64_t enabled_ns = 0; ///< from start to stop
    std::uint64_t running_ns = 0; ///< the part of that in which it counted
};

/// The count for the whole time, extrapolated as in perf_event_open(2); std::nullopt if it never ran.
[[nodiscard]] std::optional<double> scaled_count(const CounterReading& reading);

/// Tries to open a counter for the calling thread. @return 0, or the system's error number
[[nodiscard]] int try_counter(Counter counter);

/// Refuses counters that this system lacks. The message gives the reason for each and the counters that work.
/// @throws Error (usage) @param try_to_open try_counter, or a fake
void check_counters(const std::vector<Counter>& asked, const SystemFiles& files,
                    const std::function<int(Counter)>& try_to_open);

/// Counters of one thread: opened, started and stopped by it.
class ThreadCounters {
public:
    /// @throws Error if one cannot be opened
    explicit ThreadCounters(const std::vector<Counter>& counters);

    /// Start and stop counting, any number of times between two readings.
    void start();
    void stop();

    /// The counts since the last reading, in the order given. A counter that could not be started or read never ran.
    [[nodiscard]] std::vector<CounterReading> read();

private:
    struct Event {
        explicit Event(int descriptor) : file(descriptor) {}

        Descriptor file;
        std::optional<CounterReading> total{CounterReading{}}; ///< at the last reading; none if that failed
    };

    std::deque<Event> events_;
};

} // namespace memtest

#pragma once

#include "memtest/machine/counter.hpp"
#include "memtest/machine/system_files.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// The words of several: "cycles, page-faults".
[[nodiscard]] std::string words_of(const std::vector<Counter>& counters);

/// The title of its column: "L1d misses per access".
[[nodiscard]] std::string_view column_of(Counter counter);

/// What a counter gave over a span of time. The processor has only a few: where more are asked for, the kernel lets
/// them take turns, and each has run for a part of the time.
struct CounterReading {
    std::uint64_t count = 0;
    std::uint64_t enabled_ns = 0; ///< how long it was to count
    std::uint64_t running_ns = 0; ///< how long it did
};

/// The count had it run all the time, as perf_event_open(2) has it; nothing where it never ran.
[[nodiscard]] std::optional<double> scaled_count(const CounterReading& reading);

/// Tries to open a counter for the calling thread. @return 0, or the system's error number
[[nodiscard]] int try_counter(Counter counter);

/// Refuses counters that cannot be had here, with the reason of each and with those that can. @throws Error (usage)
/// @param try_to_open try_counter, or what stands for it in tests
void check_counters(const std::vector<Counter>& asked, const SystemFiles& files,
                    const std::function<int(Counter)>& try_to_open);

/// Counters of one thread: opened, started and stopped by it.
class ThreadCounters {
public:
    /// @throws Error when one cannot be opened
    explicit ThreadCounters(const std::vector<Counter>& counters);

    /// Let them count on, and stand still: as often as need be between two readings.
    void start();
    void stop();

    /// What they counted since they were last read, in the order in which they were given. One that could not be
    /// started or read is one that never ran.
    [[nodiscard]] std::vector<CounterReading> read();

private:
    /// A file descriptor that is closed at the end.
    class Event {
    public:
        explicit Event(int descriptor) : descriptor_(descriptor) {}
        ~Event();
        Event(Event&& other) noexcept;
        Event(const Event&) = delete;
        Event& operator=(const Event&) = delete;
        Event& operator=(Event&&) = delete;

        [[nodiscard]] CounterReading read();

    private:
        [[nodiscard]] std::optional<CounterReading> read_total() const;

        int descriptor_;
        std::optional<CounterReading> total_{CounterReading{}}; // when it was last read; none where that failed
    };

    std::vector<Event> events_;
};

} // namespace memtest

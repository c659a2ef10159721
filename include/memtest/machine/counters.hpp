#pragma once

#include "memtest/base/words.hpp"
#include "memtest/machine/system_files.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// What the kernel can count for a thread. The first five are the processor's own and count what the program does
/// itself, not what the kernel does on its behalf; they include speculative work, as far as the processor counts it.
enum class Counter { cycles, instructions, l1d_misses, llc_misses, dtlb_misses, page_faults, context_switches };

template<>
inline constexpr std::array<Word<Counter>, 7> word_table<Counter>{{{Counter::cycles, "cycles"},
                                                                   {Counter::instructions, "instructions"},
                                                                   {Counter::l1d_misses, "l1d-misses"},
                                                                   {Counter::llc_misses, "llc-misses"},
                                                                   {Counter::dtlb_misses, "dtlb-misses"},
                                                                   {Counter::page_faults, "page-faults"},
                                                                   {Counter::context_switches, "context-switches"}}};

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

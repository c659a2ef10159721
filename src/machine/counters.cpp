#include "memtest/machine/counters.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/machine/system_files.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

namespace memtest {
namespace {

struct CounterKind {
    Counter counter;
    std::string_view column;
    std::uint32_t type;   // for perf_event_open
    std::uint64_t config; // likewise
    bool in_kernel;       // happens only in the kernel: the program's own part has none
};

constexpr std::uint64_t read_misses_of(std::uint64_t cache) {
    return cache | (std::uint64_t{PERF_COUNT_HW_CACHE_OP_READ} << 8U) |
           (std::uint64_t{PERF_COUNT_HW_CACHE_RESULT_MISS} << 16U);
}

constexpr std::array kinds{
    CounterKind{Counter::cycles, "Cycles per access", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false},
    CounterKind{Counter::instructions, "Instructions per access", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
                false},
    CounterKind{Counter::l1d_misses, "L1d misses per access", PERF_TYPE_HW_CACHE,
                read_misses_of(PERF_COUNT_HW_CACHE_L1D), false},
    CounterKind{Counter::llc_misses, "LLC misses per access", PERF_TYPE_HW_CACHE,
                read_misses_of(PERF_COUNT_HW_CACHE_LL), false},
    CounterKind{Counter::dtlb_misses, "dTLB misses per access", PERF_TYPE_HW_CACHE,
                read_misses_of(PERF_COUNT_HW_CACHE_DTLB), false},
    CounterKind{Counter::page_faults, "Page faults per access", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false},
    CounterKind{Counter::context_switches, "Context switches per access", PERF_TYPE_SOFTWARE,
                PERF_COUNT_SW_CONTEXT_SWITCHES, true},
};

const CounterKind& kind_of(Counter counter) {
    return *std::ranges::find(kinds, counter, &CounterKind::counter);
}

/// Opens an event of the calling thread, stopped. @return its descriptor, or -1 with errno
int open_event(Counter counter) {
    const CounterKind& kind = kind_of(counter);
    perf_event_attr event{};
    event.size = sizeof event;
    event.type = kind.type;
    event.config = kind.config;
    event.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    event.disabled = 1;
    event.exclude_kernel = kind.in_kernel ? 0 : 1;
    event.exclude_hv = 1;
    constexpr int calling_thread = 0;
    constexpr int any_processor = -1;
    constexpr int no_group = -1;
    return static_cast<int>(syscall(SYS_perf_event_open, &event, calling_thread, any_processor, no_group,
                                    static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC)));
}

/// The reading since the event was opened; std::nullopt if that fails.
std::optional<CounterReading> total_of(const Descriptor& event) {
    std::array<std::uint64_t, 3> values{}; // in the order of read_format
    if (::read(event.number(), values.data(), sizeof values) != static_cast<ssize_t>(sizeof values))
        return std::nullopt;
    return CounterReading{.count = values[0], .enabled_ns = values[1], .running_ns = values[2]};
}

/// "cycles, page-faults"
std::string words_of(const std::vector<Counter>& counters) {
    return joined(counters, ", ", word_of<Counter>);
}

/// The cause of an error, for people.
std::string obstacle(int error, Counter counter, const SystemFiles& files) {
    switch (error) {
    case EINVAL: // the processor lacks the event, or cannot exclude the kernel
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return "not supported by this processor or hypervisor";
    case ENOSYS:
        return "not supported by this kernel";
    case EACCES:
    case EPERM:
        return fmt::format("not permitted (/proc/sys/kernel/perf_event_paranoid is {}; {} or less is needed, or the "
                           "capability CAP_PERFMON, and no seccomp filter against it)",
                           files.line("/proc/sys/kernel/perf_event_paranoid").value_or("not readable"),
                           kind_of(counter).in_kernel ? 1 : 2);
    default:
        return std::generic_category().message(error);
    }
}

} // namespace

std::string_view column_of(Counter counter) {
    return kind_of(counter).column;
}

std::optional<double> scaled_count(const CounterReading& reading) {
    if (reading.running_ns == 0)
        return std::nullopt;
    return static_cast<double>(reading.count) *
           (static_cast<double>(reading.enabled_ns) / static_cast<double>(reading.running_ns));
}

int try_counter(Counter counter) {
    const int descriptor = open_event(counter);
    if (descriptor < 0)
        return errno;
    close(descriptor);
    return 0;
}

void check_counters(const std::vector<Counter>& asked, const SystemFiles& files,
                    const std::function<int(Counter)>& try_to_open) {
    std::vector<std::pair<std::string, std::vector<Counter>>> missing; // by reason
    for (const Counter counter : asked) {
        const int error = try_to_open(counter);
        if (error == 0)
            continue;
        const std::string reason = obstacle(error, counter, files);
        const auto known = std::ranges::find(missing, reason, [](const auto& entry) { return entry.first; });
        if (known == missing.end())
            missing.emplace_back(reason, std::vector{counter});
        else
            known->second.push_back(counter);
    }
    if (missing.empty())
        return;
    std::string reasons;
    for (const auto& [reason, counters] : missing)
        reasons += fmt::format("{}: {}; ", words_of(counters), reason);
    std::vector<Counter> working;
    std::ranges::copy_if(all_values<Counter>(), std::back_inserter(working),
                         [&](Counter c) { return try_to_open(c) == 0; });
    throw usage_error(
        fmt::format("--counters {}these work here: {}", reasons, working.empty() ? "none" : words_of(working)));
}

ThreadCounters::ThreadCounters(const std::vector<Counter>& counters) {
    for (const Counter counter : counters) {
        const int descriptor = open_event(counter);
        if (descriptor < 0)
            throw Error(fmt::format("--counters {}: cannot be opened: {}", word_of(counter), system_reason()));
        events_.emplace_back(descriptor);
    }
}

// One call starts or stops all counters of this thread, so that none counts the start of others.
void ThreadCounters::start() {
    if (!events_.empty())
        prctl(PR_TASK_PERF_EVENTS_ENABLE);
}

void ThreadCounters::stop() {
    if (!events_.empty())
        prctl(PR_TASK_PERF_EVENTS_DISABLE);
}

std::vector<CounterReading> ThreadCounters::read() {
    std::vector<CounterReading> readings;
    for (Event& event : events_) {
        const auto before = std::exchange(event.total, total_of(event.file));
        CounterReading& reading = readings.emplace_back();
        if (before && event.total)
            reading = {.count = event.total->count - before->count,
                       .enabled_ns = event.total->enabled_ns - before->enabled_ns,
                       .running_ns = event.total->running_ns - before->running_ns};
    }
    return readings;
}

} // namespace memtest

// Preloaded: clocks step by CLOCK_STEP_NS ns, run CLOCK_SLOWER times slower, or stop after CLOCK_STOPS_AFTER readings.
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <ctime>

namespace {

using Gettime = int (*)(clockid_t, timespec*);

constexpr long ns_per_s = 1'000'000'000;

long number_in(const char* variable, long otherwise) {
    const char* text = std::getenv(variable);
    return text == nullptr ? otherwise : std::strtol(text, nullptr, 10);
}

} // namespace

// The system's names of the parameters are reserved.
// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name)
extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
    static const auto fine_gettime = reinterpret_cast<Gettime>(dlsym(RTLD_NEXT, "clock_gettime"));
    static const long step = number_in("CLOCK_STEP_NS", 1);
    static const long slower = number_in("CLOCK_SLOWER", 1);
    static const long most_readings = number_in("CLOCK_STOPS_AFTER", -1);
    static std::atomic<long> readings{0};
    static std::atomic<long> stopped_ns{0};
    if (most_readings >= 0 && readings.fetch_add(1) >= most_readings) {
        *now = {.tv_sec = 1 + stopped_ns / ns_per_s, .tv_nsec = stopped_ns % ns_per_s};
        return 0;
    }
    const int result = fine_gettime(clock, now);
    const long ns = (now->tv_sec * ns_per_s + now->tv_nsec) / slower;
    *now = {.tv_sec = ns / ns_per_s, .tv_nsec = ns % ns_per_s};
    now->tv_nsec -= now->tv_nsec % step;
    stopped_ns = ns;
    return result;
}

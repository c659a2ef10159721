// Preloaded, makes every clock step by CLOCK_STEP_NS nanoseconds.
#include <dlfcn.h>

#include <cstdlib>
#include <ctime>

namespace {

using Gettime = int (*)(clockid_t, timespec*);

long step_ns() {
    const char* step = std::getenv("CLOCK_STEP_NS");
    return step == nullptr ? 1 : std::strtol(step, nullptr, 10);
}

} // namespace

// The system's names of the parameters are reserved.
// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name)
extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
    static const auto fine_gettime = reinterpret_cast<Gettime>(dlsym(RTLD_NEXT, "clock_gettime"));
    static const long step = step_ns();
    const int result = fine_gettime(clock, now);
    now->tv_nsec -= now->tv_nsec % step;
    return result;
}

#include "memtest/machine/disturbances.hpp"

#include "memtest/machine/processors.hpp"

#include <sys/resource.h>

namespace memtest {

Disturbances read_disturbances() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return {.preemptions = static_cast<std::uint64_t>(usage.ru_nivcsw),
            .faults = static_cast<std::uint64_t>(usage.ru_minflt + usage.ru_majflt),
            .processor = current_processor()};
}

} // namespace memtest

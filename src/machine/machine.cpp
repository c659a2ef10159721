#include "memtest/machine/machine.hpp"

#include "memtest/machine/arena.hpp"
#include "memtest/machine/control_group.hpp"
#include "memtest/machine/cpu_name.hpp"
#include "memtest/machine/pages.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>

namespace memtest {
namespace {

/// Bytes that this process can still fill: the kernel's estimate of available memory or the rest of its control group
/// (version 1 or 2, any ancestor), whichever is less. std::nullopt if neither is known.
std::optional<std::uint64_t> available_memory(const SystemFiles& files) {
    std::optional<std::uint64_t> available = files.bytes("/proc/meminfo", "MemAvailable"); // came with Linux 3.14
    if (!available)
        available = files.bytes("/proc/meminfo", "MemFree");
    if (const auto left = left_in_control_groups(files))
        available = std::min(available.value_or(*left), *left);
    return available;
}

} // namespace

ThisProcess read_this_process() {
    return {.allowed_ids = allowed_processors(),
            .current = current_processor(),
            .pinning_refused = refusal_to_pin(),
            .memory_policy = read_memory_policy(),
            .hypervisor_signature = hypervisor_signature(),
            .may_request_huge_pages = may_request_huge_pages()};
}

Machine read_machine(const SystemFiles& files, const ThisProcess& process) {
    Machine machine;
    static_cast<ThisProcess&>(machine) = process;
    machine.files = files;
    machine.allowed = read_processors(files, process.allowed_ids);
    machine.available_bytes = available_memory(files);
    machine.memory_bytes = files.bytes("/proc/meminfo", "MemTotal");
    machine.numa_nodes = read_numa_nodes(files);
    machine.has_forbidden_numa_nodes = has_forbidden_numa_nodes(files);
    machine.name = read_machine_name(files);
    utsname name{};
    uname(&name);
    machine.kernel = fmt::format("{} {} {}", static_cast<const char*>(name.sysname),
                                 static_cast<const char*>(name.release), static_cast<const char*>(name.machine));
    machine.virtualization = read_virtualization(files, process.hypervisor_signature);
    machine.transparent_policy = transparent_policy(files);
    MonotonicClock clock;
    machine.clock = measure_clock(clock);
    constexpr double fine_ns = 10'000; // a coarser clock is refused, and would take seconds
    if (machine.clock.resolution_ns <= fine_ns)
        machine.core_ghz = measure_core_clock_ghz(clock, machine.clock);
    return machine;
}

} // namespace memtest

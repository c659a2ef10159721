#include "memtest/machine/machine.hpp"

#include "memtest/machine/memory_limit.hpp"
#include "memtest/machine/pages.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

namespace memtest {

Machine read_machine(const SystemFiles& files) {
    Machine machine;
    machine.allowed = read_processors(files, allowed_processors());
    machine.current = current_processor();
    machine.pinning_refused = refusal_to_pin();
    machine.available_bytes = available_memory(files);
    machine.memory_bytes = memory_of(files, "MemTotal");
    machine.numa_nodes = read_numa_nodes(files);
    machine.has_forbidden_numa_nodes = has_forbidden_numa_nodes(files);
    machine.cpu_model = read_cpu_model(files);
    utsname name{};
    uname(&name);
    machine.kernel = fmt::format("{} {} {}", static_cast<const char*>(name.sysname),
                                 static_cast<const char*>(name.release), static_cast<const char*>(name.machine));
    machine.hypervisor = runs_under_hypervisor(files);
    machine.transparent_policy = transparent_policy(files);
    MonotonicClock clock;
    machine.clock = measure_clock(clock);
    return machine;
}

std::string read_cpu_model(const SystemFiles& files) {
    // x86, several others; RISC-V; POWER; s390x; ARM of 32 bits. On aarch64 only the device tree names the machine.
    for (const char* key : {"model name", "uarch", "cpu", "processor 0", "Processor", "cpu model"}) {
        if (const auto model = files.field("/proc/cpuinfo", key); model && !model->empty())
            return *model;
    }
    std::string board = files.text("/proc/device-tree/model").value_or("");
    while (!board.empty() && board.back() == '\0')
        board.pop_back();
    return board;
}

bool runs_under_hypervisor(const SystemFiles& files) {
    const std::string flags = files.field("/proc/cpuinfo", "flags").value_or("") + ' ';
    return flags.find(" hypervisor ") != std::string::npos || files.line("/sys/hypervisor/type").has_value();
}

} // namespace memtest

#include "memtest/machine/machine.hpp"

#include "memtest/machine/pages.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace memtest {
namespace {

/// The processor's name, from wherever this architecture's kernel reports it; empty if unknown.
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

/// The file names of one version of control groups.
struct Controller {
    std::string mount;
    std::vector<std::string> limits;
    std::string usage;
    std::string reclaimable; // key in memory.stat: used page cache that is freed on demand
};

// Above memory.high every allocation is slowed down, above memory.max it is refused.
const Controller version_2{"/sys/fs/cgroup", {"memory.max", "memory.high"}, "memory.current", "inactive_file"};
const Controller version_1{
    "/sys/fs/cgroup/memory", {"memory.limit_in_bytes"}, "memory.usage_in_bytes", "total_inactive_file"};

void keep_smaller(std::optional<std::uint64_t>& smallest, std::optional<std::uint64_t> candidate) {
    if (candidate && (!smallest || *candidate < *smallest))
        smallest = candidate;
}

std::uint64_t stat_value(const std::string& stat, const std::string& key) {
    std::istringstream lines(stat);
    std::string name;
    for (std::uint64_t value = 0; lines >> name >> value;) {
        if (name == key)
            return value;
    }
    return 0;
}

std::optional<std::uint64_t> left_in_group(const SystemFiles& files, const Controller& controller,
                                           const std::string& group) {
    const std::string directory = controller.mount + group;
    std::optional<std::uint64_t> limit;
    for (const std::string& name : controller.limits)
        keep_smaller(limit, files.number(fmt::format("{}/{}", directory, name)));
    const auto usage = files.number(directory + "/" + controller.usage);
    if (!limit || !usage)
        return std::nullopt;
    const std::uint64_t reclaimable =
        stat_value(files.text(directory + "/memory.stat").value_or(""), controller.reclaimable);
    const std::uint64_t held = *usage - std::min(*usage, reclaimable);
    return *limit - std::min(*limit, held);
}

/// The least that a group and its ancestors leave. Inside a container the path may name a group that is not visible
/// there. Then the root of the mount is the container's own group, so the root always counts.
std::optional<std::uint64_t> left_in_groups(const SystemFiles& files, const Controller& controller,
                                            std::filesystem::path group) {
    std::optional<std::uint64_t> smallest = left_in_group(files, controller, "");
    for (; group.has_relative_path(); group = group.parent_path())
        keep_smaller(smallest, left_in_group(files, controller, group.string()));
    return smallest;
}

std::optional<std::uint64_t> left_in_control_groups(const SystemFiles& files) {
    std::optional<std::uint64_t> smallest;
    std::istringstream lines(files.text("/proc/self/cgroup").value_or(""));
    for (std::string line; std::getline(lines, line);) { // hierarchy:controllers:path
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos)
            continue;
        const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
        const std::string path = line.substr(second + 1);
        if (controllers == ",,")
            keep_smaller(smallest, left_in_groups(files, version_2, path));
        else if (controllers.find(",memory,") != std::string::npos)
            keep_smaller(smallest, left_in_groups(files, version_1, path));
    }
    return smallest;
}

/// Bytes that this process can still fill: the kernel's estimate of available memory or the rest of its control group
/// (version 1 or 2, any ancestor), whichever is less. std::nullopt if neither is known.
std::optional<std::uint64_t> available_memory(const SystemFiles& files) {
    std::optional<std::uint64_t> available = files.bytes("/proc/meminfo", "MemAvailable"); // came with Linux 3.14
    if (!available)
        available = files.bytes("/proc/meminfo", "MemFree");
    keep_smaller(available, left_in_control_groups(files));
    return available;
}

} // namespace

Machine read_machine(const SystemFiles& files) {
    Machine machine;
    machine.files = files;
    machine.allowed = read_processors(files, allowed_processors());
    machine.current = current_processor();
    machine.pinning_refused = refusal_to_pin();
    machine.available_bytes = available_memory(files);
    machine.memory_bytes = files.bytes("/proc/meminfo", "MemTotal");
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

} // namespace memtest

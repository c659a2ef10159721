#include "memtest/machine/numa.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/id_list.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/machine/pages.hpp"
#include "memtest/machine/system_files.hpp"

#include <fmt/format.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <set>
#include <system_error>

namespace memtest {
namespace {

constexpr std::string_view directory = "/sys/devices/system/node";

std::optional<std::uint64_t> available_on(const SystemFiles& files, int node) {
    const std::string path = fmt::format("{}/node{}/meminfo", directory, node);
    const auto bytes = [&](std::string_view key) { return files.bytes(path, fmt::format("Node {} {}", node, key)); };
    const auto free = bytes("MemFree");
    return free ? std::optional(*free + bytes("Inactive(file)").value_or(0)) : std::nullopt;
}

std::optional<std::vector<int>> ids_of_list(const SystemFiles& files, const std::string& name) {
    return parse_distinct_ids(files.line(fmt::format("{}/{}", directory, name)).value_or(""));
}

/// The nodes of the cpuset; std::nullopt if the system sets no limit.
std::optional<std::vector<int>> nodes_of_cpuset(const SystemFiles& files) {
    return parse_distinct_ids(files.field("/proc/self/status", "Mems_allowed_list").value_or(""));
}

std::vector<int> nodes_with_memory(const SystemFiles& files) {
    // Before 4.13 only kernels with nodes of movable memory have the first.
    for (const char* name : {"has_memory", "has_normal_memory"}) {
        if (const auto ids = ids_of_list(files, name))
            return *ids;
    }
    const auto allowed = nodes_of_cpuset(files);
    return {allowed ? allowed->front() : 0};
}

/// The kind of memory of a DAX device that the kernel uses as this node's memory; empty if no device tells it.
std::string memory_of_dax_device(const SystemFiles& files, int node) {
    constexpr std::string_view devices = "/sys/bus/dax/devices";
    for (const std::string& name : files.names(devices)) {
        const std::string path = fmt::format("{}/{}", devices, name);
        if (files.number(path + "/target_node") != static_cast<std::uint64_t>(node))
            continue;
        // An NVDIMM has regions, too, on a bus of its own.
        const std::string place = files.link(path).value_or("");
        if (place.find("/ndbus") != std::string::npos)
            return "persistent memory";
        if (const std::size_t decoder = place.find("/decoder"); place.find("/region", decoder) != std::string::npos)
            return "CXL memory";
    }
    return "";
}

/// As firmware gives it (HMAT), in MB/s; 0 if unknown. Linux, Documentation/admin-guide/mm/numaperf.rst
std::uint64_t read_bandwidth(const SystemFiles& files, int node) {
    return files.number(fmt::format("{}/node{}/access0/initiators/read_bandwidth", directory, node)).value_or(0);
}

/// @param with_processors nodes
std::string memory_without_processors(const SystemFiles& files, int node, const std::vector<int>& with_processors) {
    constexpr double clearly = 1.2;
    if (std::string found = memory_of_dax_device(files, node); !found.empty())
        return found;
    std::uint64_t usual = 0;
    for (const int other : with_processors)
        usual = std::max(usual, read_bandwidth(files, other));
    const auto own = static_cast<double>(read_bandwidth(files, node));
    if (own == 0 || usual == 0)
        return "memory";
    return own > clearly * static_cast<double>(usual)   ? "high-bandwidth memory"
           : clearly * own < static_cast<double>(usual) ? "slower memory"
                                                        : "memory";
}

std::uint64_t memory_side_cache(const SystemFiles& files, int node) {
    const std::string folder = fmt::format("{}/node{}/memory_side_cache", directory, node);
    std::uint64_t bytes = 0;
    for (const std::string& index : files.names(folder))
        bytes = std::max(bytes, files.number(fmt::format("{}/{}/size", folder, index)).value_or(0));
    return bytes;
}

} // namespace

std::optional<MemoryPolicy> read_memory_policy() {
    constexpr std::array<std::string_view, 7> modes{
        "default", "prefer", "bind", "interleave", "local", "prefer", "weighted interleave"};
    constexpr std::size_t bits = sizeof(unsigned long) * CHAR_BIT;
    std::array<unsigned long, 64> mask{}; // more nodes than any kernel supports
    unsigned mode = 0;
    if (syscall(SYS_get_mempolicy, &mode, mask.data(), mask.size() * bits, nullptr, 0UL) != 0)
        return std::nullopt;
    mode &= ~static_cast<unsigned>(MPOL_MODE_FLAGS);
    if (mode == MPOL_DEFAULT || mode >= modes.size())
        return std::nullopt;
    MemoryPolicy policy{.mode = std::string(modes.at(mode)), .nodes = {}};
    for (std::size_t node = 0; node < mask.size() * bits; ++node) {
        if ((mask.at(node / bits) >> node % bits & 1UL) != 0)
            policy.nodes.push_back(static_cast<int>(node));
    }
    return policy;
}

std::vector<NumaNode> read_numa_nodes(const SystemFiles& files) {
    const auto allowed = nodes_of_cpuset(files);
    std::vector<int> with_processors = nodes_with_memory(files);
    std::erase_if(with_processors, [&](int node) { return !ids_of_list(files, fmt::format("node{}/cpulist", node)); });
    std::vector<NumaNode> nodes;
    for (const int id : nodes_with_memory(files)) {
        if (allowed && std::ranges::count(*allowed, id) == 0)
            continue;
        nodes.push_back(
            {.id = id, .available_bytes = available_on(files, id), .cache_bytes = memory_side_cache(files, id)});
        if (!with_processors.empty() && std::ranges::count(with_processors, id) == 0)
            nodes.back().memory = memory_without_processors(files, id, with_processors);
    }
    return nodes;
}

std::vector<NodeProcessors> processors_of_nodes(const SystemFiles& files, const std::vector<int>& processors) {
    std::vector<NodeProcessors> nodes;
    for (const std::string& name : files.names(directory)) { // some systems leave has_cpu empty
        const int node = name.starts_with("node") ? parse_number<int>(name.substr(4)).value_or(-1) : -1;
        const auto on_node = ids_of_list(files, name + "/cpulist").value_or(std::vector<int>{});
        std::vector<int> found = processors;
        std::erase_if(found, [&](int processor) { return std::ranges::count(on_node, processor) == 0; });
        if (!found.empty())
            nodes.push_back({.node = node, .processors = std::move(found)});
    }
    std::ranges::sort(nodes, {}, &NodeProcessors::node);
    if (nodes.empty())
        nodes.push_back({.node = nodes_of_cpuset(files).value_or(std::vector{0}).front(), .processors = processors});
    return nodes;
}

bool has_forbidden_numa_nodes(const SystemFiles& files) {
    const std::size_t allowed = read_numa_nodes(files).size();
    return allowed > 0 && allowed < nodes_with_memory(files).size();
}

void bind_to_numa_node(std::span<std::byte> memory, int node, const SystemFiles& files) {
    constexpr std::size_t bits = sizeof(unsigned long) * CHAR_BIT;
    const auto place = static_cast<std::size_t>(node);
    std::vector<unsigned long> mask(place / bits + 1);
    mask.back() = 1UL << place % bits;
    // The kernel uses one bit less than this number.
    if (syscall(SYS_mbind, memory.data(), memory.size(), static_cast<unsigned long>(MPOL_BIND), mask.data(),
                mask.size() * bits + 1, 0UL) == 0)
        return;
    const int error = errno;
    // A kernel without NUMA lacks the call. A seccomp filter may simulate that on a machine with several nodes.
    if (error == ENOSYS && nodes_with_memory(files) == std::vector{node})
        return;
    throw usage_error(
        fmt::format("cannot take memory from node {}: {}; let mbind pass (seccomp), or leave the node to the system",
                    node, std::generic_category().message(error)));
}

std::optional<std::vector<int>> numa_nodes_of(std::span<std::byte> memory) {
    constexpr std::size_t most_samples = 1024;
    const std::size_t page = base_page_bytes();
    const std::size_t pages = units_for(memory.size(), page);
    std::vector<void*> sample;
    for (std::size_t at = 0; at < pages; at += std::max<std::size_t>(1, pages / most_samples))
        sample.push_back(memory.data() + at * page);
    std::vector<int> found(sample.size());
    // Without target nodes the call reports where the pages are.
    if (syscall(SYS_move_pages, 0, sample.size(), sample.data(), nullptr, found.data(), 0) != 0)
        return std::nullopt;
    const std::set<int> nodes(found.begin(), found.end());
    if (nodes.empty() || *nodes.begin() < 0) // an error number instead of a node
        return std::nullopt;
    return std::vector(nodes.begin(), nodes.end());
}

} // namespace memtest

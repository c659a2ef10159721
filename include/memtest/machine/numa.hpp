#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memtest {

class SystemFiles;

/// A NUMA node that has memory.
struct NumaNode {
    int id = 0;
    std::optional<std::uint64_t> available_bytes = std::nullopt; ///< free, or page cache that is freed on demand
    /// What it is of a node without processors: "CXL memory", "persistent memory", "high-bandwidth memory", "slower
    /// memory" or "memory" if the system does not report it. Empty for a node with processors.
    std::string memory{};
    std::uint64_t cache_bytes = 0; ///< of the cache before its memory; 0 without one

    bool operator==(const NumaNode&) const = default;
};

/// From which nodes the kernel takes memory for a process, if numactl or its parent said so.
struct MemoryPolicy {
    std::string mode;       ///< as the kernel writes it: bind, prefer, interleave, local
    std::vector<int> nodes; ///< ascending; may be empty

    bool operator==(const MemoryPolicy&) const = default;
};

/// The policy of the calling thread, which its threads inherit; std::nullopt for the default, and if it is unknown.
[[nodiscard]] std::optional<MemoryPolicy> read_memory_policy();

/// The nodes that may provide memory to this process, ascending. If the system names none: the first node of its
/// cpuset, or node 0.
[[nodiscard]] std::vector<NumaNode> read_numa_nodes(const SystemFiles& files);

/// A NUMA node and processors on it, at least one.
struct NodeProcessors {
    int node = 0;
    std::vector<int> processors;
};

/// The nodes of these processors, ascending. If the system names none, all are on one, chosen as for read_numa_nodes.
/// @param processors at least one
[[nodiscard]] std::vector<NodeProcessors> processors_of_nodes(const SystemFiles& files,
                                                              const std::vector<int>& processors);

/// Whether nodes that this process may not use have memory.
[[nodiscard]] bool has_forbidden_numa_nodes(const SystemFiles& files);

/// Makes untouched memory come from this node only. Does nothing if the kernel lacks the call and this is the only
/// node.
/// @param memory begins at a page @throws Error (usage) if the kernel refuses
void bind_to_numa_node(std::span<std::byte> memory, int node, const SystemFiles& files);

/// The nodes of a sample of the pages, ascending; std::nullopt if the kernel does not report them. @param memory
/// already touched
[[nodiscard]] std::optional<std::vector<int>> numa_nodes_of(std::span<std::byte> memory);

} // namespace memtest

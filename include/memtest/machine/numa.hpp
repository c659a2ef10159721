#pragma once

#include "memtest/machine/system_files.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace memtest {

/// A NUMA node that has memory.
struct NumaNode {
    int id = 0;
    std::optional<std::uint64_t> available_bytes; ///< free, or page cache that is given up when needed; where known
};

/// The nodes from which this process may take memory, ascending; one alone, the first of its cpuset or node 0, where
/// the system does not tell of any.
[[nodiscard]] std::vector<NumaNode> read_numa_nodes(const SystemFiles& files);

/// A NUMA node and processors on it.
struct NodeProcessors {
    int node = 0;
    std::vector<int> processors; ///< never empty
};

/// The nodes that these processors are on, ascending; all on one, as for read_numa_nodes, where the system does not
/// tell.
[[nodiscard]] std::vector<NodeProcessors> processors_by_node(const SystemFiles& files,
                                                             const std::vector<int>& processors);

/// Whether the machine has memory on nodes from which this process may take none.
[[nodiscard]] bool has_forbidden_numa_nodes(const SystemFiles& files);

/// Makes untouched memory come from this node and no other. Nothing is done where the kernel has no such call and this
/// is the machine's only node. @param memory begins at a page @throws Error (usage) when the kernel refuses
void bind_to_numa_node(std::span<std::byte> memory, int node, const SystemFiles& files);

/// The nodes on which the pages are, ascending, as the kernel tells of a sample of them; nothing where it does not
/// tell.
/// @param memory has been touched
[[nodiscard]] std::optional<std::vector<int>> numa_nodes_of(std::span<std::byte> memory);

} // namespace memtest

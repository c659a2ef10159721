#pragma once

#include <string>
#include <vector>

namespace memtest {

/// From which nodes the kernel takes memory for a process, if numactl or its parent said so.
struct MemoryPolicy {
    std::string mode;       ///< as the kernel writes it: bind, prefer, interleave, local
    std::vector<int> nodes; ///< ascending; may be empty

    bool operator==(const MemoryPolicy&) const = default;
};

} // namespace memtest

#pragma once

#include "memtest/result/result.hpp"

namespace memtest {

/// What `memtest nodes` measures: latency, and bandwidth, from the processors of a node to the memory of a node.
extern const KindOf<NodesRow> nodes_kind;

} // namespace memtest

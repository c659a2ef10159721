#pragma once

#include "memtest/report/table_report.hpp"

#include <array>

namespace memtest {

// Results whose rows are cells of a matrix: who reads, from whom or where, and the latency.

inline constexpr std::array<TableColumn, 4> cores_columns{
    {{"Reader", "reader"}, {"Owner", "owner"}, {"Latency (ns)", "latency_ns"}, {"Relation", "relation"}}};

inline constexpr TableKind cores_table{.verb = "cores", .columns = cores_columns};

inline constexpr std::array<TableColumn, 3> nodes_columns{{{"Processors of node", "processors_of_node"},
                                                           {"Memory of node", "memory_of_node"},
                                                           {"Latency (ns)", "latency_ns"}}};

inline constexpr TableKind nodes_table{.verb = "nodes", .columns = nodes_columns};

} // namespace memtest

#pragma once

#include "memtest/report/input_file.hpp"
#include "memtest/report/stored_run.hpp"
#include "memtest/report/table_report.hpp"

#include <array>
#include <optional>
#include <vector>

namespace memtest {

// Results whose rows are cells of a matrix: reader, owner or memory, and latency.

inline constexpr std::array<TableColumn, 4> cores_columns{
    {{"Reader", "reader"}, {"Owner", "owner"}, {"Latency (ns)", "latency_ns"}, {"Relation", "relation"}}};

inline constexpr TableKind cores_table{.verb = "cores", .columns = cores_columns};

inline constexpr std::array<TableColumn, 3> nodes_columns{{{"Processors of node", "processors_of_node"},
                                                           {"Memory of node", "memory_of_node"},
                                                           {"Latency (ns)", "latency_ns"}}};

inline constexpr TableKind nodes_table{.verb = "nodes", .columns = nodes_columns};

struct MatrixCell {
    int row = 0;
    int column = 0;
    std::optional<double> latency_ns = std::nullopt; ///< positive where it is known
};

/// A stored matrix, its cells in the order of the file.
struct StoredMatrix : StoredRun {
    TableKind kind = {};
    std::vector<MatrixCell> cells = {}; ///< never empty
};

/// Reads what `memtest cores` and `memtest nodes` write; nothing where the file holds something else, which stays to be
/// read. @throws Error (usage) that names a row that is none
[[nodiscard]] std::optional<StoredMatrix> read_matrix(InputFile& file);

} // namespace memtest

#include "memtest/plot/matrix_plot.hpp"

#include "memtest/base/error.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace memtest {
namespace {

using Names = std::vector<std::string>;

StoredMatrix matrix_of(const TableKind& kind, std::vector<MatrixCell> cells) {
    StoredMatrix matrix{{.name = "file"}, kind, std::move(cells)};
    matrix.run.cpu_model = "Test CPU";
    return matrix;
}

TEST(MatrixPlot, OfNodesHasItsOwnRowsAndColumns) {
    const HeatMap map = plot_matrix(matrix_of(nodes_table, {{0, 0, 90.0}, {0, 2, 250.0}, {3, 0, 150.0}}), "");
    EXPECT_EQ(map.rows, (Names{"0", "3"}));
    EXPECT_EQ(map.columns, (Names{"0", "2"}));
    EXPECT_EQ(map.values[0][1], 250.0);
    EXPECT_EQ(map.values[1][0], 150.0);
    EXPECT_EQ(map.values[1][1], std::nullopt);
    EXPECT_EQ(map.row_axis, "Processors of node");
    EXPECT_EQ(map.column_axis, "Memory of node");
    EXPECT_EQ(map.subtitle, "Test CPU");
}

TEST(MatrixPlot, OfCoresHasAllProcessorsOnBothAxes) {
    const HeatMap map = plot_matrix(matrix_of(cores_table, {{0, 4, 20.0}, {0, 10, 90.0}, {4, 10, 91.0}}), "mine");
    EXPECT_EQ(map.rows, (Names{"0", "4", "10"}));
    EXPECT_EQ(map.columns, map.rows);
    EXPECT_EQ(map.values[1][2], 91.0);
    EXPECT_EQ(map.values[2][1], std::nullopt) << "was not measured";
    EXPECT_EQ(map.title, "mine");
}

TEST(MatrixPlot, RefusesWhatHasNothingToDrawOrTooMuch) {
    EXPECT_THROW(static_cast<void>(plot_matrix(matrix_of(nodes_table, {{0, 0, std::nullopt}}), "")), Error);
    std::vector<MatrixCell> many;
    for (int id = 0; id < 1025; ++id)
        many.push_back({.row = 0, .column = id, .latency_ns = 1.0});
    EXPECT_THROW(static_cast<void>(plot_matrix(matrix_of(nodes_table, many), "")), Error);
}

} // namespace
} // namespace memtest

#include "memtest/kinds/nodes.hpp"

#include "support/results.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

TEST(NodesRows, AreTheseToTheLetter) {
    EXPECT_EQ(csv_header(nodes_kind), "Processors of node, Memory of node, Latency (ns)");
    EXPECT_EQ(csv_rows(nodes_kind, {NodesRow{0, 1, 150.25, 20.0, 1.5}}), "0, 1, 150.250, 1.500\n");
    EXPECT_EQ(csv_header(nodes_kind, {ColumnGroup::bandwidth}),
              "Processors of node, Memory of node, Latency (ns), Bandwidth (GB/s)");
}

} // namespace
} // namespace memtest

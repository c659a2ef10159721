#include "memtest/kinds/nodes.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/kinds/figures.hpp"
#include "memtest/kinds/matrix.hpp"
#include "memtest/result/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memtest {
namespace {

/// A row for each pair of nodes: a matrix of eight would not fit on a screen.
TextTable table_of_nodes(const std::vector<NodesRow>& rows) {
    const bool has_bandwidth =
        std::ranges::any_of(rows, [](const NodesRow& row) { return row.bytes_per_ns.has_value(); });
    std::vector<std::string> header;
    for (const Column& column : nodes_kind.columns().first(has_bandwidth ? 4 : 3))
        header.emplace_back(column.name);
    TextTable table = table_of_numbers(std::move(header));
    for (const NodesRow& row : rows) {
        std::vector<std::string>& cells = table.rows.emplace_back(std::vector{
            fmt::format("{}", row.processors_of), fmt::format("{}", row.memory_of), fixed(row.latency_ns, 1)});
        if (has_bandwidth)
            cells.push_back(fixed(row.bytes_per_ns, 1));
    }
    return table;
}

/// The rows that have the figure, in its order.
std::vector<NodesRow> sorted_by(std::optional<double> NodesRow::*figure, std::vector<NodesRow> rows) {
    std::erase_if(rows, [figure](const NodesRow& row) { return !(row.*figure); });
    std::ranges::sort(rows, {}, figure);
    return rows;
}

/// With its noise, if that is known.
std::string sentence_on_one_pair(const NodesRow& row, const std::optional<LargestSize>& size) {
    const double share = row.visits_percent.value_or(0) / 100;
    return fmt::format(
        "{} takes {:.1f} ns{}{}.",
        row.processors_of == row.memory_of
            ? "There is one node: an access to its memory"
            : fmt::format("An access from node {} to memory of node {}", row.processors_of, row.memory_of),
        *row.latency_ns, size ? fmt::format(" over {}", rounded_size(static_cast<double>(size->bytes))) : "",
        row.visits_percent ? fmt::format(", and its visits differ by {:.1f} ns", share * *row.latency_ns) : "");
}

Answer answer_of_nodes(const Result& nodes) {
    const bool only_one = nodes.row_count() == 1;
    const auto with_nodes = [](const std::string& figure, const NodesRow& row) {
        return fmt::format("{} from node {} to memory of node {}", figure, row.processors_of, row.memory_of);
    };
    const auto ns = [&](const NodesRow& row) { return with_nodes(fixed(row.latency_ns, 1) + " ns", row); };
    const auto gb_s = [&](const NodesRow& row) { return with_nodes(three_digits(*row.bytes_per_ns) + " GB/s", row); };
    std::vector<std::string> sentences;
    if (const auto rows = sorted_by(&NodesRow::latency_ns, nodes.rows_of<NodesRow>()); !rows.empty())
        sentences.push_back(only_one
                                ? sentence_on_one_pair(rows.front(), nodes.run.largest_size)
                                : fmt::format("The nearest access takes {}, the farthest {} ({:.2f} times as long).",
                                              ns(rows.front()), ns(rows.back()),
                                              *rows.back().latency_ns / *rows.front().latency_ns));
    if (const auto rows = sorted_by(&NodesRow::bytes_per_ns, nodes.rows_of<NodesRow>()); !rows.empty())
        sentences.push_back((only_one ? "Its bandwidth is " : "The highest bandwidth is ") + gb_s(rows.back()) +
                            (only_one ? "." : ", the lowest " + gb_s(rows.front()) + "."));
    return {.table = only_one || sentences.empty() ? TextTable() : table_of_nodes(nodes.rows_of<NodesRow>()),
            .sentences = std::move(sentences),
            .notes = nodes.remarks};
}

/// Those that a remark of the run calls disturbed are in doubt.
void add_nodes(FigureList& list, const Result& nodes) {
    const auto remark = std::ranges::find(nodes.remarks, Code::disturbed_pairs, &Notice::code);
    const List disturbed = remark == nodes.remarks.end() ? List() : remark->values["pairs"].list();
    for (const NodesRow& row : nodes.rows_of<NodesRow>()) {
        const bool is_disturbed = std::ranges::count(disturbed, Value(List{row.processors_of, row.memory_of})) > 0;
        const auto add = [&](std::string_view what, Quantity quantity, std::optional<double> value) {
            list.add({.name = fmt::format("{} from {} to {}", what, row.processors_of, row.memory_of),
                      .quantity = quantity,
                      .value = value.value_or(0),
                      .doubt = is_disturbed ? Why::disturbed : Why::none});
        };
        add("latency", Quantity::node_latency, row.latency_ns);
        add("bandwidth", Quantity::node_bandwidth, row.bytes_per_ns);
    }
}

Plot plot_nodes(const std::vector<Result>& results, const std::vector<std::string>& /*labels*/,
                const PlotStyle& /*style*/) {
    const Result& nodes = results.front();
    std::vector<MatrixCell> latencies;
    std::vector<MatrixCell> bandwidths;
    for (const NodesRow& row : nodes.rows_of<NodesRow>()) {
        latencies.push_back({row.processors_of, row.memory_of, row.latency_ns});
        bandwidths.push_back({row.processors_of, row.memory_of, row.bytes_per_ns});
    }
    HeatMap map = heat_map_of(nodes, "Latency from node to memory", "latency (ns)", latencies, false);
    if (std::ranges::any_of(bandwidths, [](const MatrixCell& cell) { return cell.value.has_value(); }))
        map.beside.push_back(
            heat_map_of(nodes, "Bandwidth from memory to node", "bandwidth (GB/s)", bandwidths, false));
    return map;
}

} // namespace

const KindOf<NodesRow> nodes_kind(
    {.command = "nodes",
     .parts = {{"nodes", "nodes", "latency and bandwidth between nodes"}},
     .answer = answer_of_nodes,
     .add_figures = add_nodes,
     .plot = plot_nodes},
    {column_of<&NodesRow::processors_of>("Processors of node", "processors_of_node",
                                         "the node of the processor that walks", id_column),
     column_of<&NodesRow::memory_of>("Memory of node", "memory_of_node", "the node of the memory", id_column),
     cell_field<&NodesRow::latency_ns>(),
     column_of<&NodesRow::bytes_per_ns>("Bandwidth (GB/s)", "bandwidth_gb_s",
                                        "what all processors of the node read together, with --bandwidth",
                                        {.lowest = 0.001, .group = ColumnGroup::bandwidth}),
     column_of<&NodesRow::visits_percent>("Visits (%)", "visits_percent", "how far the visits disagree on the latency",
                                          in_stats)});

} // namespace memtest

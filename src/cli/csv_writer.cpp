#include "memtest/cli/csv_writer.hpp"

#include <fmt/format.h>

#include <iterator>

namespace memtest {
namespace {

constexpr double mib = 1024.0 * 1024.0;

std::string joined_words(const std::vector<Note>& notes) {
    std::string words;
    for (const Note note : notes)
        words += fmt::format("{}{}", words.empty() ? "" : " ", word_of(note));
    return words;
}

} // namespace

std::string csv_header(const Columns& columns) {
    std::string line = "Thread, Mem size (MiB), Access latency (ns)";
    if (columns.cycles)
        line += ", Latency (cycles)";
    if (columns.stats) {
        line += ", Min (ns), Median (ns), Mean (ns), Spread (%), Batches";
        line += columns.placement ? ", Placement (%)" : "";
        line += ", Notes";
    }
    for (const Counter counter : columns.counters)
        line += fmt::format(", {}", column_of(counter));
    return line + "\n";
}

std::string csv_line(const Row& row, const Columns& columns) {
    std::string line =
        fmt::format("{}, {:.5f}, {:.3f}", row.thread, static_cast<double>(row.size_bytes) / mib, row.latency_ns);
    const auto to_line = std::back_inserter(line);
    if (columns.cycles)
        fmt::format_to(to_line, ", {:.2f}", row.latency_ns * row.core_ghz);
    if (columns.stats) {
        fmt::format_to(to_line, ", {:.3f}, {:.3f}, {:.3f}, {:.2f}, {}", row.summary.min, row.summary.median,
                       row.summary.mean, row.summary.spread_percent, row.batch_ns.size());
        if (columns.placement)
            line += row.placement_percent ? fmt::format(", {:.2f}", *row.placement_percent) : ", ";
        line += ", " + joined_words(row.notes);
    }
    // Six significant digits rather than decimals: a single page fault in ten million accesses is not none.
    for (const auto& count : row.counts_per_access)
        line += count ? fmt::format(", {:.6g}", *count) : ", ";
    return line + "\n";
}

} // namespace memtest

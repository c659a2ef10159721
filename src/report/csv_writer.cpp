#include "memtest/report/csv_writer.hpp"

#include "memtest/base/units.hpp"

#include <fmt/format.h>

#include <optional>

namespace memtest {
namespace {

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
    if (columns.stats)
        line += ", Min (ns), Median (ns), Mean (ns), Spread (%), Visits (%), Visits, Batches, Notes";
    for (const Counter counter : columns.counters)
        line += fmt::format(", {}", column_of(counter));
    return line + "\n";
}

std::string csv_line(const Row& row, const Columns& columns) {
    std::string line = fmt::format("{}, {:.5f}", row.thread, static_cast<double>(row.size_bytes) / mib);
    const auto add = [&line](std::optional<double> number, int digits) {
        line += number ? fmt::format(", {:.{}f}", *number, digits) : ", ";
    };
    const auto of_summary = [&row](double Summary::*figure) {
        return row.summary ? std::optional((*row.summary).*figure) : std::nullopt;
    };
    add(row.latency_ns, 3);
    if (columns.cycles)
        add(row.latency_cycles, 2);
    if (columns.stats) {
        add(of_summary(&Summary::min), 3);
        add(of_summary(&Summary::median), 3);
        add(of_summary(&Summary::mean), 3);
        add(of_summary(&Summary::spread_percent), 2);
        add(row.visits_percent, 2);
        line += fmt::format(", {}, {}, {}", row.visits.size(), batches_of(row), joined_words(row.notes));
    }
    // Six significant digits rather than decimals: a single page fault in ten million accesses is not none.
    for (const auto& count : row.counts_per_access)
        line += count ? fmt::format(", {:.6g}", *count) : ", ";
    return line + "\n";
}

} // namespace memtest

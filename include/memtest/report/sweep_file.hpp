#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memtest {

/// One row of a stored sweep. A figure that the file lacks, or whose field is empty, is not known.
struct StoredRow {
    std::size_t line_number = 0; ///< where it stands in the file, from 1
    int thread = 0;
    double size_bytes = 0; ///< restored from what is stored in MiB with five decimals
    std::optional<double> latency_ns;
    std::optional<double> cycles;
    std::optional<double> min_ns;
    std::optional<double> median_ns;
    std::optional<double> mean_ns;
    std::optional<double> spread_percent;
    std::optional<double> visits_percent;
    std::optional<std::uint64_t> visits;
    std::optional<std::uint64_t> batches;
    std::string notes;
};

/// A sweep as it was stored, rows in the order of the file: they may be shuffled and sizes may repeat.
struct StoredSweep {
    std::string name;                                             ///< of the file, for messages
    std::vector<std::pair<std::string, std::string>> description; ///< the `# key: value` lines
    std::vector<StoredRow> rows;                                  ///< never empty

    /// The value of the first `# key: value` line with this key.
    [[nodiscard]] std::optional<std::string_view> value_of(std::string_view key) const;

    /// The numbers of the threads that have rows, ascending.
    [[nodiscard]] std::vector<int> threads() const;
};

/// Reads what the probe writes, and files of the classic tool (three columns, with or without their header). Columns go
/// by the header's names; those it does not know are skipped, as are `#` lines of another form and blank lines.
/// @throws Error (usage) that names the line when it is no sweep: a required column is missing, a field is no number or
/// out of range, there are no rows.
[[nodiscard]] StoredSweep read_sweep(std::istream& in, const std::string& name);

/// The same for a file; `-` is standard input.
/// @throws Error also when the file cannot be opened (usage) or read.
[[nodiscard]] StoredSweep read_sweep_file(const std::string& path);

} // namespace memtest

#pragma once

#include "memtest/report/columns.hpp"
#include "memtest/report/stored_run.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace memtest {

class InputFile;

/// A stored sweep, its rows in the order of the file: they may be shuffled, and sizes may repeat.
struct StoredSweep : StoredRun {
    std::vector<StoredRow> rows = {}; ///< never empty
    bool translation_is_off = false;  ///< its cost was taken off the latencies

    /// The numbers of the threads that have rows, ascending.
    [[nodiscard]] std::vector<int> threads() const;
};

/// Reads what the probe writes, CSV or JSON by the first character, and files of the classic tool (three columns, with
/// or without their header). Columns go by the header's names. Skips unknown columns, other `#` lines and blank lines.
/// @throws Error (usage) that names the line when it is no sweep: a required column is missing, a field is no number or
/// out of range, a setting has no known value, there are no rows, or more than any sweep has
[[nodiscard]] StoredSweep read_sweep(std::istream& in, const std::string& name);

/// The same for a file; `-` is standard input.
/// @throws Error also when the file cannot be read; Error (usage) also when it cannot be opened, does not end, or holds
/// what another verb measured
[[nodiscard]] StoredSweep read_sweep_file(const std::string& path);

[[nodiscard]] StoredSweep read_sweep_file(InputFile& file);

} // namespace memtest

#pragma once

#include "memtest/report/columns.hpp"
#include "memtest/report/stored_run.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace memtest {

class InputFile;

/// A sweep as it was stored, rows in the order of the file: they may be shuffled and sizes may repeat.
struct StoredSweep : StoredRun {
    std::vector<StoredRow> rows = {}; ///< never empty
    bool translation_is_off = false;  ///< what it adds was taken off the latencies

    /// The numbers of the threads that have rows, ascending.
    [[nodiscard]] std::vector<int> threads() const;
};

/// Reads what the probe writes, CSV or JSON, and files of the classic tool (three columns, with or without their
/// header). What the first character is tells which. Columns go by the header's names; those it does not know are
/// skipped, as are `#` lines of another form and blank lines.
/// @throws Error (usage) that names the line when it is no sweep: a required column is missing, a field is no number or
/// out of range, a setting has no known value, there are no rows, or more than any sweep has.
[[nodiscard]] StoredSweep read_sweep(std::istream& in, const std::string& name);

/// The same for a file; `-` is standard input. Refuses what other verbs measured, and names them.
/// @throws Error also when the file cannot be opened (usage) or read, or does not end (usage).
[[nodiscard]] StoredSweep read_sweep_file(const std::string& path);

[[nodiscard]] StoredSweep read_sweep_file(InputFile& file);

} // namespace memtest

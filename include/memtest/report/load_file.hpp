#pragma once

#include "memtest/insight/load_curve.hpp"
#include "memtest/report/input_file.hpp"
#include "memtest/report/stored_run.hpp"

#include <optional>
#include <vector>

namespace memtest {

/// A stored result of `memtest loaded`.
struct StoredLoad : StoredRun {
    std::vector<LoadPoint> points = {}; ///< in the order of the file, without unknown ones
};

/// Reads what `memtest loaded` writes; nothing where the file holds something else, which stays to be read.
/// @throws Error (usage) that names a row that is none, or where no row tells anything
[[nodiscard]] std::optional<StoredLoad> read_load(InputFile& file);

} // namespace memtest

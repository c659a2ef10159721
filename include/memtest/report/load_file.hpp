#pragma once

#include "memtest/insight/load_curve.hpp"
#include "memtest/report/input_file.hpp"
#include "memtest/report/stored_run.hpp"

#include <optional>
#include <vector>

namespace memtest {

/// What a stored `memtest loaded` tells.
struct StoredLoad : StoredRun {
    std::vector<LoadPoint> points = {}; ///< in the order of the file, without those that are not known
};

/// Reads what `memtest loaded` writes; nothing where the file holds something else, which stays to be read.
/// @throws Error (usage) that names a row that is none, or where no row tells anything
[[nodiscard]] std::optional<StoredLoad> read_load(InputFile& file);

} // namespace memtest

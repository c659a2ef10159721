#pragma once

#include "memtest/insight/load_curve.hpp"
#include "memtest/report/input_file.hpp"
#include "memtest/report/run_description.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memtest {

/// What a stored `memtest loaded` tells.
struct StoredLoad {
    std::string name; ///< of the file, for messages
    RunDescription run;
    std::vector<LoadPoint> points;         ///< in the order of the file, without those that are not known
    std::vector<std::string> remarks = {}; ///< and warnings
};

/// Reads what `memtest loaded` writes; nothing where the file holds something else, which stays to be read. @throws
/// Error (usage) that names a row that is none, or where no row tells anything
[[nodiscard]] std::optional<StoredLoad> read_load(InputFile& file);

} // namespace memtest

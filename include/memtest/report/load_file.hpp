#pragma once

#include "memtest/insight/load_curve.hpp"
#include "memtest/report/input_file.hpp"
#include "memtest/report/run_description.hpp"

#include <string>
#include <vector>

namespace memtest {

/// What a stored `memtest loaded` tells.
struct StoredLoad {
    std::string name; ///< of the file, for messages
    RunDescription run;
    std::vector<LoadPoint> points; ///< in the order of the file, without those that are not known
};

/// Whether the file, of which nothing was read yet, holds what `memtest loaded` wrote.
[[nodiscard]] bool holds_load(InputFile& file);

/// Reads such a file. @throws Error (usage) that names a row that is none, or where no row tells
/// anything
[[nodiscard]] StoredLoad read_load(InputFile& file);

} // namespace memtest

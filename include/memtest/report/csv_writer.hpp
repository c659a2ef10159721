#pragma once

#include "memtest/machine/counters.hpp"
#include "memtest/measure/row.hpp"

#include <string>
#include <vector>

namespace memtest {

/// Which columns stand behind the three that are always there.
struct Columns {
    bool cycles = false;
    bool stats = false;
    std::vector<Counter> counters{}; ///< behind all others
};

/// The line that names the columns, with its line end.
[[nodiscard]] std::string csv_header(const Columns& columns);

/// A row, with its line end. What is not known is an empty field.
[[nodiscard]] std::string csv_line(const Row& row, const Columns& columns);

} // namespace memtest

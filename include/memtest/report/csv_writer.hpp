#pragma once

#include "memtest/machine/counter.hpp"
#include "memtest/measure/row.hpp"

#include <string>
#include <vector>

namespace memtest {

/// The columns behind the three that are always there.
struct Columns {
    bool cycles = false;
    bool stats = false;
    std::vector<Counter> counters{}; ///< last
};

/// The line that names the columns, with its line end.
[[nodiscard]] std::string csv_header(const Columns& chosen);

/// A row, with its line end. An unknown figure is an empty field.
[[nodiscard]] std::string csv_line(const Row& row, const Columns& chosen);

} // namespace memtest

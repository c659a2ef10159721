#pragma once

#include "memtest/report/sweep_file.hpp"

#include <iosfwd>
#include <string_view>

namespace memtest {

// The two readers of read_sweep. They add to the sweep and throw like it, but take a file without rows.

void read_csv(std::istream& in, StoredSweep& sweep);

void read_json(std::istream& in, StoredSweep& sweep);

/// Adds a row. @throws Error (usage) when there are more than any sweep has
StoredRow& add_row(StoredSweep& sweep);

/// Adds a warning; leaves it out when there are more than a run can give.
void add_warning(StoredSweep& sweep, std::string_view sentence);

} // namespace memtest

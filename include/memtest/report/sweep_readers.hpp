#pragma once

#include "memtest/report/sweep_file.hpp"

#include <iosfwd>
#include <string_view>

namespace memtest {

// What read_sweep chooses from. Both add to the sweep what they read, and throw like it; neither asks that there be
// rows.

void read_csv(std::istream& in, StoredSweep& sweep);

void read_json(std::istream& in, StoredSweep& sweep);

/// A further row of the sweep. @throws Error (usage) when it has as many as memory is to be spent on
StoredRow& add_row(StoredSweep& sweep);

/// A further warning; those beyond what a run can give are left out.
void add_warning(StoredSweep& sweep, std::string_view sentence);

} // namespace memtest

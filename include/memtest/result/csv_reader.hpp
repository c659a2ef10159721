#pragma once

#include "memtest/result/table_reader.hpp"

#include <iosfwd>
#include <optional>

namespace memtest {

/// Reads CSV line by line: of this program, also as a spreadsheet saved it, of the classic tool, the output of
/// lat_mem_rd, or a table with these columns. @throws Error (usage) that names the line if it is none
void read_csv(Result& result, std::istream& in, const std::optional<TableColumns>& columns);

} // namespace memtest

#pragma once

#include "memtest/result/table_reader.hpp"

#include <optional>
#include <string_view>

namespace memtest {

/// Reads CSV line by line: of this program, of the classic tool, the output of lat_mem_rd, or a table with these
/// columns.
/// @throws Error (usage) that names the line if it is none
void read_csv(Result& result, std::string_view text, const std::optional<TableColumns>& columns);

} // namespace memtest

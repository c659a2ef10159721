#pragma once

#include "memtest/result/result.hpp"

#include <iosfwd>

namespace memtest {

/// Reads CSV line by line: of this program, or of the classic tool. @throws Error (usage) that names the line if it is
/// none
void read_csv(Result& result, std::istream& in);

} // namespace memtest

#pragma once

#include "memtest/plot/heat_map.hpp"
#include "memtest/report/matrix_file.hpp"

#include <string_view>

namespace memtest {

/// A heat map of the matrix. @param title empty for the usual one
/// @throws Error (usage) when no latency is known, or an image cannot show so many rows or columns
[[nodiscard]] HeatMap plot_matrix(const StoredMatrix& matrix, std::string_view title);

} // namespace memtest

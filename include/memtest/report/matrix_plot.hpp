#pragma once

#include "memtest/report/heat_map.hpp"
#include "memtest/report/matrix_file.hpp"

#include <string_view>

namespace memtest {

/// A heat map of the matrix. @param title empty for one that says what is drawn
/// @throws Error (usage) when no latency is known, or there are more rows or columns than an image can show
[[nodiscard]] HeatMap plot_matrix(const StoredMatrix& matrix, std::string_view title);

} // namespace memtest

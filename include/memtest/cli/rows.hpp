#pragma once

#include "memtest/report/result_writer.hpp"

#include <cstddef>
#include <exception>
#include <functional>
#include <optional>

namespace memtest {

/// Measures the row with this number and returns it; nothing when interrupted. @throws Error
using MeasureRow = std::function<std::optional<ResultRow>(std::size_t number)>;

/// How measuring the rows ended.
struct RowsMeasured {
    RunEnd end;
    std::exception_ptr failure; ///< what ended it early, where something did
};

/// Measures `count` rows and writes each at once, with a line of progress meanwhile. A failure ends it; the rows before
/// it stay.
[[nodiscard]] RowsMeasured measure_rows(ResultWriter& writer, std::size_t count, const MeasureRow& measure, bool quiet);

} // namespace memtest

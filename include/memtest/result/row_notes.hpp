#pragma once

#include "memtest/insight/curve.hpp"
#include "memtest/measure/row.hpp"
#include "memtest/result/value.hpp"

#include <optional>
#include <span>

namespace memtest {

/// The notes of all rows, each with the number of its row, for files without a column of notes.
[[nodiscard]] List row_notes(std::span<const Row> rows);

/// Adds such notes to the row.
void add_notes(Row& row, const Value& notes);

/// The low and the high figure of a contested size; std::nullopt for any other.
[[nodiscard]] std::optional<LatencyBand> contested_band_of(const Row& row);

} // namespace memtest

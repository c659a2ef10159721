#pragma once

#include "memtest/measure/row.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// One row of a stored sweep. A figure is not known where the file lacks it or its field is empty.
struct StoredRow {
    int thread = 0;
    double size_bytes = 0; ///< in CSV restored from MiB with five decimals
    std::optional<double> latency_ns;
    std::optional<double> cycles;
    std::optional<double> min_ns;
    std::optional<double> median_ns;
    std::optional<double> mean_ns;
    std::optional<double> spread_percent;
    std::optional<double> visits_percent;
    std::optional<std::uint64_t> visits;
    std::optional<std::uint64_t> batches;
    std::vector<Note> notes;
};

/// Whether something other than the memory disturbed the row's latency.
[[nodiscard]] bool is_disturbed(const StoredRow& row);

/// The option with which a column is written.
enum class ColumnGroup { always, cycles, stats };

/// One figure of a row: how it is written, in CSV and as a number or words in JSON, and how it is read back.
struct Column {
    std::string_view name;   ///< in the header of the CSV
    std::string_view member; ///< of a row in JSON
    ColumnGroup group = ColumnGroup::always;
    std::string (*text)(const Row&) = nullptr; ///< empty where it is not known, or out of bounds
    /// @return what would be accepted; nothing where the text was
    std::optional<std::string> (*read)(StoredRow&, std::string_view text) = nullptr;
};

/// All but the counters, in the order of the output. Those that every sweep has come first.
[[nodiscard]] std::span<const Column> columns();

inline constexpr std::size_t required_columns = 3;

/// The column of `notes`, which in JSON is an array of its words.
inline constexpr std::string_view notes_member = "notes";

} // namespace memtest

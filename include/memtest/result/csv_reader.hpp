#pragma once

#include "memtest/result/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memtest {

/// What the fields of a table are that another program made, from the first on.
struct TableColumns {
    std::string text = "MiB,ns";                        ///< as --columns has it; this one is that of lat_mem_rd
    std::size_t size = 0;                               ///< the place of the memory size
    std::uint64_t unit_bytes = std::uint64_t{1} << 20U; ///< of a size without a unit of its own
    std::size_t latency = 1;                            ///< the place of the latency in ns
};

/// Reads CSV line by line: of this program, of the classic tool, the output of lat_mem_rd, or a table with these
/// columns.
/// @throws Error (usage) that names the line if it is none
void read_csv(Result& result, std::string_view text, const std::optional<TableColumns>& columns);

// Tables, in table_reader.cpp.

/// Whether the lines of a stride follow; some versions, and people, leave out the quote.
[[nodiscard]] bool is_heading_of_lat_mem_rd(std::string_view line);

/// The values of --columns: one unit of size, one `ns`, and `-` for other fields; those after them may be left out.
/// std::nullopt for other text.
[[nodiscard]] std::optional<TableColumns> table_columns_in(std::string_view text);

/// A line that `--columns KiB,ns` reads, as the end of a sentence.
inline constexpr std::string_view table_hint =
    "; a table of another program is read with --columns, such as KiB,ns for a line `64 3.8`";

/// Reads a table of sizes and latencies into a sweep. Commas, semicolons, tabs or blanks separate the fields, which may
/// be quoted or have a unit. Lines that are no row are skipped; a warning counts them.
/// @throws Error (usage) if no line is a row
void read_table(Result& result, std::string_view text, const TableColumns& columns);

} // namespace memtest

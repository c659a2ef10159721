#pragma once

#include "memtest/result/result.hpp"
#include "memtest/result/result_taker.hpp"

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

/// What precedes the lines of each stride.
inline constexpr std::string_view heading_of_lat_mem_rd = "\"stride=";

/// The values of --columns: one unit of size, one `ns`, and `-` for other fields; those after them may be left out.
/// std::nullopt for other text.
[[nodiscard]] std::optional<TableColumns> table_columns_in(std::string_view text);

/// A line that `--columns KiB,ns` reads, as the end of a sentence.
[[nodiscard]] std::string table_hint();

/// Reads a table of sizes and latencies line by line into a sweep. Commas, semicolons, tabs or blanks separate the
/// fields, which may be quoted or have a unit. Lines that are no row are skipped; a warning counts them.
class TableReader {
public:
    TableReader(Result& result, TableColumns columns);

    void read_line(std::string_view line);

    /// @throws Error (usage) if no line was a row
    void end();

private:
    Result& result_;
    ResultTaker taker_;
    TableColumns columns_;
    std::size_t skipped_ = 0;
    std::string first_skipped_{}; ///< that is not empty
};

} // namespace memtest

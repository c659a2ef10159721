#pragma once

#include "memtest/result/csv_reader.hpp"
#include "memtest/result/stored_file.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// Reads what any command measured, as CSV or JSON depending on the first character, and sweeps of the classic tool
/// (three columns, with or without their header) and of lat_mem_rd. Finds columns and members by name. Skips unknown
/// ones, other `#` lines and blank lines. @param columns of other files, which are tables of other programs
/// @throws Error (usage) that names the line if it is no result: a column is missing, a field is no number or out of
/// range, a setting has an unknown value, there are no rows, or more than any result has
[[nodiscard]] StoredFile parse_file(std::string_view text, const std::string& name,
                                    const std::optional<TableColumns>& columns = {});

/// The same for a file; `-` is standard input. @throws Error (usage) also if it cannot be opened or does not end; Error
/// if it cannot be read
[[nodiscard]] StoredFile read_file(const std::string& path, const std::optional<TableColumns>& columns = {});

/// Leaves a report only the named parts. @param names of parts, or words that choose several; none: all
/// @throws Error (usage) if one of them fits none
void keep_parts(StoredFile& file, const std::vector<std::string>& names);

/// The result in a file, or the part of a report that a command takes. A sweep of a single size is taken only if it is
/// named, or there is no other. @param kind that it takes; null: any @param part the user's choice
/// @throws Error (usage) if none fits, or several do
[[nodiscard]] Result chosen_result(StoredFile file, const Kind* kind = nullptr,
                                   const std::optional<std::string>& part = std::nullopt);

/// Refuses `-`, standard input, if it is given for more than one file. @throws Error (usage)
void check_standard_input(const std::vector<std::string>& files);

/// One that is given twice, by whatever path; std::nullopt if there is none.
[[nodiscard]] std::optional<std::string> given_twice(const std::vector<std::string>& files);

} // namespace memtest

#pragma once

#include "memtest/report/result_reader.hpp"
#include "memtest/report/result_taker.hpp"

#include <iosfwd>
#include <string_view>

namespace memtest {

/// Reads a JSON document, a result or a report, row by row: what a truncated one holds is kept, and the document is
/// never in memory as a whole. @throws Error (usage) if it is neither
void read_json_document(StoredFile& file, std::istream& in);

/// Reads a line of data, whose members are those of a document without its rows.
/// @throws Json::parse_error if it is not valid JSON; Error (usage) for what no result holds
void read_json_line(ResultTaker& taker, std::string_view text);

} // namespace memtest

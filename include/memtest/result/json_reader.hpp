#pragma once

#include "memtest/result/stored_file.hpp"

#include <iosfwd>

namespace memtest {

/// Reads a JSON document: a result, or the parts of a report. @throws Error (usage) if it is neither, or truncated
void read_json_document(StoredFile& file, std::istream& in);

} // namespace memtest

#pragma once

#include "memtest/result/result.hpp"

#include <cstddef>
#include <string>

namespace memtest {

/// The kind in words, with its article.
[[nodiscard]] std::string described(const Kind& kind);

/// The values that a column takes, in words.
[[nodiscard]] std::string what_is_wanted(const Column& column);

/// Refuses a document of another version. @param name of the file @throws Error (usage)
void check_schema(const Value& document, const std::string& name);

// These take over what a file contains, in either format, and throw Error (usage) for what no result holds.

/// A whole document.
void take_document(Result& result, const Value& document);

/// What a document holds besides its rows. @pre the rows are there if it has notes of them
void take_description(Result& result, const Value& document);

void add_row(Result& result);

/// @return whether the column of the last row takes the value
[[nodiscard]] bool set_value(Result& result, std::size_t place, const Value& value);

} // namespace memtest

#pragma once

#include "memtest/base/words.hpp"

#include <array>

namespace memtest {

/// How results are written.
enum class Format { csv, json };

template<>
inline constexpr std::array<Word<Format>, 2> word_table<Format>{{{Format::csv, "csv"}, {Format::json, "json"}}};

} // namespace memtest

#pragma once

#include "memtest/result/answer.hpp"
#include "memtest/result/result.hpp"

#include <string>

namespace memtest {

/// "256 MiB under full load"
[[nodiscard]] std::string name_of(const PercentileRow& row);

/// The percentiles of each row, what other work did, and the percentiles of memory in words. @param tail with rows
/// @param kind of these, which has the columns
[[nodiscard]] Answer answer_of_tail(const Result& tail, const KindOf<PercentileRow>& kind);

} // namespace memtest

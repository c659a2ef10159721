#pragma once

#include "memtest/machine/counters.hpp"
#include "memtest/result/result.hpp"

#include <string>
#include <vector>

namespace memtest {

/// What `memtest` alone measures: a row for each size and thread.
extern const KindOf<Row> sweep_kind;

/// The same with a column for each counter, the last in CSV.
[[nodiscard]] KindOf<Row> sweep_kind_with(const std::vector<Counter>& counters);

/// The sentences that open the CSV, without `#`.
[[nodiscard]] std::vector<std::string> sweep_headline(const RunDescription& run);

} // namespace memtest

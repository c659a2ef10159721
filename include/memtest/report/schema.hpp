#pragma once

#include "memtest/report/json.hpp"
#include "memtest/report/kind.hpp"

namespace memtest {

/// The JSON Schema of a kind of result, from its columns and the keys of a run.
[[nodiscard]] Json schema_of(const Kind& kind);

/// That of a row of it.
[[nodiscard]] Json schema_of_row(const Kind& kind);

/// The same for the file of a report.
[[nodiscard]] Json schema_of_report();

} // namespace memtest

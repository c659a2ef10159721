#pragma once

#include "memtest/report/json.hpp"
#include "memtest/report/kind.hpp"

namespace memtest {

/// The JSON Schema of a kind of result, from its columns and the keys of a run.
[[nodiscard]] Json schema_of(const Kind& kind);

} // namespace memtest

#pragma once

#include "memtest/report/run_description.hpp"

namespace memtest {

/// A run of which everything is known, each value another than the default.
[[nodiscard]] RunDescription described_run();

} // namespace memtest

#pragma once

#include "memtest/result/run_description.hpp"

namespace memtest {

/// A run with everything known, and every value another than the default.
[[nodiscard]] RunDescription described_run();

} // namespace memtest

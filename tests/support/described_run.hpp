#pragma once

#include "memtest/report/run_description.hpp"

namespace memtest {

/// A run with everything known, and every value another than the default.
[[nodiscard]] RunDescription described_run();

/// The same as it is read back from a file: without what is written for people alone.
[[nodiscard]] RunDescription described_run_read_back();

} // namespace memtest

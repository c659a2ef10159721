#pragma once

#include <atomic>

namespace memtest {

/// For work that nothing interrupts.
inline const std::atomic<bool> never_interrupted{false};

} // namespace memtest

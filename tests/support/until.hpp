#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace memtest {

/// Waits until this is so, since another thread makes it so; for a minute at most, which is long enough on any machine.
/// @return whether it is
inline bool until(const std::function<bool()>& holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!holds()) {
        if (std::chrono::steady_clock::now() >= end)
            return false;
        std::this_thread::yield();
    }
    return true;
}

} // namespace memtest

#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace memtest {

/// Runs something that takes milliseconds, and interrupts it as soon as another thread sees that it has begun, until it
/// tells that it was interrupted in its midst. @return whether it was, in any of many attempts: on a busy machine some
/// come too late or too early
inline bool interrupted_in_its_midst(const std::function<bool(const std::atomic<bool>& interrupted)>& attempt) {
    for (int time = 0; time < 200; ++time) {
        std::atomic<bool> begun{false};
        std::atomic<bool> interrupted{false};
        const std::jthread interrupts([&] {
            while (!begun)
                std::this_thread::yield();
            interrupted = true;
        });
        std::this_thread::yield();
        begun = true;
        if (attempt(interrupted))
            return true;
    }
    return false;
}

} // namespace memtest

#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace memtest {

/// Runs something that takes milliseconds and interrupts it as soon as it has begun, up to 200 times: on a busy machine
/// some attempts come too late or too early. @return whether an attempt was interrupted in its midst
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

#pragma once

#include <atomic>

namespace memtest {

/// Turns SIGINT, SIGTERM and SIGHUP into a request to finish early, but for those that the parent has told to ignore
/// (as nohup does); a second one of them ends the program at once. They also end calls of the system that wait.
class Interruption {
public:
    Interruption();

    /// Whether a signal has asked to finish.
    [[nodiscard]] static const std::atomic<bool>& requested() noexcept;

    /// Ends the program by the signal that was received, so that a shell sees status 128+n and stops a loop; process 1
    /// of a container, which survives its own signals, exits with that status. Returns when there was none.
    static void end_by_signal();
};

} // namespace memtest

#pragma once

#include <atomic>

namespace memtest {

/// Turns the signals by which people and batch systems end programs into a request to finish early, and interrupts
/// system calls that wait. A second signal ends the program at once, unless it comes within a fifth of a second of the
/// first, as the two of timeout(1) do. Signals that the parent ignores (as nohup does) stay ignored.
class Interruption {
public:
    Interruption();

    /// Whether a signal has asked to finish.
    [[nodiscard]] static const std::atomic<bool>& requested() noexcept;

    /// Ends the program by the signal that came. Returns if none came.
    static void end_by_signal();

    /// Ends the program by this signal, so that a shell sees status 128+n and stops a loop. Process 1 of a container
    /// survives its own signals, and exits with that status.
    [[noreturn]] static void end_by(int signal);
};

} // namespace memtest

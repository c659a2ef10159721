#pragma once

#include <atomic>

namespace memtest {

/// Turns SIGINT, SIGTERM and SIGHUP (unless that is ignored, as under nohup) into a request to finish early; a second
/// such signal ends the program at once.
class Interruption {
public:
    Interruption();

    /// Whether a signal has asked to finish.
    [[nodiscard]] static const std::atomic<bool>& requested() noexcept;

    /// Ends the program by the signal that was received, so that a shell sees status 128+n and stops a loop. Returns
    /// when there was none.
    static void end_by_signal();
};

} // namespace memtest

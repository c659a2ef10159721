#pragma once

#include "memtest/base/text.hpp"

#include <stdexcept>
#include <string>

namespace memtest {

/// The program's exit status. Slower and cannot_tell are answers of `memtest compare`. A closed pipe ends the program
/// by SIGPIPE, without a message.
enum class ExitStatus : int { success = 0, failure = 1, usage = 2, slower = 3, cannot_tell = 4, closed_pipe = 141 };

/// The only exception, for every failure with a cause outside the program. Its message is for the user: it names the
/// option or file and the value, and says what to do. shown() keeps it on one line, whatever these contain.
class Error : public std::runtime_error {
public:
    explicit Error(const std::string& message, ExitStatus status = ExitStatus::failure)
        : std::runtime_error(shown(message)), status_(status) {}

    /// The same with another status.
    Error(const Error& error, ExitStatus status) : std::runtime_error(error), status_(status) {}

    [[nodiscard]] ExitStatus status() const noexcept { return status_; }

private:
    ExitStatus status_;
};

/// An Error because others on the machine use something, such as a processor.
class MachineBusy : public Error {
public:
    using Error::Error;
};

/// An Error for a request that cannot be met. It is found before any measuring and ends the program with status 2.
[[nodiscard]] Error usage_error(const std::string& message);

/// Why the last system call failed, in the system's words.
[[nodiscard]] std::string system_reason();

/// Ends the program and names the invariant that does not hold.
[[noreturn]] void end_for_broken_invariant(const char* what) noexcept;

/// Ends the program if an invariant does not hold; active in release builds, too. Not for the timed path.
/// @param what the invariant, as a sentence.
inline void require(bool holds, const char* what) noexcept {
    if (!holds)
        end_for_broken_invariant(what);
}

} // namespace memtest

#pragma once

#include "memtest/machine/descriptor.hpp"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

namespace memtest {

/// A terminal of a test's own.
class Terminal {
public:
    Terminal() {
        if (grantpt(screen_) != 0 || unlockpt(screen_) != 0)
            return;
        path_ = ptsname(screen_);
        program_ = open(path_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
        termios settings{};
        tcgetattr(program_, &settings);
        cfmakeraw(&settings); // lines end as they are written
        tcsetattr(program_, TCSANOW, &settings);
    }
    ~Terminal() {
        close(program_);
        close(screen_);
    }

    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;
    Terminal(Terminal&&) = delete;
    Terminal& operator=(Terminal&&) = delete;

    /// To be opened; empty where the system gives none.
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] int descriptor() const { return program_; }

    /// What was written since it was last asked.
    [[nodiscard]] std::string text() const {
        std::string text;
        std::array<char, 4096> buffer{};
        for (ssize_t bytes = 0; (bytes = read(screen_, buffer.data(), buffer.size())) > 0;)
            text.append(buffer.data(), static_cast<std::size_t>(bytes));
        return text;
    }

private:
    int screen_ = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    int program_ = -1; // keeps it open
    std::string path_;
};

/// A standard stream that leads elsewhere, or is closed, while this lives.
class Redirected {
public:
    explicit Redirected(int stream, int to = -1) : stream_(stream), before_(dup(stream)) {
        if (dup2(to, stream) < 0)
            close(stream);
    }
    ~Redirected() { dup2(before_.number(), stream_); }

    Redirected(const Redirected&) = delete;
    Redirected& operator=(const Redirected&) = delete;
    Redirected(Redirected&&) = delete;
    Redirected& operator=(Redirected&&) = delete;

private:
    int stream_;
    Descriptor before_;
};

} // namespace memtest

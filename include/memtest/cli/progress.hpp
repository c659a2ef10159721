#pragma once

#include "memtest/machine/clock.hpp"

#include <cstddef>
#include <string>

namespace memtest {

/// How far a sweep has come and how long it may still take, as one line. Later sizes take longer, so the time left is
/// what the rest would take at the pace of the last step, and a size that has just begun counts as not done.
class ProgressEstimate {
public:
    explicit ProgressEstimate(Clock& clock) : clock_(clock), last_ns_(clock.now_ns()) {}

    /// Notes that `done` of `of` steps are done and says so.
    [[nodiscard]] std::string step(std::size_t done, std::size_t of);

private:
    Clock& clock_;
    std::uint64_t last_ns_;
};

/// A line on standard error that is overwritten as the sweep goes on; nothing at all where that is no terminal, or one
/// that cannot erase.
class ProgressLine {
public:
    explicit ProgressLine(bool wanted);
    ~ProgressLine() { clear(); }

    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    ProgressLine(ProgressLine&&) = delete;
    ProgressLine& operator=(ProgressLine&&) = delete;

    void show(const std::string& text);
    void clear(); ///< takes the line away, before anything else is written

private:
    bool on_terminal_;
    bool shown_ = false;
};

} // namespace memtest

#pragma once

#include "memtest/measure/sweep.hpp"

#include <string>

namespace memtest {

/// How far a sweep has come, and how long it may still take.
[[nodiscard]] std::string describe(const Progress& progress);

/// A line on standard error that is overwritten as the sweep goes on. Prints nothing where that is no terminal that can
/// erase.
class ProgressLine {
public:
    explicit ProgressLine(bool wanted);
    ~ProgressLine() { clear(); }

    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    ProgressLine(ProgressLine&&) = delete;
    ProgressLine& operator=(ProgressLine&&) = delete;

    void show(const std::string& text);
    void clear(); ///< erases the line, before anything else is written

private:
    bool on_terminal_;
    bool shown_ = false;
};

} // namespace memtest

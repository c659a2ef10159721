#pragma once

#include "memtest/measure/sweep.hpp"
#include "memtest/report/result.hpp"

#include <string>
#include <string_view>

namespace memtest {

/// Prints on standard error why the program ends. Like `warn`, it drops a message that cannot be written, and begins in
/// colour on a terminal, unless NO_COLOR is set.
void print_error(std::string_view sentence) noexcept;

/// Prints on standard error what disturbs or changes a result. @param name ends the sentence
void warn(std::string_view sentence, std::string_view name = "") noexcept;

/// Repeats on standard error what the run warned of.
void repeat_warnings(const Result& result);

/// The same, and warns where rows may be missing.
void warn_of(const Result& result);

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

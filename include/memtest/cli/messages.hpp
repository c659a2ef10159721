#pragma once

#include "memtest/result/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace memtest {

/// Prints why the program ends: a line on standard error, escaped. A message that cannot be written is dropped, here
/// and by `warn`. On a terminal both begin in colour, unless NO_COLOR is set.
void print_error(std::string_view sentence) noexcept;

/// Prints what disturbs or changes a result, in the same way. @param name ends the sentence
void warn(std::string_view sentence, std::string_view name = "") noexcept;

/// Warns that a run is incomplete, and names the file that holds its result so far, as OutputFile::keep_partial()
/// returns it. Prints nothing if there is none.
void warn_of_partial(const std::optional<std::string>& name) noexcept;

/// Refuses results of different machines. @throws Error (usage)
void check_same_machine(const Result& one, const Result& other);

/// Warns if rows may be missing.
void warn_of_missing_rows(const Result& result);

/// The same, and repeats what the run warned of.
void warn_of(const Result& result);

/// A line on standard error that is overwritten as the run goes on. Prints nothing unless that is a terminal that can
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
    void keep(const std::string& lines); ///< prints lines that stay, above it
    void clear();                        ///< erases the line, before anything else is written

private:
    bool on_terminal_;
    bool shown_ = false;
};

} // namespace memtest

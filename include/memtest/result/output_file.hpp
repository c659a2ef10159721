#pragma once

#include "memtest/base/never_interrupted.hpp"
#include "memtest/base/words.hpp"

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace memtest {

/// How results are written.
enum class Format { csv, json, table };

template<>
inline constexpr std::array<Word<Format>, 3> word_table<Format>{
    {{Format::csv, "csv"}, {Format::json, "json"}, {Format::table, "table"}}};

/// Where results go. Only a complete result replaces a regular file: output goes to a new file next to it,
/// FILE.partial, until `commit` renames that. So it lies there however the program ends. Anything else (standard
/// output, a descriptor named /dev/fd/N, a FIFO, a device) is written directly. Nothing is buffered.
class OutputFile {
public:
    /// Opens it for writing; waits for a FIFO's reader. Follows symbolic links and replaces their target. A new file
    /// takes the mode of the one that it replaces.
    /// @param path none or "-" for standard output; empty to keep what is written in memory
    /// @param interrupted ends the wait for a reader when it becomes true; must outlive the file
    /// @throws Error naming the file when it cannot be written, or its folder cannot hold a new one
    explicit OutputFile(const std::optional<std::string>& path,
                        const std::atomic<bool>& interrupted = never_interrupted);
    /// Removes output that was neither committed nor kept.
    ~OutputFile();

    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    OutputFile(OutputFile&&) = delete;
    OutputFile& operator=(OutputFile&&) = delete;

    /// Whether it is a regular file that is not yet committed.
    [[nodiscard]] bool is_file() const { return !partial_.empty(); }
    /// Whether it is a terminal, so that a person reads it.
    [[nodiscard]] bool is_terminal() const;
    /// Whether standard error is the same terminal.
    [[nodiscard]] bool shows_messages() const;

    /// A file that is not yet committed takes the whole text or, on a full disk, none of it.
    /// @throws Error naming the file when it cannot be written, or `interrupted` became true while its reader took
    /// nothing; with the status closed_pipe where SIGPIPE is ignored and the reader has gone
    void write(std::string_view text);
    /// Removes the last bytes of a file that is not yet committed, and the rest of a failed write.
    /// Leaves any other output as it is.
    void take_back(std::size_t bytes);
    /// What was written into memory.
    [[nodiscard]] const std::string& text() const { return text_; }

    /// Makes a complete result durable and gives it the file's name. @throws Error naming the file
    void commit();

    /// Leaves the output in FILE.partial, and FILE as it was. @return that name; "" if the output is lost because that
    /// was removed or replaced, as with its folder; none if nothing was written, or it was written directly
    std::optional<std::string> keep_partial() noexcept;

private:
    void open_directly();
    void duplicate(int descriptor);
    void create_beside();
    void wait_until_writable() const;
    [[nodiscard]] bool is_in_place() const noexcept; // FILE.partial is still this file

    std::string name_;    // of the file, for messages too
    std::string partial_; // the name of the new file next to it; empty if there is none
    std::string text_;    // of what has no file
    const std::atomic<bool>& interrupted_;
    off_t bytes_ = 0; // of all whole writes
    int descriptor_ = -1;
};

/// The width of the terminal of a descriptor; 80 if unknown.
[[nodiscard]] std::size_t terminal_columns(int descriptor = 1);

} // namespace memtest

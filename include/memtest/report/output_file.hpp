#pragma once

#include "memtest/base/words.hpp"

#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <string_view>

namespace memtest {

/// How results are written.
enum class Format { csv, json, table };

template<>
inline constexpr std::array<Word<Format>, 3> word_table<Format>{
    {{Format::csv, "csv"}, {Format::json, "json"}, {Format::table, "table"}}};

/// Where results go. A regular file is replaced by a whole result only: a new file beside it, of a name that nobody can
/// foresee, takes what is written until `commit` gives it the file's name. Anything else (standard output, a FIFO, a
/// device) is written directly. Nothing is buffered.
class OutputFile {
public:
    /// Opens it for writing; a FIFO once it has a reader. Follows a symbolic link, which stays. A new file takes the
    /// mode of the one that it replaces, and its owner and group where it may.
    /// @param path none or "-" for standard output; empty to discard what is written
    /// @param interrupted ends the wait for a reader when it becomes true; must outlive the file
    /// @throws Error naming the file when it cannot be written, or its folder cannot hold a new one
    explicit OutputFile(const std::optional<std::string>& path, const std::atomic<bool>& interrupted = never);
    /// Removes what was neither committed nor kept.
    ~OutputFile();

    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    OutputFile(OutputFile&&) = delete;
    OutputFile& operator=(OutputFile&&) = delete;

    /// Whether it is a regular file, not yet committed.
    [[nodiscard]] bool is_file() const { return !temporary_.empty(); }
    /// Whether a person reads along.
    [[nodiscard]] bool is_terminal() const;
    /// Whether what is said on standard error stands on the same terminal.
    [[nodiscard]] bool shows_messages() const;

    /// @throws Error naming the file when it cannot be written, or `interrupted` became true while nobody took it;
    /// with the status closed_pipe where SIGPIPE is ignored and nobody reads it any more
    void write(std::string_view text);

    /// Makes a whole result durable and puts it in the file's place. @throws Error naming the file
    void commit();

    /// Leaves what was written in FILE.partial, and the file as it was.
    /// @return the name of what was left, valid as long as this; "" where nothing was written, or directly
    std::string_view keep_partial() noexcept;

private:
    static constexpr std::atomic<bool> never{false};

    void open_directly();
    void create_beside();
    void wait_until_writable() const;

    std::string name_;      // of the file, for messages too
    std::string temporary_; // the name of the new file beside it; empty where there is none
    std::string partial_;   // its name at the end where it is not whole
    const std::atomic<bool>& interrupted_;
    bool written_ = false;
    int descriptor_ = -1;
};

/// The width of the terminal on standard output; 80 where that is not known.
[[nodiscard]] std::size_t terminal_columns();

} // namespace memtest

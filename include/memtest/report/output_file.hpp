#pragma once

#include "memtest/base/error.hpp"
#include "memtest/base/never_interrupted.hpp"
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

/// Where results go. A regular file is replaced by a complete result only: a new file beside it, with an unpredictable
/// name, takes what is written until `commit` gives it the file's name. Anything else (standard output, a descriptor
/// named /dev/fd/N, a FIFO, a device) is written directly. Nothing is buffered.
class OutputFile {
public:
    /// Opens it for writing; a FIFO once it has a reader. A file behind symbolic links is replaced where it lies. A new
    /// file takes the mode of the one that it replaces, and its owner and group where permitted.
    /// @param path none or "-" for standard output; empty to discard what is written
    /// @param interrupted ends the wait for a reader when it becomes true; must outlive the file
    /// @throws Error naming the file when it cannot be written, or its folder cannot hold a new one
    explicit OutputFile(const std::optional<std::string>& path,
                        const std::atomic<bool>& interrupted = never_interrupted);
    /// Removes what was neither committed nor kept.
    ~OutputFile();

    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    OutputFile(OutputFile&&) = delete;
    OutputFile& operator=(OutputFile&&) = delete;

    /// Whether it is a regular file, not yet committed.
    [[nodiscard]] bool is_file() const { return !temporary_.empty(); }
    /// Whether it is a terminal, which a person reads.
    [[nodiscard]] bool is_terminal() const;
    /// Whether standard error is the same terminal.
    [[nodiscard]] bool shows_messages() const;

    /// @throws Error naming the file when it cannot be written, or `interrupted` became true while its reader took
    /// nothing; with the status closed_pipe where SIGPIPE is ignored and the reader has gone
    void write(std::string_view text);

    /// Makes a complete result durable and gives it the file's name. @throws Error naming the file
    void commit();

    /// Leaves what was written in FILE.partial, or FILE.partial.1 and so on where that exists, and FILE as it was.
    /// @return that name, valid as long as this; "" where what was written is lost, because the folder was removed;
    /// none where nothing was written, or directly
    std::optional<std::string_view> keep_partial() noexcept;

    /// Calls keep_partial() on every open file of the process, and `tell` with what that returns. For a signal handler
    /// that ends the program: a thread that then disposes of such a file waits for the end.
    static void keep_all_partial(void (*tell)(std::optional<std::string_view> name) noexcept) noexcept;

private:
    void open_directly();
    void duplicate(int descriptor);
    void create_beside();
    void wait_until_writable() const;
    void enter_list() noexcept;
    void leave_list() noexcept;
    std::optional<std::string_view> rename_to_partial() noexcept;

    std::string name_;      // of the file, for messages too
    std::string temporary_; // the name of the new file beside it; empty where there is none
    std::string partial_;   // its name at the end where it is incomplete
    const std::atomic<bool>& interrupted_;
    std::atomic<bool> written_ = false;
    int descriptor_ = -1;
};

/// The width of the terminal behind a descriptor; 80 where that is not known.
[[nodiscard]] std::size_t terminal_columns(int descriptor = 1);

} // namespace memtest

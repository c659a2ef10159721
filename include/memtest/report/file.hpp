#pragma once

#include "memtest/base/words.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>

namespace memtest {

/// A stored result as a stream; `-` is standard input. Reading throws an Error where the system refuses, and (usage)
/// where there is more than any result holds: the input may not end.
class InputFile : private std::streambuf {
public:
    /// @throws Error (usage) when it cannot be opened
    explicit InputFile(const std::string& path);

    [[nodiscard]] std::istream& stream() { return stream_; }
    [[nodiscard]] const std::string& name() const { return name_; } ///< for messages

    /// What comes next, up to 64 KiB, which stays to be read.
    [[nodiscard]] std::string_view head();

private:
    struct Close {
        void operator()(std::FILE* file) const;
    };

    int_type underflow() override;

    std::string name_;
    std::unique_ptr<std::FILE, Close> file_;
    std::size_t taken_ = 0;
    std::array<char, std::size_t{64} * 1024> buffer_{};
    std::istream stream_{this};
};

/// Skips the mark that some editors put ahead of UTF-8. @throws Error (usage) for text in UTF-16
void skip_byte_order_mark(std::istream& in, const std::string& name);

/// Called with each line, without its end, and its number from 1.
using LineSink = std::function<void(std::string_view line, std::size_t number)>;

/// @return whether the last line has no end: then it may be cut, and is left out
/// @throws Error when the file cannot be read; Error (usage) for a line longer than any result has
[[nodiscard]] bool read_lines(std::istream& in, const std::string& name, const LineSink& sink);

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
    /// @param path none or "-" for standard output
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

} // namespace memtest

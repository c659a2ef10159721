#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>

namespace memtest {

/// Where results go. A regular file is replaced by a whole result only: what is written goes to a new file beside it,
/// under a name that nobody can foresee, until `commit` gives it the file's name. Anything else (standard output, a
/// FIFO, a device) is written directly. Whatever is written has left the program when `write` returns.
class OutputFile {
public:
    /// Opens it for writing; a FIFO once it has a reader. Where `path` is a symbolic link, the file is the one that it
    /// leads to, and the link stays. A new file has the mode of the one that it is to replace.
    /// @param path none or "-" for standard output
    /// @param interrupted ends the wait for a reader when it becomes true; must outlive the file
    /// @throws Error naming the file when it cannot be written, or its folder cannot hold a new one
    explicit OutputFile(const std::optional<std::string>& path, const std::atomic<bool>& interrupted = never);
    /// What was neither committed nor kept is removed.
    ~OutputFile();

    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    OutputFile(OutputFile&&) = delete;
    OutputFile& operator=(OutputFile&&) = delete;

    /// @throws Error naming the file when it cannot be written, or is not taken and `interrupted` became true
    void write(std::string_view text);

    /// The result is whole: makes it durable and puts it in the file's place. @throws Error naming the file
    void commit();

    /// The result is not whole: leaves what was written in FILE.partial, and the file as it was.
    /// @return the name of what was left, for as long as this lives; "" where nothing was written, or it was written
    /// directly
    std::string_view keep_partial() noexcept;

private:
    static constexpr std::atomic<bool> never{false};

    void open_directly();
    void create_beside();
    void wait_until_writable() const;

    std::string name_;      // of the file, for messages too
    std::string temporary_; // of the new file beside it; empty where there is none, or no longer
    std::string partial_;   // what that is called at the end where it is not whole
    const std::atomic<bool>& interrupted_;
    bool written_ = false;
    int descriptor_ = -1;
};

} // namespace memtest

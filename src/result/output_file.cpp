#include "memtest/result/output_file.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/machine/descriptor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

namespace memtest {
namespace {

namespace fs = std::filesystem;

constexpr int look_every_ms = 300; // how often to check for an interruption while waiting for a reader

Error cannot_write(const std::string& name) {
    const ExitStatus status = errno == EPIPE ? ExitStatus::closed_pipe : ExitStatus::failure;
    return Error(fmt::format("cannot write to {}: {}", name, system_reason()), status);
}

/// Whether a folder holds the open files of a process, under their numbers.
bool is_of_descriptors(const fs::path& folder) {
    return folder.filename() == "fd" && folder.string().starts_with("/proc/");
}

/// The number of this process's descriptor that a path names, as /proc/self/fd/1 does when followed.
std::optional<int> own_descriptor(const fs::path& path) {
    std::error_code error;
    const std::string own = fs::canonical("/proc/self", error).string() + "/"; // its threads' folders are below it
    const bool is_own = is_of_descriptors(path.parent_path()) && path.string().starts_with(own);
    return is_own && !error ? parse_number<int>(path.filename().string()) : std::nullopt;
}

/// Whether a name stands for something that cannot be replaced by a file.
bool is_written_directly(const std::string& name, const fs::path& place) {
    struct stat named {};
    return stat(name.c_str(), &named) == 0 && (!S_ISREG(named.st_mode) || is_of_descriptors(place.parent_path()));
}

/// The mode of the existing file; none if there is none. @throws Error if it must not be written
std::optional<mode_t> mode_of(const std::string& name) {
    const int descriptor = open(name.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0 && errno == ENOENT)
        return std::nullopt;
    if (descriptor < 0)
        throw cannot_write(name);
    struct stat there {};
    fstat(descriptor, &there);
    close(descriptor);
    return there.st_mode & 0777;
}

/// The target of a name's symbolic links: a path whose last part is no link, except one in /proc that stands for an
/// open file. Leaves a missing folder for open() to report.
fs::path without_links(fs::path name) {
    constexpr int most_links = 40; // as in Linux
    std::error_code error;
    for (int links = 0; links < most_links; ++links) {
        const fs::path folder = fs::canonical(name.has_parent_path() ? name.parent_path() : ".", error);
        if (error || is_of_descriptors(folder) || !fs::is_symlink(fs::symlink_status(name, error)))
            return error ? name : folder / name.filename();
        name = folder / fs::read_symlink(name, error);
    }
    return name;
}

} // namespace

OutputFile::OutputFile(const std::optional<std::string>& path, const std::atomic<bool>& interrupted)
    : name_(path.value_or("-")), interrupted_(interrupted) {
    if (name_ == "-") {
        name_ = "standard output";
        descriptor_ = STDOUT_FILENO;
        return;
    }
    if (name_.empty())
        return; // it stays in memory
    const fs::path place = without_links(name_);
    if (const auto own = own_descriptor(place)) {
        duplicate(*own);
    } else if (is_written_directly(name_, place)) {
        open_directly();
    } else {
        std::error_code error; // create_beside() reports it
        if (fs::is_symlink(name_, error))
            name_ = place;
        create_beside();
    }
}

OutputFile::~OutputFile() {
    if (is_in_place())
        unlink(partial_.c_str());
    if (descriptor_ != STDOUT_FILENO)
        close(descriptor_);
}

/// Shares the offset and the flags of the open descriptor: what it holds stays, and `>>` appends.
void OutputFile::duplicate(int descriptor) {
    const int flags = fcntl(descriptor, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY)
        errno = EBADF;
    else if (flags >= 0)
        descriptor_ = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (descriptor_ < 0)
        throw cannot_write(name_);
}

void OutputFile::open_directly() {
    // Without O_NONBLOCK, open() would wait for a FIFO's reader, and miss a signal that arrived just before.
    constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY | O_NONBLOCK | O_CLOEXEC;
    while ((descriptor_ = open(name_.c_str(), flags, 0666)) < 0) {
        const bool lacks_reader = errno == ENXIO && fs::is_fifo(name_);
        if (!lacks_reader)
            throw cannot_write(name_);
        if (interrupted_)
            throw Error(fmt::format("cannot write to {}: interrupted while it had no reader", name_));
        poll(nullptr, 0, look_every_ms);
    }
}

void OutputFile::create_beside() {
    const auto old_mode = mode_of(name_);
    std::string partial = name_ + ".partial";
    // A run holds a lock on the file that it writes.
    const Descriptor there(open(partial.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (flock(there.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        throw Error(fmt::format("cannot write to {}: another run is writing {}", name_, partial));
    unlink(partial.c_str());
    // O_EXCL follows no link that another program has put there meanwhile.
    descriptor_ = open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, old_mode.value_or(0666));
    if (descriptor_ < 0)
        throw old_mode ? Error(fmt::format("cannot write {}, to replace {}: {}", partial, name_, system_reason()))
                       : cannot_write(errno == EEXIST ? partial : name_);
    static_cast<void>(flock(descriptor_, LOCK_EX | LOCK_NB));
    partial_ = std::move(partial);
    if (old_mode)
        static_cast<void>(fchmod(descriptor_, *old_mode));
}

bool OutputFile::is_in_place() const noexcept {
    struct stat written {};
    struct stat named {};
    return is_file() && fstat(descriptor_, &written) == 0 && stat(partial_.c_str(), &named) == 0 &&
           written.st_dev == named.st_dev && written.st_ino == named.st_ino;
}

void OutputFile::wait_until_writable() const {
    pollfd polled{.fd = descriptor_, .events = POLLOUT, .revents = 0};
    int ready = 0;
    while (ready == 0 || (ready < 0 && errno == EINTR)) {
        ready = poll(&polled, 1, look_every_ms);
        if (ready == 0 && interrupted_)
            throw Error(fmt::format("cannot write to {}: interrupted while its reader took nothing", name_));
    }
}

bool OutputFile::is_terminal() const {
    return isatty(descriptor_) == 1;
}

bool OutputFile::shows_messages() const {
    struct stat output {};
    struct stat messages {};
    return is_terminal() && fstat(descriptor_, &output) == 0 && fstat(STDERR_FILENO, &messages) == 0 &&
           output.st_rdev == messages.st_rdev;
}

void OutputFile::write(std::string_view text) {
    if (name_.empty())
        text_ += text;
    const off_t end = bytes_ + static_cast<off_t>(text.size());
    while (!text.empty() && descriptor_ >= 0) {
        wait_until_writable();
        // A pipe takes this many bytes without waiting.
        const ssize_t bytes = ::write(descriptor_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
        if (bytes >= 0) {
            text.remove_prefix(static_cast<std::size_t>(bytes));
        } else if (errno != EINTR && errno != EAGAIN) {
            Error reason = cannot_write(name_); // before errno changes
            take_back(0);
            throw reason;
        }
    }
    bytes_ = end;
}

void OutputFile::take_back(std::size_t bytes) {
    if (!is_file())
        return;
    bytes_ -= static_cast<off_t>(bytes);
    if (ftruncate(descriptor_, bytes_) == 0)
        lseek(descriptor_, bytes_, SEEK_SET);
}

void OutputFile::commit() {
    if (!is_file())
        return;
    if (fsync(descriptor_) != 0)
        throw cannot_write(name_);
    if (!is_in_place())
        throw Error(fmt::format("cannot write to {}: {} was removed or replaced meanwhile", name_, partial_));
    if (std::rename(partial_.c_str(), name_.c_str()) != 0)
        throw cannot_write(name_);
    partial_.clear();
}

std::optional<std::string> OutputFile::keep_partial() noexcept {
    if (!is_file() || bytes_ == 0)
        return std::nullopt;
    const bool is_kept = is_in_place();
    std::string name = std::exchange(partial_, {});
    return is_kept ? std::move(name) : "";
}

std::size_t terminal_columns(int descriptor) {
    constexpr std::size_t usual = 80;
    winsize size{};
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual;
}

} // namespace memtest

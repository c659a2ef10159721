#include "memtest/report/output_file.hpp"

#include "memtest/base/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace memtest {
namespace {

constexpr int look_every_ms = 300; // for an interruption, while waiting for a reader

Error cannot_write(const std::string& name) {
    const ExitStatus status = errno == EPIPE ? ExitStatus::closed_pipe : ExitStatus::failure;
    return Error(fmt::format("cannot write {}: {}", name, system_reason()), status);
}

/// Whether something is there that no file can replace. A symbolic link that leads nowhere is: its file is created
/// through it.
bool is_no_file(const std::string& name) {
    struct stat there {};
    if (stat(name.c_str(), &there) == 0)
        return !S_ISREG(there.st_mode);
    return lstat(name.c_str(), &there) == 0;
}

mode_t mode_of_new_files() {
    const mode_t mask = umask(0); // it can only be read by setting it
    umask(mask);
    return 0666 & ~mask;
}

/// The file that is there; none where there is none. @throws Error when it must not be written
std::optional<struct stat> file_called(const std::string& name) {
    const int descriptor = open(name.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0 && errno == ENOENT)
        return std::nullopt;
    if (descriptor < 0)
        throw cannot_write(name);
    struct stat there {};
    fstat(descriptor, &there);
    close(descriptor);
    return there;
}

/// Gives a new file the mode of the old one, and its owner and group where the system lets them be given.
void make_alike(int descriptor, const struct stat& old) {
    constexpr auto same_owner = static_cast<uid_t>(-1);
    [[maybe_unused]] const bool given =
        fchown(descriptor, old.st_uid, old.st_gid) == 0 || fchown(descriptor, same_owner, old.st_gid) == 0;
    static_cast<void>(fchmod(descriptor, old.st_mode & 0777));
}

} // namespace

OutputFile::OutputFile(const std::optional<std::string>& path, const std::atomic<bool>& interrupted)
    : name_(path.value_or("-")), interrupted_(interrupted) {
    if (name_ == "-") {
        name_ = "standard output";
        descriptor_ = STDOUT_FILENO;
    } else if (name_.empty()) {
        return; // nothing to open
    } else if (is_no_file(name_)) {
        open_directly();
    } else {
        create_beside();
    }
}

OutputFile::~OutputFile() {
    if (!temporary_.empty())
        unlink(temporary_.c_str());
    if (descriptor_ != STDOUT_FILENO)
        close(descriptor_);
}

void OutputFile::open_directly() {
    // Without O_NONBLOCK, a FIFO would wait for its reader here, and a signal just before would go unheeded.
    constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY | O_NONBLOCK | O_CLOEXEC;
    while ((descriptor_ = open(name_.c_str(), flags, 0666)) < 0) {
        const bool lacks_reader = errno == ENXIO && std::filesystem::is_fifo(name_);
        if (!lacks_reader)
            throw cannot_write(name_);
        if (interrupted_)
            throw Error(fmt::format("cannot write {}: interrupted while it had no reader", name_));
        poll(nullptr, 0, look_every_ms);
    }
}

void OutputFile::create_beside() {
    const auto old = file_called(name_);
    if (std::filesystem::is_symlink(name_))
        name_ = std::filesystem::canonical(name_);
    partial_ = name_ + ".partial";
    std::string unforeseen = name_ + ".XXXXXX";
    descriptor_ = mkostemp(unforeseen.data(), O_CLOEXEC);
    if (descriptor_ < 0)
        throw old ? Error(fmt::format("cannot write a new file beside {}, to replace it: {}", name_, system_reason()))
                  : cannot_write(name_);
    temporary_ = std::move(unforeseen);
    if (old)
        make_alike(descriptor_, *old);
    else
        static_cast<void>(fchmod(descriptor_, mode_of_new_files()));
}

void OutputFile::wait_until_writable() const {
    pollfd polled{.fd = descriptor_, .events = POLLOUT, .revents = 0};
    int ready = 0;
    while (ready == 0 || (ready < 0 && errno == EINTR)) {
        ready = poll(&polled, 1, look_every_ms);
        if (ready == 0 && interrupted_)
            throw Error(fmt::format("cannot write {}: interrupted while its reader took nothing", name_));
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
    while (!text.empty() && descriptor_ >= 0) {
        wait_until_writable();
        // A pipe takes so much without waiting.
        const ssize_t bytes = ::write(descriptor_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
        if (bytes >= 0) {
            text.remove_prefix(static_cast<std::size_t>(bytes));
            written_ = true;
        } else if (errno != EINTR && errno != EAGAIN) {
            throw cannot_write(name_);
        }
    }
}

void OutputFile::commit() {
    if (temporary_.empty())
        return;
    if (fsync(descriptor_) != 0 || std::rename(temporary_.c_str(), name_.c_str()) != 0)
        throw cannot_write(name_);
    temporary_.clear();
}

std::string_view OutputFile::keep_partial() noexcept {
    if (temporary_.empty() || !written_)
        return "";
    if (std::rename(temporary_.c_str(), partial_.c_str()) != 0)
        partial_.swap(temporary_); // it keeps its name
    temporary_.clear();
    return partial_;
}

std::size_t terminal_columns() {
    constexpr std::size_t usual = 80;
    winsize size{};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual;
}

} // namespace memtest

#include "memtest/plot/gnuplot_process.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/report/output_file.hpp"

#include <fmt/format.h>

#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <system_error>

namespace memtest {
namespace {

Error failure(std::string_view what, int error) {
    return Error(fmt::format("{}: {}", what, std::generic_category().message(error)));
}

Error missing() {
    return Error(
        "gnuplot is missing: install gnuplot-nox (apt) or gnuplot (dnf, pacman, apk), or let a machine that has it "
        "run what 'memtest plot FILE' prints");
}

/// A file without a name. Unlike a pipe it never blocks the writer.
class MemoryFile {
public:
    MemoryFile() : descriptor_(memfd_create("memtest-plot", MFD_CLOEXEC)) {
        if (descriptor_ < 0)
            throw failure("no memory for a plot", errno);
    }
    ~MemoryFile() { close(descriptor_); }

    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    MemoryFile(MemoryFile&&) = delete;
    MemoryFile& operator=(MemoryFile&&) = delete;

    [[nodiscard]] int descriptor() const { return descriptor_; }

    /// Fills it, to be read from its start.
    void fill(std::string_view text) const {
        while (!text.empty()) {
            const ssize_t written = write(descriptor_, text.data(), text.size());
            if (written < 0 && errno != EINTR)
                throw failure("no memory for a plot", errno);
            if (written > 0)
                text.remove_prefix(static_cast<std::size_t>(written));
        }
        lseek(descriptor_, 0, SEEK_SET);
    }

    [[nodiscard]] std::string contents() const {
        const off_t bytes = lseek(descriptor_, 0, SEEK_END);
        std::string all(static_cast<std::size_t>(std::max<off_t>(bytes, 0)), '\0');
        if (bytes < 0 || pread(descriptor_, all.data(), all.size(), 0) != static_cast<ssize_t>(all.size()))
            throw failure("cannot read what gnuplot has drawn", errno);
        return all;
    }

private:
    int descriptor_;
};

/// @return the status as waitpid() gives it
int run_and_wait(const MemoryFile& in, const MemoryFile& out, const MemoryFile& messages) {
    // Default settings only: ~/.gnuplot is made for other plots, and gnuplot 5.4 crashes where GNUTERM names a terminal
    // that it does not have.
    unsetenv("GNUTERM");
    std::string name = "gnuplot";
    std::string defaults = "-d";
    const std::array<char*, 3> arguments{name.data(), defaults.data(), nullptr};
    posix_spawn_file_actions_t streams{};
    posix_spawn_file_actions_init(&streams);
    posix_spawn_file_actions_adddup2(&streams, in.descriptor(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&streams, out.descriptor(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&streams, messages.descriptor(), STDERR_FILENO);
    posix_spawnattr_t attributes{}; // gnuplot does not look for write errors
    sigset_t of_writes{};
    sigemptyset(&of_writes);
    sigaddset(&of_writes, SIGPIPE);
    sigaddset(&of_writes, SIGXFSZ);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &of_writes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    pid_t child = 0;
    const int error = posix_spawnp(&child, name.c_str(), &streams, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&streams);
    if (error == ENOENT)
        throw missing();
    if (error != 0)
        throw failure("gnuplot cannot be started", error);
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            throw failure("gnuplot cannot be waited for", errno);
    }
    return status;
}

std::string_view last_line(std::string_view text) {
    text = trimmed(text);
    return text.substr(text.rfind('\n') + 1); // npos + 1 is 0
}

/// As wide as the terminal and not higher; a default area where standard output is none.
TextArea text_area() {
    TextArea area;
    winsize window{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0)
        return area;
    if (window.ws_col >= 40)
        area.columns = window.ws_col;
    if (window.ws_row >= 18)
        area.lines = window.ws_row - std::size_t{2};
    area.lines = std::min(area.lines, area.columns * 2 / 5); // a character is about twice as high as wide
    return area;
}

/// Without the form feeds of gnuplot's text plots, and without blanks at the ends of lines.
std::string tidied(std::string drawn) {
    std::erase(drawn, '\f');
    std::istringstream lines(drawn);
    std::string text;
    for (std::string line; std::getline(lines, line);)
        text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n'; // npos + 1 is 0
    return text;
}

/// The standard output of gnuplot for a program.
std::string run_gnuplot(const std::string& program) {
    const MemoryFile in;
    const MemoryFile out;
    const MemoryFile messages;
    in.fill(program);
    const int status = run_and_wait(in, out, messages);
    std::string drawn = out.contents();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) // how emulators report a missing program
        throw missing();
    if (WIFSIGNALED(status))
        throw Error(fmt::format("gnuplot was ended by signal {}", WTERMSIG(status)));
    if (status != 0 || drawn.empty()) {
        const std::string said = messages.contents();
        throw Error(fmt::format("gnuplot failed: {}", said.empty() ? "it drew nothing" : last_line(said)));
    }
    return drawn;
}

} // namespace

std::string drawn_in_characters(const SizePlot& plot) {
    return tidied(run_gnuplot(text_program(plot, text_area())));
}

void write_drawn(const std::string& program, const std::string& path) {
    const std::string drawn = run_gnuplot(program);
    OutputFile output(path);
    output.write(drawn);
    output.commit();
}

} // namespace memtest

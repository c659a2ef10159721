#include "memtest/show/gnuplot_process.hpp"

#include "memtest/base/text.hpp"
#include "memtest/machine/descriptor.hpp"
#include "memtest/result/output_file.hpp"

#include <fmt/format.h>

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <vector>

namespace memtest {
namespace {

Error missing() {
    return Error(
        "gnuplot is missing: install gnuplot-nox (apt) or gnuplot (dnf, pacman, apk), or let a machine that has it "
        "run the program of 'memtest plot -o FILE.gp'");
}

Error not_started() {
    return Error(fmt::format("gnuplot cannot be started: {}", system_reason()));
}

/// A file in memory in place of a stream of gnuplot, so that neither waits for the other.
class StreamFile {
public:
    StreamFile() : file_(memfd_create("gnuplot", MFD_CLOEXEC)) {
        if (file_.number() < 0)
            throw not_started();
    }

    [[nodiscard]] int descriptor() const { return file_.number(); }
    [[nodiscard]] std::size_t size() const {
        struct stat facts {};
        fstat(file_.number(), &facts);
        return static_cast<std::size_t>(facts.st_size);
    }
    [[nodiscard]] std::string text() const {
        std::string text(size(), '\0');
        const ssize_t bytes = pread(file_.number(), text.data(), text.size(), 0);
        text.resize(static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
        return text;
    }

private:
    Descriptor file_;
};

/// A gnuplot at work, which is killed with all that it started if this ends first.
class Gnuplot {
public:
    explicit Gnuplot(const std::string& program) {
        // At offset 0, so that gnuplot reads from there.
        if (pwrite(program_.descriptor(), program.data(), program.size(), 0) != static_cast<ssize_t>(program.size()))
            throw not_started();
        const pid_t parent = getpid();
        child_ = fork(); // NOLINT(cppcoreguidelines-prefer-member-initializer): the files come first
        if (child_ < 0)
            throw not_started();
        if (child_ == 0)
            become_gnuplot(parent);
    }
    ~Gnuplot() {
        if (child_ <= 0)
            return;
        kill(-child_, SIGKILL);
        kill(child_, SIGKILL); // in case it has no group yet
        while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }

    Gnuplot(const Gnuplot&) = delete;
    Gnuplot& operator=(const Gnuplot&) = delete;
    Gnuplot(Gnuplot&&) = delete;
    Gnuplot& operator=(Gnuplot&&) = delete;

    /// @return whether it has ended; `status` is then as from waitpid() @throws Error if it was never started
    bool has_ended(int& status) {
        if (waitpid(child_, &status, WNOHANG) == 0)
            return false;
        child_ = -1;
        int error = 0;
        if (pread(refusal_.descriptor(), &error, sizeof error, 0) <= 0)
            return true;
        errno = error;
        throw error == ENOENT ? missing() : not_started();
    }

    [[nodiscard]] const StreamFile& drawn() const { return drawn_; }
    [[nodiscard]] const StreamFile& said() const { return said_; }

private:
    /// Runs in the child. Calls nothing that could wait for another thread's lock.
    [[noreturn]] void become_gnuplot(pid_t parent) const {
        dup2(program_.descriptor(), STDIN_FILENO);
        dup2(drawn_.descriptor(), STDOUT_FILENO);
        dup2(said_.descriptor(), STDERR_FILENO);
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) // it has already ended
            _exit(EXIT_FAILURE);
        for (const int signal : {SIGPIPE, SIGXFSZ}) // gnuplot does not look for write errors
            std::signal(signal, SIG_DFL);
        // Default settings only: ~/.gnuplot is made for other plots.
        execlp("gnuplot", "gnuplot", "-d", nullptr);
        [[maybe_unused]] const ssize_t bytes = write(refusal_.descriptor(), &errno, sizeof errno);
        _exit(EXIT_FAILURE);
    }

    StreamFile program_;
    StreamFile drawn_;
    StreamFile said_;
    StreamFile refusal_; // the error of exec
    pid_t child_ = -1;
};

std::string_view last_line(std::string_view text) {
    text = trimmed(text);
    return text.substr(text.rfind('\n') + 1); // npos + 1 is 0
}

/// As wide as the terminal and no higher; a default area if standard output is none.
TextArea text_area() {
    TextArea area;
    winsize window{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0)
        return area;
    constexpr std::size_t fewest_columns = 40; // in fewer there is no room for axis and curve
    if (window.ws_col > 0)
        area.columns = std::max<std::size_t>(window.ws_col, fewest_columns);
    if (window.ws_row >= 18)
        area.lines = window.ws_row - std::size_t{2};
    area.lines = std::min(area.lines, area.columns * 2 / 5); // a character is about twice as high as wide
    return area;
}

/// Without the form feeds of gnuplot's text plots, and without trailing blanks.
std::string tidied(std::string drawn) {
    std::erase(drawn, '\f');
    std::istringstream lines(drawn);
    std::string text;
    for (std::string line; std::getline(lines, line);)
        text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n'; // npos + 1 is 0
    return text;
}

} // namespace

std::string run_gnuplot(const std::string& program, const GnuplotLimits& limits) {
    constexpr std::size_t most_bytes = std::size_t{64} << 20U;
    constexpr int look_every_ms = 5;
    const auto end = std::chrono::steady_clock::now() + limits.time;
    unsetenv("GNUTERM"); // gnuplot 5.4 crashes if it names a terminal that it lacks
    Gnuplot gnuplot(program);
    int status = 0;
    while (!gnuplot.has_ended(status)) {
        if (limits.interrupted)
            throw Error("interrupted while gnuplot was at work");
        if (std::chrono::steady_clock::now() > end)
            throw Error(
                fmt::format("gnuplot did not end within {} s", std::chrono::duration<double>(limits.time).count()));
        if (gnuplot.drawn().size() + gnuplot.said().size() > most_bytes)
            throw Error(fmt::format("gnuplot failed: it wrote more than {} bytes", most_bytes));
        poll(nullptr, 0, look_every_ms);
    }
    std::string drawn = gnuplot.drawn().text();
    const std::string said = gnuplot.said().text();
    if (WIFSIGNALED(status))
        throw Error(fmt::format("gnuplot was ended by signal {}", WTERMSIG(status)));
    if (status != 0 || drawn.empty())
        throw Error(fmt::format("gnuplot failed: {}", trimmed(said).empty() ? "it drew nothing" : last_line(said)));
    return drawn;
}

std::string drawn_in_characters(const SizePlot& plot, const GnuplotLimits& limits) {
    constexpr std::size_t fewest_lines = 14;
    TextArea area = text_area();
    const std::vector<std::string> legend = text_legend(plot, area.columns);
    area.lines = std::max(fewest_lines, area.lines - std::min(area.lines, legend.size()));
    return tidied(run_gnuplot(text_program(plot, area), limits)) +
           joined(legend, "", [](const std::string& line) { return line + "\n"; });
}

void write_drawn(const std::string& program, const std::string& path, const GnuplotLimits& limits) {
    const std::string drawn = run_gnuplot(program, limits);
    OutputFile output(path, limits.interrupted);
    output.write(drawn);
    output.commit();
}

} // namespace memtest

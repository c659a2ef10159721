#include "memtest/show/gnuplot_process.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/result/output_file.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace memtest {
namespace {

Error missing() {
    return Error(
        "gnuplot is missing: install gnuplot-nox (apt) or gnuplot (dnf, pacman, apk), or let a machine that has it "
        "run the program of 'memtest plot -o FILE.gp'");
}

Error failure(std::string_view what) {
    return Error(fmt::format("{}: {}", what, system_reason()));
}

/// A file descriptor that only this process has.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() { reset(); }

    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }

    [[nodiscard]] int number() const { return number_; }
    [[nodiscard]] bool is_open() const { return number_ >= 0; }
    void reset() {
        if (is_open())
            close(std::exchange(number_, -1));
    }

private:
    int number_ = -1;
};

struct Pipe {
    Descriptor out; ///< to read from
    Descriptor in;  ///< to write to
};

/// Neither end is one of the standard streams, which the child replaces. This process's ends never block.
Pipe new_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        throw failure("no pipe to gnuplot");
    return {.out = Descriptor(ends[0]), .in = Descriptor(ends[1])};
}

/// A running gnuplot, in its own process group; the destructor kills it with everything that it started.
class Gnuplot {
public:
    Gnuplot() {
        Pipe input = new_pipe();
        Pipe output = new_pipe();
        Pipe messages = new_pipe();
        Pipe refusal = new_pipe(); // closed by exec
        const pid_t parent = getpid();
        child_ = fork(); // NOLINT(cppcoreguidelines-prefer-member-initializer): the pipes come first
        if (child_ < 0)
            throw failure("gnuplot cannot be started");
        if (child_ == 0)
            become_gnuplot(parent, {input.out.number(), output.in.number(), messages.in.number()}, refusal.in.number());
        input_ = std::move(input.in);
        output_ = std::move(output.out);
        messages_ = std::move(messages.out);
        for (const Descriptor* end : {&input_, &output_, &messages_})
            fcntl(end->number(), F_SETFL, O_NONBLOCK);
        refusal.in.reset();
        int error = 0;
        while (read(refusal.out.number(), &error, sizeof error) < 0 && errno == EINTR) {
        }
        if (error != 0)
            end();
        if (error == ENOENT)
            throw missing();
        errno = error;
        if (error != 0)
            throw failure("gnuplot cannot be started");
    }
    ~Gnuplot() { end(); }

    Gnuplot(const Gnuplot&) = delete;
    Gnuplot& operator=(const Gnuplot&) = delete;
    Gnuplot(Gnuplot&&) = delete;
    Gnuplot& operator=(Gnuplot&&) = delete;

    /// Writes as much of the program as it accepts, which is removed from `program`, and appends its new output.
    /// @return whether it may write more
    bool exchange(std::string_view& program, std::string& drawn, std::string& said, int wait_ms) {
        std::array<pollfd, 3> ends{{{.fd = input_.number(), .events = POLLOUT, .revents = {}},
                                    {.fd = output_.number(), .events = POLLIN, .revents = {}},
                                    {.fd = messages_.number(), .events = POLLIN, .revents = {}}}};
        if (poll(ends.data(), ends.size(), wait_ms) < 0)
            return true;          // a signal came
        if (ends[0].revents != 0) // a closed one has no events
            give(program);
        if (ends[1].revents != 0)
            take(output_, drawn);
        if (ends[2].revents != 0)
            take(messages_, said);
        return output_.is_open() || messages_.is_open();
    }

    /// @return whether it has ended; `status` is then as from waitpid()
    bool has_ended(int& status) {
        if (waitpid(child_, &status, WNOHANG) == 0)
            return false;
        child_ = -1;
        return true;
    }

private:
    /// Runs in the child. Calls nothing that could wait for another thread's lock.
    [[noreturn]] static void become_gnuplot(pid_t parent, const std::array<int, 3>& streams, int refusal) {
        for (int stream = 0; stream < 3; ++stream)
            dup2(streams.at(static_cast<std::size_t>(stream)), stream);
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) // it has already ended
            _exit(EXIT_FAILURE);
        for (const int signal : {SIGPIPE, SIGXFSZ}) // gnuplot does not look for write errors
            std::signal(signal, SIG_DFL);
        // Default settings only: ~/.gnuplot is made for other plots.
        execlp("gnuplot", "gnuplot", "-d", nullptr);
        const int error = errno;
        [[maybe_unused]] const ssize_t bytes = write(refusal, &error, sizeof error);
        _exit(EXIT_FAILURE);
    }

    /// Like take(), after poll() has found that the call will not wait.
    void give(std::string_view& program) {
        const ssize_t bytes = write(input_.number(), program.data(), program.size());
        if (bytes > 0)
            program.remove_prefix(static_cast<std::size_t>(bytes));
        if (program.empty() || bytes < 0) // it may end before reading everything
            input_.reset();
    }

    static void take(Descriptor& from, std::string& text) {
        std::array<char, 1U << 16U> buffer{};
        const ssize_t bytes = read(from.number(), buffer.data(), buffer.size());
        if (bytes > 0)
            text.append(buffer.data(), static_cast<std::size_t>(bytes));
        else
            from.reset();
    }

    void end() const {
        if (child_ <= 0)
            return;
        kill(-child_, SIGKILL);
        kill(child_, SIGKILL); // in case it has no group yet
        while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }

    Descriptor input_;
    Descriptor output_;
    Descriptor messages_;
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
    constexpr int look_every_ms = 100; // to see an interruption that another thread took, and the end
    const auto end = std::chrono::steady_clock::now() + limits.time;
    unsetenv("GNUTERM"); // gnuplot 5.4 crashes if it names a terminal that it lacks
    Gnuplot gnuplot;
    std::string_view rest = program;
    std::string drawn;
    std::string said;
    int status = 0;
    bool is_open = true;
    while (is_open || !gnuplot.has_ended(status)) {
        if (is_open)
            is_open = gnuplot.exchange(rest, drawn, said, look_every_ms);
        else
            poll(nullptr, 0, 1);
        if (limits.interrupted)
            throw Error("interrupted while gnuplot was at work");
        if (std::chrono::steady_clock::now() > end)
            throw Error(
                fmt::format("gnuplot did not end within {} s", std::chrono::duration<double>(limits.time).count()));
        if (drawn.size() + said.size() > most_bytes)
            throw Error(fmt::format("gnuplot failed: it wrote more than {} bytes", most_bytes));
    }
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

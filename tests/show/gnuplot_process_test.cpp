#include "memtest/show/gnuplot_process.hpp"

#include "memtest/base/error.hpp"
#include "support/refusal.hpp"
#include "support/system_limit.hpp"
#include "support/terminal.hpp"
#include "support/test.hpp"
#include "support/until.hpp"

#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

namespace memtest {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds never_reached(100);

/// Commands of a shell in place of gnuplot.
class GnuplotProcess : public testing::Test {
protected:
    GnuplotProcess() {
        std::string name = (fs::temp_directory_path() / "memtest-gnuplot-XXXXXX").string();
        folder_ = mkdtemp(name.data());
        setenv("PATH", (folder_ + ":" + path_).c_str(), 1);
        std::signal(SIGPIPE, SIG_IGN); // as the program does: gnuplot may end before it has read everything
    }
    ~GnuplotProcess() override {
        std::signal(SIGPIPE, SIG_DFL);
        setenv("PATH", path_.c_str(), 1);
        fs::remove_all(folder_);
    }

    void act_as_gnuplot(const std::string& commands) const {
        const std::string file = folder_ + "/gnuplot";
        std::ofstream(file) << "#!/bin/sh\ncd '" << folder_ << "'\n" << commands << '\n';
        fs::permissions(file, fs::perms(0700));
    }
    /// A file in the folder of the commands.
    [[nodiscard]] std::string text(const std::string& name) const {
        std::ifstream file(folder_ + "/" + name);
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }
    [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }

private:
    std::string path_ = std::getenv("PATH");
    std::string folder_;
};

std::string failure_of(const std::string& program, const GnuplotLimits& limits) {
    try {
        return "drew " + run_gnuplot(program, limits);
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), ExitStatus::failure);
        return error.what();
    }
}

/// Whether a process runs. One that nobody waits for may stay as a zombie.
bool is_alive(const std::string& process) {
    std::ifstream file("/proc/" + std::to_string(std::stoi(process)) + "/stat");
    std::string number;
    std::string name;
    std::string state;
    file >> number >> name >> state;
    return !state.empty() && state != "Z" && state != "X";
}

TEST_F(GnuplotProcess, GetsTheProgramAndGivesWhatItDraws) {
    act_as_gnuplot("cat; cat; echo \"$@\"; echo said >&2");
    const std::string program(3'000'000, 'x'); // more than a pipe holds
    EXPECT_EQ(run_gnuplot(program, {.time = never_reached}), program + "-d\n");
}

TEST_F(GnuplotProcess, EndsAtAWriteErrorAndKnowsNoTerminalOfTheCaller) {
    std::signal(SIGXFSZ, SIG_IGN); // as the program does, like SIGPIPE
    setenv("GNUTERM", "x11", 1);
    act_as_gnuplot("cat >/dev/null; echo \"${GNUTERM-none}\"; sed -n \"s/^SigIgn:.//p\" /proc/self/status");
    const std::string drawn = run_gnuplot("program", {.time = never_reached});
    std::signal(SIGXFSZ, SIG_DFL);
    unsetenv("GNUTERM");
    const std::size_t end = drawn.find('\n');
    EXPECT_EQ(drawn.substr(0, end), "none");
    const std::uint64_t ignored = std::stoull(drawn.substr(end + 1), nullptr, 16);
    for (const int signal : {SIGPIPE, SIGXFSZ})
        EXPECT_EQ(ignored >> (signal - 1) & 1U, 0U) << signal;
}

#ifndef MEMTEST_SANITIZED // which opens a pipe to look at an exception
TEST_F(GnuplotProcess, IsNotStartedWithoutFilesForItsStreams) {
    act_as_gnuplot("echo drawn");
    std::string message;
    {
        const SystemLimit none(RLIMIT_NOFILE, 0);
        message = failure_of("program", {.time = never_reached});
    }
    EXPECT_NE(message.find(std::generic_category().message(EMFILE)), std::string::npos) << message;
}
#endif

TEST_F(GnuplotProcess, NeedNotReadItsProgram) {
    act_as_gnuplot("echo drawn");
    EXPECT_EQ(run_gnuplot(std::string(3'000'000, 'x'), {.time = never_reached}), "drawn\n");
    act_as_gnuplot("printf a; sleep 0.1; printf b");
    EXPECT_EQ(run_gnuplot("program", {.time = never_reached}), "ab") << "a byte at a time";
}

TEST_F(GnuplotProcess, ThatHangsIsKilledOnceItsTimeIsOver) {
    act_as_gnuplot("exec sleep 1000");
    const std::string message = failure_of("program", {.time = std::chrono::milliseconds(10)});
    EXPECT_NE(message.find("0.01 s"), std::string::npos) << message;
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
}

TEST_F(GnuplotProcess, ThatHangsIsKilledWithWhatItStartedWhereTheRunIsInterrupted) {
    for (const std::string hangs : {"sleep 1000", "exec >/dev/null 2>&1; sleep 1000", "while :; do :; done"}) {
        act_as_gnuplot("trap '' TERM INT; sleep 1000 & echo $! >started; echo $$ >process; " + hangs);
        std::atomic<bool> interrupted{false};
        const std::jthread interrupts([&] {
            until([&] { return text("process").ends_with('\n'); });
            interrupted = true;
        });
        EXPECT_NE(failure_of("program", {interrupted, never_reached}).find("interrupted"), std::string::npos);
        EXPECT_FALSE(is_alive(text("process"))) << hangs;
        EXPECT_TRUE(until([&] { return !is_alive(text("started")); })) << hangs;
        fs::remove(path("process"));
    }
}

TEST_F(GnuplotProcess, ThatHangsDiesWithTheProcessThatStartedIt) {
    act_as_gnuplot("echo $$ >process; exec sleep 1000");
    const pid_t starter = fork();
    if (starter == 0) {
        static_cast<void>(failure_of("program", {.time = never_reached}));
        _exit(0);
    }
    EXPECT_TRUE(until([&] { return text("process").ends_with('\n'); }));
    kill(starter, SIGKILL);
    waitpid(starter, nullptr, 0);
    EXPECT_TRUE(until([&] { return !is_alive(text("process")); }));
}

TEST_F(GnuplotProcess, ThatBabblesIsKilled) {
    for (const std::string stream : {"", " >&2"}) {
        act_as_gnuplot("while :; do echo " + std::string(1000, 'b') + stream + "; done");
        const std::string message = failure_of("program", {.time = never_reached});
        EXPECT_NE(message.find(" 67108864 bytes"), std::string::npos) << message;
    }
}

TEST_F(GnuplotProcess, ThatFailsIsQuotedWithItsLastLine) {
    for (const std::string status : {"1", "127"}) { // as the dynamic loader ends it, or a shell
        act_as_gnuplot("cat >/dev/null; echo half; echo first >&2; echo no library >&2; exit " + status);
        EXPECT_TRUE(failure_of("program", {.time = never_reached}).ends_with(": no library"));
    }
    act_as_gnuplot("cat >/dev/null; echo half; kill -9 $$");
    EXPECT_NE(failure_of("program", {.time = never_reached}).find("signal 9"), std::string::npos);
    act_as_gnuplot("cat >/dev/null");
    EXPECT_NE(failure_of("program", {.time = never_reached}).find("nothing"), std::string::npos);
}

TEST_F(GnuplotProcess, ThatIsMissingIsToldFromOneThatCannotBeStarted) {
    act_as_gnuplot("echo drawn");
    setenv("PATH", "/nowhere", 1);
    EXPECT_TRUE(mentions(failure_of("program", {.time = never_reached}), {"missing", "gnuplot-nox"}));
    setenv("PATH", path("").c_str(), 1);
    fs::permissions(path("gnuplot"), fs::perms(0600));
    const std::string message = failure_of("program", {.time = never_reached});
    EXPECT_NE(message.find("Permission denied"), std::string::npos) << message;
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
}

/// The first line of the program for a plot in characters of so many curves, on a window of this size.
std::string terminal_on(const winsize& window, std::size_t curves) {
    const Terminal terminal;
    ioctl(terminal.descriptor(), TIOCSWINSZ, &window);
    const SizePlot plot{.title = "title",
                        .quantity = "latency (ns)",
                        .unit = "ns",
                        .curves = std::vector<PlotCurve>(curves, {.name = "one", .points = {{512, 1.0}, {1024, 4.5}}})};
    std::fflush(stdout);
    const Redirected standard_output(STDOUT_FILENO, terminal.descriptor());
    const std::string program = drawn_in_characters(plot, {.time = never_reached});
    return program.substr(0, program.find('\n'));
}

TEST_F(GnuplotProcess, InCharactersFillsTheWidthOfTheTerminalAndLeavesRoomForTheLegend) {
    if (Terminal().path().empty())
        GTEST_SKIP() << "the system gives no terminal";
    act_as_gnuplot("cat");
    struct Case {
        winsize window; ///< rows, then columns
        std::size_t curves;
        const char* size;
    };
    for (const Case& c : std::initializer_list<Case>{{{0, 0, 0, 0}, 1, "80,31"},
                                                     {{50, 120, 0, 0}, 1, "120,47"},
                                                     {{60, 100, 0, 0}, 1, "100,39"},
                                                     {{50, 30, 0, 0}, 1, "40,15"},
                                                     {{18, 120, 0, 0}, 1, "120,15"},
                                                     {{17, 120, 0, 0}, 1, "120,31"},
                                                     {{50, 120, 0, 0}, 5, "120,43"},
                                                     {{18, 120, 0, 0}, 5, "120,14"},
                                                     {{18, 120, 0, 0}, 40, "120,14"}})
        EXPECT_EQ(terminal_on(c.window, c.curves), std::string("set terminal dumb size ") + c.size);
}

TEST_F(GnuplotProcess, InCharactersHasNoFormFeedsAndNoBlanksAtTheEndsOfLines) {
    act_as_gnuplot("cat >/dev/null; printf '\\f a  \\n  \\nb'");
    const SizePlot plot{
        .title = "title", .quantity = "latency (ns)", .unit = "ns", .curves = {{.name = "", .points = {{512, 1.0}}}}};
    EXPECT_EQ(drawn_in_characters(plot, {.time = never_reached}), " a\n\nb\n");
}

TEST_F(GnuplotProcess, ReplacesAFileOnlyByACompleteDrawing) {
    std::ofstream(path("x.svg")) << "old";
    act_as_gnuplot("echo half; exit 1");
    EXPECT_THROW(write_drawn("program", path("x.svg"), {.time = never_reached}), Error);
    EXPECT_EQ(text("x.svg"), "old");
    act_as_gnuplot("cat");
    write_drawn("program", path("x.svg"), {.time = never_reached});
    EXPECT_EQ(text("x.svg"), "program");
    fs::remove(path("gnuplot"));
    EXPECT_EQ(std::distance(fs::directory_iterator(path("")), fs::directory_iterator()), 1);
}

} // namespace
} // namespace memtest

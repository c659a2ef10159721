#include "memtest/cli/interruption.hpp"

#include "memtest/result/output_file.hpp"
#include "support/test.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace memtest {
namespace {

// Each in a process of its own: signals belong to the whole process, and what has come stays noted.

constexpr int went_on = 77;
constexpr std::array heard{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU};

/// Begins as in a process whose parent ignores no signal, as nohup does.
void listen() {
    for (const int signal : heard)
        std::signal(signal, SIG_DFL);
}

/// Whether a signal ended it. The thread sanitizer puts signals off, so that it ends with the status that shells give
/// for them.
auto ended_by(int signal) {
    return [signal](int status) {
        return WIFSIGNALED(status) ? WTERMSIG(status) == signal
                                   : WIFEXITED(status) && WEXITSTATUS(status) == 128 + signal;
    };
}

TEST(Interruption, TheFirstSignalIsARequest) {
    for (const int signal : heard) {
        EXPECT_EXIT(
            {
                listen();
                const Interruption interruption;
                std::raise(signal);
                _exit(Interruption::requested() ? went_on : 1);
            },
            testing::ExitedWithCode(went_on), "");
    }
}

TEST(Interruption, AnyTwoSignalsAreAFirstAndASecondThatEndsIt) {
    for (const int second : {SIGINT, SIGTERM, SIGHUP}) {
        EXPECT_EXIT(
            {
                listen();
                const Interruption interruption;
                std::raise(SIGINT);
                std::this_thread::sleep_for(std::chrono::milliseconds(250));
                std::raise(second);
                _exit(went_on);
            },
            ended_by(second), "");
    }
}

TEST(Interruption, ASecondSignalLeavesAnIncompleteFileUnderItsName) {
    std::string folder = (std::filesystem::temp_directory_path() / "memtest-signal-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    EXPECT_EXIT(
        {
            listen();
            const Interruption interruption;
            OutputFile file(folder + "/r.csv");
            file.write("half");
            std::raise(SIGTERM);
            std::this_thread::sleep_for(std::chrono::milliseconds(250));
            std::raise(SIGTERM);
            _exit(went_on);
        },
        ended_by(SIGTERM), "");
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        names.push_back(entry.path().filename());
    EXPECT_EQ(names, std::vector<std::string>{"r.csv.partial"});
    std::filesystem::remove_all(folder);
}

/// How a process ends that gets three signals at once.
int status_after_three() {
    const pid_t child = fork();
    if (child == 0) {
        listen();
        const Interruption interruption;
        for (const int signal : {SIGINT, SIGTERM, SIGTERM})
            std::raise(signal);
        Interruption::end_by_signal();
        _exit(went_on);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

TEST(Interruption, SignalsOfOneMomentAreOne) {
    bool by_first = false;
    for (int time = 0; time < 20 && !by_first; ++time) // a busy machine may stop it for more than a moment
        by_first = ended_by(SIGINT)(status_after_three());
    EXPECT_TRUE(by_first);
}

TEST(Interruption, WhatTheParentIgnoresStaysIgnored) {
    for (const int signal : heard) {
        EXPECT_EXIT(
            {
                std::signal(signal, SIG_IGN);
                const Interruption interruption;
                std::raise(signal);
                std::raise(signal);
                _exit(Interruption::requested() ? 1 : went_on);
            },
            testing::ExitedWithCode(went_on), "");
    }
}

TEST(Interruption, EndsTheProgramByTheSignalThatCame) {
    EXPECT_EXIT(
        {
            listen();
            const Interruption interruption;
            Interruption::end_by_signal(); // none has come
            std::raise(SIGTERM);
            Interruption::end_by_signal();
            _exit(went_on);
        },
        ended_by(SIGTERM), "");
}

} // namespace
} // namespace memtest

#include "memtest/cli/interruption.hpp"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>

namespace memtest {
namespace {

// Global: a signal handler can reach nothing else.
std::atomic<bool> interrupted{false};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<int> signal_seen{0};       // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<std::uint32_t> seen_ms{0}; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

// Not is_always_lock_free: RISC-V has no exchange of single bytes, but a plain store is all that is needed.
static_assert(ATOMIC_BOOL_LOCK_FREE != 0 && ATOMIC_INT_LOCK_FREE != 0, "a signal handler must not wait");

std::uint32_t now_ms() noexcept {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint32_t>(now.tv_sec * 1000 + now.tv_nsec / 1'000'000);
}

extern "C" void note_signal(int signal) {
    constexpr std::uint32_t one_moment_ms = 200; // timeout(1) signals the program, then its group
    if (interrupted && now_ms() - seen_ms >= one_moment_ms)
        Interruption::end_by(signal);
    if (interrupted)
        return;
    signal_seen = signal;
    seen_ms = now_ms();
    interrupted = true;
}

} // namespace

Interruption::Interruption() {
    // The last three come from batch systems: a warning before the end of a job, and a limit of processor time.
    for (const int signal : std::array{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU}) {
        struct sigaction before {};
        sigaction(signal, nullptr, &before);
        if (before.sa_handler == SIG_IGN)
            continue;
        struct sigaction action {};
        action.sa_handler = note_signal;
        action.sa_flags = SA_NODEFER; // a second signal ends the program from within the handler
        sigaction(signal, &action, nullptr);
    }
}

const std::atomic<bool>& Interruption::requested() noexcept {
    return interrupted;
}

void Interruption::end_by_signal() {
    if (signal_seen != 0)
        end_by(signal_seen);
}

// Calls only what a signal handler may call.
void Interruption::end_by(int signal) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    _exit(128 + signal); // still alive: process 1
}

} // namespace memtest

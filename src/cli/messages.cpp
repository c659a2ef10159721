#include "memtest/cli/messages.hpp"

#include "memtest/report/result_writer.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <ctime>

namespace memtest {
namespace {

/// Keeps SIGPIPE from this thread while it lives.
class WithoutSigpipe {
public:
    WithoutSigpipe() noexcept {
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }

    ~WithoutSigpipe() {
        const timespec no_time{};
        sigtimedwait(&pipe_, nullptr, &no_time); // takes one that came meanwhile
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }

    WithoutSigpipe(const WithoutSigpipe&) = delete;
    WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;
    WithoutSigpipe(WithoutSigpipe&&) = delete;
    WithoutSigpipe& operator=(WithoutSigpipe&&) = delete;

private:
    sigset_t pipe_{};
    sigset_t before_{};
};

iovec part(std::string_view text) noexcept {
    return {.iov_base = const_cast<char*>(text.data()), .iov_len = text.size()}; // NOLINT: it is only read
}

/// One call keeps the line whole among those of other programs. Takes no memory: there may be none.
void say(std::string_view kind, std::string_view sentence, std::string_view name) noexcept {
    const WithoutSigpipe guard;
    const std::array parts{part("memtest: "), part(kind), part(sentence), part(name), part("\n")};
    [[maybe_unused]] const ssize_t bytes = writev(STDERR_FILENO, parts.data(), static_cast<int>(parts.size()));
}

} // namespace

void complain(std::string_view sentence) noexcept {
    say("", sentence, "");
}

void warn(std::string_view sentence, std::string_view name) noexcept {
    say("warning: ", sentence, name);
}

void warn_in(ResultWriter& result, const std::string& sentence, bool quiet) {
    if (!quiet)
        warn(sentence);
    result.warn(sentence);
}

} // namespace memtest

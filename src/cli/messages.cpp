#include "memtest/cli/messages.hpp"

#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace memtest {
namespace {

iovec part(std::string_view text) noexcept {
    return {.iov_base = const_cast<char*>(text.data()), .iov_len = text.size()}; // NOLINT: it is only read
}

/// One call keeps the line whole among those of other programs. Takes no memory: there may be none.
void say(std::string_view kind, std::string_view sentence, std::string_view name) noexcept {
    const std::array parts{part("memtest: "), part(kind), part(sentence), part(name), part("\n")};
    [[maybe_unused]] const ssize_t bytes = writev(STDERR_FILENO, parts.data(), static_cast<int>(parts.size()));
}

/// Whether terminals of this kind know ANSI's sequence for erasing a line. The one called dumb knows none.
bool can_erase(const char* kind) {
    return kind != nullptr && std::string_view(kind) != "dumb";
}

} // namespace

void complain(std::string_view sentence) noexcept {
    say("", sentence, "");
}

void warn(std::string_view sentence, std::string_view name) noexcept {
    say("warning: ", sentence, name);
}

std::string describe(const Progress& progress) {
    return fmt::format("{} of {} sizes settled, round {}{}", progress.settled, progress.sizes, progress.round + 1,
                       progress.seconds_left ? fmt::format(", about {:.0f} s left", *progress.seconds_left) : "");
}

ProgressLine::ProgressLine(bool wanted)
    : on_terminal_(wanted && isatty(STDERR_FILENO) == 1 && can_erase(std::getenv("TERM"))) {}

void ProgressLine::show(const std::string& text) {
    if (!on_terminal_)
        return;
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    std::fflush(stderr);
    shown_ = true;
}

void ProgressLine::clear() {
    if (!shown_)
        return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    shown_ = false;
}

} // namespace memtest

#include "memtest/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace memtest {

namespace {

/// Whether terminals of this kind know ANSI's sequence for erasing a line. The one called dumb knows none.
bool can_erase(const char* kind) {
    return kind != nullptr && std::string_view(kind) != "dumb";
}

} // namespace

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

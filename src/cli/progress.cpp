#include "memtest/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace memtest {

std::string describe(const Progress& progress) {
    return fmt::format("{} of {} sizes settled, round {}{}", progress.settled, progress.sizes, progress.round + 1,
                       progress.seconds_left ? fmt::format(", about {:.0f} s left", *progress.seconds_left) : "");
}

ProgressLine::ProgressLine(bool wanted) : on_terminal_(wanted && isatty(STDERR_FILENO) == 1) {}

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

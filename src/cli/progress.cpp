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

std::string ProgressEstimate::step(std::size_t done, std::size_t of) {
    const std::uint64_t now_ns = clock_.now_ns();
    const double last_step_s = static_cast<double>(now_ns - last_ns_) * 1e-9;
    last_ns_ = now_ns;
    if (done == 0)
        return fmt::format("{} of {} sizes", done, of);
    return fmt::format("{} of {} sizes, about {:.0f} s left", done, of, last_step_s * static_cast<double>(of - done));
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

#include "memtest/cli/messages.hpp"

#include "memtest/base/units.hpp"

#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace memtest {
namespace {

iovec part(std::string_view text) noexcept {
    return {.iov_base = const_cast<char*>(text.data()), .iov_len = text.size()}; // NOLINT: it is only read
}

/// Whether standard error is a terminal that knows ANSI's sequences. The kind called dumb knows none.
bool takes_sequences() noexcept {
    const char* kind = std::getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

/// Whether colours are welcome there (no-color.org).
bool takes_colours() noexcept {
    const char* refused = std::getenv("NO_COLOR");
    return takes_sequences() && (refused == nullptr || *refused == '\0');
}

/// One call keeps the line whole among those of other programs. Takes no memory: there may be none.
void say(std::string_view colour, std::string_view kind, std::string_view sentence, std::string_view name) noexcept {
    const bool coloured = takes_colours();
    const std::array parts{part(coloured ? colour : ""),
                           part("memtest: "),
                           part(kind),
                           part(coloured ? "\033[m" : ""),
                           part(sentence),
                           part(name),
                           part("\n")};
    [[maybe_unused]] const ssize_t bytes = writev(STDERR_FILENO, parts.data(), static_cast<int>(parts.size()));
}

} // namespace

void print_error(std::string_view sentence) noexcept {
    say("\033[31m", "", sentence, "");
}

void warn(std::string_view sentence, std::string_view name) noexcept {
    say("\033[33m", "warning: ", sentence, name);
}

void repeat_warnings(const Result& result) {
    constexpr std::size_t most = 3;
    for (std::size_t i = 0; i < std::min(most, result.warnings.size()); ++i)
        warn(fmt::format("{}: {}", result.name, result.warnings[i]));
    if (result.warnings.size() > most)
        warn(fmt::format("{}: has {} more warnings", result.name, result.warnings.size() - most));
}

void warn_of(const Result& result) {
    if (const auto reason = why_incomplete(result))
        warn(fmt::format("{} {}: rows may be missing", result.name, *reason));
    repeat_warnings(result);
}

std::string describe(const Progress& progress) {
    std::string text;
    for (const ProvisionalFigure& figure : progress.figures)
        text += fmt::format("{}{} ~{:.3g} ns", text.empty() ? "" : ", ",
                            rounded_size(static_cast<double>(figure.size_bytes)), figure.latency_ns);
    if (text.empty())
        text = fmt::format("{} sizes", progress.sizes);
    text += fmt::format("; round {}", progress.round + 1);
    if (progress.seconds_left)
        text += fmt::format("; {:.0f} s left", std::max(1.0, *progress.seconds_left));
    return text;
}

ProgressLine::ProgressLine(bool wanted) : on_terminal_(wanted && takes_sequences()) {}

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

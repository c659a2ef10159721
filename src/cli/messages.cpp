#include "memtest/cli/messages.hpp"

#include "memtest/report/report.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <array>

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

} // namespace

void complain(std::string_view sentence) noexcept {
    say("", sentence, "");
}

void warn(std::string_view sentence, std::string_view name) noexcept {
    say("warning: ", sentence, name);
}

void warn_in(Report& report, const std::string& sentence, bool quiet) {
    if (!quiet)
        warn(sentence);
    report.warn(sentence);
}

} // namespace memtest

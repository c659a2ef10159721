#include "memtest/cli/messages.hpp"

#include "memtest/base/text.hpp"
#include "memtest/result/output_file.hpp"
#include "memtest/result/run_description.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace memtest {
namespace {

void write_message(std::string_view text) noexcept {
    [[maybe_unused]] const ssize_t bytes = write(STDERR_FILENO, text.data(), text.size());
}

/// Whether standard error is a terminal that knows ANSI escape sequences; one of type dumb does not.
bool takes_sequences() noexcept {
    const char* kind = std::getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

constexpr std::string_view own_name = "memtest: ";

/// By one call, which keeps it whole among messages of other programs. On a terminal wrapped, with a hanging indent.
void say(std::string_view colour, std::string_view kind, std::string_view sentence, std::string_view name) noexcept {
    try {
        const char* refused = std::getenv("NO_COLOR"); // no-color.org
        const bool coloured = takes_sequences() && (refused == nullptr || *refused == '\0');
        std::string text = fmt::format("{}{}{}{}", own_name, kind, escaped(sentence), escaped(name));
        if (isatty(STDERR_FILENO) == 1)
            text = wrapped(text, terminal_columns(STDERR_FILENO), "    ");
        if (coloured)
            text.insert(std::min(own_name.size() + kind.size(), text.size()), "\033[m").insert(0, colour);
        write_message(text + "\n");
    } catch (const std::bad_alloc&) {
        for (const std::string_view part : {own_name, kind, sentence, name, std::string_view("\n")})
            write_message(part);
    }
}

} // namespace

void print_error(std::string_view sentence) noexcept {
    say("\033[31m", "", sentence, "");
}

void warn(std::string_view sentence, std::string_view name) noexcept {
    say("\033[33m", "warning: ", sentence, name);
}

void warn_of_partial(const std::optional<std::string>& name) noexcept {
    if (name)
        warn(name->empty() ? "the run is incomplete, and its result so far is lost: its file was removed or replaced"
                           : "the run is incomplete; its result so far is in ",
             *name);
}

void check_same_machine(const Result& one, const Result& other) {
    if (const auto found = differences(one.run, other.run, Is::machine); !found.empty())
        throw usage_error(fmt::format("{} and {} are of different machines: {}; give two results of one machine",
                                      one.name, other.name, describe(found)));
}

void warn_of_missing_rows(const Result& result) {
    if (const auto reason = why_incomplete(result))
        warn(fmt::format("{} {}: rows may be missing", result.name, *reason));
}

void warn_of(const Result& result) {
    warn_of_missing_rows(result);
    constexpr std::size_t most = 3;
    for (std::size_t i = 0; i < std::min(most, result.warnings.size()); ++i)
        warn(fmt::format("{}: {}", result.name, sentence_of(result.warnings[i])));
    if (result.warnings.size() > most)
        warn(fmt::format("{}: has {}", result.name, counted(result.warnings.size() - most, "more warning")));
}

ProgressLine::ProgressLine(bool wanted) : on_terminal_(wanted && takes_sequences()) {}

void ProgressLine::show(const std::string& text) {
    if (!on_terminal_)
        return;
    constexpr std::string_view omitted = "...";
    const std::size_t columns = std::max(terminal_columns(STDERR_FILENO), omitted.size() + 2);
    const std::size_t most = columns - 1; // in the last one the cursor may go to the next line, which is not erased
    const bool fits = shortened(text, most) == text;
    std::fprintf(stderr, "\r\033[K%s", fits ? text.c_str() : shortened(text, most - omitted.size()).c_str());
    std::fflush(stderr);
    shown_ = true;
}

void ProgressLine::keep(const std::string& lines) {
    clear();
    if (on_terminal_)
        std::fputs(lines.c_str(), stderr);
}

void ProgressLine::clear() {
    if (!shown_)
        return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    shown_ = false;
}

} // namespace memtest

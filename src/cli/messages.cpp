#include "memtest/cli/messages.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/result/output_file.hpp"
#include "memtest/result/run_description.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace memtest {
namespace {

/// A line for standard error, written by one call where it fits, which keeps it whole among those of other programs.
/// Takes no memory, and calls only what a signal handler may call.
class Line {
public:
    void add(std::string_view text) noexcept {
        while (!text.empty()) {
            if (used_ == bytes_.size())
                write();
            const std::string_view part = text.substr(0, bytes_.size() - used_);
            std::ranges::copy(part, bytes_.begin() + static_cast<std::ptrdiff_t>(used_));
            used_ += part.size();
            text.remove_prefix(part.size());
        }
    }
    /// Adds a text as escaped() shows it.
    void add_escaped(std::string_view text) noexcept {
        std::array<char, 4> escape{};
        while (!text.empty())
            add(take_visible(text, escape));
    }
    void write() noexcept {
        [[maybe_unused]] const ssize_t bytes = ::write(STDERR_FILENO, bytes_.data(), used_);
        used_ = 0;
    }

private:
    std::array<char, PIPE_BUF> bytes_{};
    std::size_t used_ = 0;
};

/// Whether standard error is a terminal that knows ANSI escape sequences; one of type dumb does not.
bool takes_sequences() noexcept {
    const char* kind = std::getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

/// Wraps into lines that fit the terminal, with a hanging indent; empty if there is no memory for that.
std::string in_lines(std::size_t prefix, std::string_view sentence, std::string_view name) noexcept {
    try {
        const std::string text = std::string(prefix, '-') + escaped(sentence) + escaped(name);
        return wrapped(text, terminal_columns(STDERR_FILENO), "    ").substr(prefix);
    } catch (const std::bad_alloc&) {
        return {};
    }
}

constexpr std::string_view program = "memtest: ";
constexpr std::string_view warning = "warning: ";

/// Wrapped on a terminal, where there is memory for that.
void say(std::string_view colour, std::string_view kind, std::string_view sentence, std::string_view name) noexcept {
    const char* refused = std::getenv("NO_COLOR"); // no-color.org
    const bool coloured = takes_sequences() && (refused == nullptr || *refused == '\0');
    Line line;
    line.add(coloured ? colour : "");
    line.add(program);
    line.add(kind);
    line.add(coloured ? "\033[m" : "");
    const std::string lines = isatty(STDERR_FILENO) == 1 ? in_lines(program.size() + kind.size(), sentence, name) : "";
    line.add(lines);
    if (lines.empty()) {
        line.add_escaped(sentence);
        line.add_escaped(name);
    }
    line.add("\n");
    line.write();
}

/// What the name of the file ends, if it is not lost.
std::string_view partial_sentence(std::string_view name) noexcept {
    return name.empty() ? "the run is incomplete, and its result so far is lost: the folder of its file was removed"
                        : "the run is incomplete; its result so far is in ";
}

} // namespace

void print_error(std::string_view sentence) noexcept {
    say("\033[31m", "", sentence, "");
}

void warn(std::string_view sentence, std::string_view name) noexcept {
    say("\033[33m", warning, sentence, name);
}

void warn_of_partial(std::optional<std::string_view> name) noexcept {
    if (name)
        warn(partial_sentence(*name), *name);
}

void warn_of_partial_at_once(std::optional<std::string_view> name) noexcept {
    if (!name)
        return;
    Line line;
    for (const std::string_view part : {program, warning, partial_sentence(*name)})
        line.add(part);
    line.add_escaped(*name);
    line.add("\n");
    line.write();
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

std::string describe(const Progress& progress) {
    const std::string figures = joined(progress.figures, ", ", [](const ProvisionalFigure& figure) {
        return fmt::format("{} ~{} ns", rounded_size(static_cast<double>(figure.size_bytes)),
                           text_of(figure.latency_ns, significant(3)));
    });
    return fmt::format("{}; round {}", figures.empty() ? fmt::format("{} sizes", progress.sizes) : figures,
                       progress.round + 1);
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

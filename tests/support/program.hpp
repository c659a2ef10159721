#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// How a run of the program ended, and what it printed.
struct Outcome {
    int status = -1; ///< as a shell sees it: 128+n when ended by signal n
    std::string out;
    std::string error;
};

/// Runs `memtest` with these words in a shell, so that they may hold redirections and pipes around it:
/// "{} -m 1 | head -2". What it says of a busy machine is left out. {} stands for the program, or for the command in
/// MEMTEST_COMMAND (an emulator and the program).
[[nodiscard]] Outcome run_in_shell(const std::string& command);

/// Whether the program runs under MEMTEST_COMMAND, on another processor than the tests.
[[nodiscard]] bool is_emulated();

/// Whether the program gave up because another process kept a load thread from running: no fault of either.
[[nodiscard]] bool gave_up_on_busy_machine(const Outcome& run);

/// For run_in_shell: a shell that becomes the program with these words, and gets a signal as soon as `ready` holds, or
/// after the 20 s that no test takes. It does not start in the background, where shells let their children ignore
/// SIGINT.
[[nodiscard]] std::string signalled(const std::string& words, const std::string& signal, const std::string& ready);

/// For run_in_shell: a gnuplot, first in PATH, that runs these commands of a shell.
[[nodiscard]] std::string with_gnuplot(const std::string& commands);

[[nodiscard]] bool holds(std::string_view text, std::string_view part);

// std::regex takes a second to compile in every source that has it, so only program.cpp does.

/// Whether the whole text fits the pattern.
[[nodiscard]] bool fits(const std::string& text, const std::string& pattern);

/// The first place that fits, then what its groups hold; nothing where none fits.
[[nodiscard]] std::vector<std::string> found(const std::string& text, const std::string& pattern);

/// The text with every place that fits replaced; $1 in the words is the first group.
[[nodiscard]] std::string replaced(const std::string& text, const std::string& pattern, const std::string& words);

/// The lines of a text, without their ends.
[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

/// The words between blanks.
[[nodiscard]] std::vector<std::string> words_of(const std::string& text);

/// The lines that are data: no `#`, no header.
[[nodiscard]] std::vector<std::string> rows_of(const std::string& text);

} // namespace memtest

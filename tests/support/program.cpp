#include "support/program.hpp"

#include "memtest/report/advice.hpp"
#include "support/text_file.hpp"

#include <sys/wait.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace memtest {
namespace {

/// Lets children of this process get signals that its parent ignores, as nohup does. No shell can.
class ListeningChildren {
public:
    ListeningChildren() {
        for (std::size_t i = 0; i < signals.size(); ++i)
            before_.at(i) = std::signal(signals.at(i), SIG_DFL);
    }
    ~ListeningChildren() {
        for (std::size_t i = 0; i < signals.size(); ++i)
            std::signal(signals.at(i), before_.at(i));
    }

    ListeningChildren(const ListeningChildren&) = delete;
    ListeningChildren& operator=(const ListeningChildren&) = delete;
    ListeningChildren(ListeningChildren&&) = delete;
    ListeningChildren& operator=(ListeningChildren&&) = delete;

private:
    static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
    std::array<void (*)(int), signals.size()> before_{};
};

/// A text without the warnings that depend on what else the machine does: whole lines, or elements of a list of JSON.
std::string without_busy_machine(std::string text) {
    constexpr std::string_view end = "when the machine is quiet";
    for (std::size_t at = 0; (at = text.find(end, at)) != std::string::npos;) {
        const std::size_t begin = text.find_last_of("\n\"", at) + 1; // npos + 1 is the start of the text
        const std::size_t behind = at + end.size();
        const std::string_view warning = std::string_view(text).substr(begin, behind - begin);
        const bool is_json = begin > 0 && text[begin - 1] == '"';
        const bool is_line = warning.starts_with("memtest: warning: ") || warning.starts_with("# warning: ");
        at = behind;
        if (!is_on_whole_result(
                warning.substr(warning.rfind(": ") == std::string_view::npos ? 0 : warning.rfind(": ") + 2)) ||
            !(is_json || is_line))
            continue;
        const bool is_last = is_json && text.substr(behind, 2) == "\"]";
        const std::size_t first = begin - (is_json ? 1 : 0) - (is_last && text[begin - 2] == ',' ? 1 : 0);
        const std::size_t last = behind + (is_json && text.substr(behind, 2) == "\"," ? 2 : 1);
        text.erase(first, last - first);
        at = first;
    }
    return text;
}

std::string program() {
    return is_emulated() ? std::getenv("MEMTEST_COMMAND") : MEMTEST_PROGRAM;
}

} // namespace

bool is_emulated() {
    return std::getenv("MEMTEST_COMMAND") != nullptr;
}

Outcome run_in_shell(const std::string& command) {
    std::string name = (std::filesystem::temp_directory_path() / "memtest-run-XXXXXX").string();
    const std::filesystem::path directory = mkdtemp(name.data());
    std::string with_program = command;
    for (std::size_t at = 0; (at = with_program.find("{}", at)) != std::string::npos;)
        with_program.replace(at, 2, program());
    // A shell of its own, so that its words on a child's death by a signal do not count. It takes the command from a
    // variable, since the command may hold quotes of any kind.
    setenv("COMMAND", with_program.c_str(), 1);
    const std::string line = "cd '" + directory.string() + "' && sh -c \"$COMMAND\" >out 2>err";
    const ListeningChildren children;
    const int ended = std::system(line.c_str());
    Outcome run;
    run.status = WIFSIGNALED(ended) ? 128 + WTERMSIG(ended) : WEXITSTATUS(ended);
    run.out = without_busy_machine(read_text(directory / "out"));
    run.error = without_busy_machine(read_text(directory / "err"));
    std::filesystem::remove_all(directory);
    return run;
}

std::string signalled(const std::string& words, const std::string& signal, const std::string& ready) {
    return "sh -c '(n=0; until " + ready + " || [ $n -eq 400 ]; do n=$((n + 1)); sleep 0.05; done; kill -" + signal +
           " $$) & exec {} " + words + "'";
}

bool holds(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

std::vector<std::string> rows_of(const std::string& text) {
    std::vector<std::string> rows;
    for (const std::string& line : lines_of(text)) {
        if (!line.empty() && line[0] >= '0' && line[0] <= '9')
            rows.push_back(line);
    }
    return rows;
}

} // namespace memtest

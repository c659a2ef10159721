#include "support/program.hpp"

#include "memtest/result/notice.hpp"
#include "support/test.hpp"
#include "support/text_file.hpp"
#include "support/values.hpp"

#include <sys/wait.h>

#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <regex>
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

/// Whether a line for people ends with the sentence of a warning on what else the machine does.
bool tells_of_busy_machine(std::string_view line) {
    std::vector<Notice> warnings{Notice(Code::busy_machine)};
    for (int percent = 20; percent <= 100; ++percent)
        warnings.emplace_back(Code::others_used, Members{{"percent", percent}});
    const std::string_view sentence = line.substr(line.rfind(": ") + 2);
    std::array<char, 8> things{};
    std::uint64_t count = 0;
    std::uint64_t of = 0;
    if (std::sscanf(std::string(sentence).c_str(), "%" SCNu64 " of %" SCNu64 " %7[a-z]", &count, &of, things.data()) ==
        3)
        for (const char* plural : {"sizes", "rows"})
            warnings.emplace_back(Code::unsettled, Members{{"count", count}, {"of", of}, {"things", plural}});
    return std::ranges::any_of(warnings, [&](const Notice& notice) { return line.ends_with(sentence_of(notice)); });
}

/// Whether it is about what else the machine does.
bool is_told_of_busy_machine(const Notice& warning) {
    return is_disturbance(warning) || warning.code == Code::unsettled;
}

/// Whether a line holds nothing but a warning on what else the machine does.
bool is_on_busy_machine(std::string_view line) {
    if (line.starts_with("memtest: warning: "))
        return tells_of_busy_machine(line);
    if (line.starts_with("# warning[")) {
        Notice warning;
        warning.code = code_called(line.substr(0, line.find(']')).substr(std::string_view("# warning[").size()));
        return is_told_of_busy_machine(warning);
    }
    if (!line.starts_with("    {\"code\":"))
        return false;
    return is_told_of_busy_machine(notice_in(json_or_null(line.substr(0, line.rfind('}') + 1))));
}

/// A line of data without such warnings.
std::string without_busy_machine_in_data(std::string_view line) {
    constexpr std::string_view start = "# data: ";
    const Value data = json_or_null(line.substr(start.size()));
    List kept;
    for (const Value& warning : data["warnings"].list()) {
        if (!is_told_of_busy_machine(notice_in(warning)))
            kept.push_back(warning);
    }
    if (kept.size() == data["warnings"].list().size())
        return std::string(line);
    Members members = data.members();
    members.set("warnings", kept);
    if (kept.empty())
        members.erase("warnings");
    return std::string(start) + dumped(members);
}

/// A text without the warnings that depend on what else the machine does: whole lines, of JSON too.
std::string without_busy_machine(const std::string& text) {
    std::string kept;
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
        end = std::min(text.find('\n', begin), text.size() - 1) + 1;
        const std::string_view line = std::string_view(text).substr(begin, end - begin);
        const std::string_view words = line.substr(0, line.find('\n'));
        if (words.starts_with("# data: "))
            kept += without_busy_machine_in_data(words) + (words.size() < line.size() ? "\n" : "");
        else if (!is_on_busy_machine(words))
            kept += line;
        else if (words.ends_with('}') && kept.ends_with(",\n") && !words.starts_with('#'))
            kept.erase(kept.size() - 2, 1); // it was the last of a list of JSON
    }
    return kept;
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

bool gave_up_on_busy_machine(const Outcome& run) {
    return holds(run.error, "; wait, or ") && run.error.ends_with("with --load-cpu\n");
}

std::string signalled(const std::string& words, const std::string& signal, const std::string& ready) {
    return "sh -c '(n=0; until " + ready + " || [ $n -eq 400 ]; do n=$((n + 1)); sleep 0.05; done; kill -" + signal +
           " $$) & exec {} " + words + "'";
}

std::string with_gnuplot(const std::string& commands) {
    return "mkdir bin; printf \"%s\\n\" \"#!/bin/sh\" \"" + commands +
           "\" > bin/gnuplot; chmod +x bin/gnuplot; PATH=$PWD/bin:$PATH; ";
}

bool holds(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

bool fits(const std::string& text, const std::string& pattern) {
    return std::regex_match(text, std::regex(pattern));
}

std::vector<std::string> found(const std::string& text, const std::string& pattern) {
    std::smatch groups;
    std::regex_search(text, groups, std::regex(pattern));
    return {groups.begin(), groups.end()};
}

std::string replaced(const std::string& text, const std::string& pattern, const std::string& words) {
    return std::regex_replace(text, std::regex(pattern), words);
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), {}};
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

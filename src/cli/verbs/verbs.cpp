#include "memtest/cli/verbs/verbs.hpp"

#include "memtest/base/text.hpp"
#include "memtest/report/output_file.hpp"
#include "memtest/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace memtest {
namespace {

std::string command_of(const Verb& verb) {
    return verb.name.empty() ? "memtest" : fmt::format("memtest {}", verb.name);
}

/// "memtest levels FILE", with "[options]" between where the verb has any.
std::string usage_of(const Verb& verb, bool with_options) {
    return fmt::format("{}{}{}{}", command_of(verb), with_options && !verb.options().empty() ? " [options]" : "",
                       verb.operands.empty() ? "" : " ", verb.operands);
}

/// The usage of every verb, each with its summary.
std::string usage_of_all() {
    std::size_t width = 0;
    for (const Verb& verb : verbs())
        width = std::max(width, usage_of(verb, verb.name.empty()).size());
    std::string text;
    for (const Verb& verb : verbs())
        text += fmt::format("{:<7}{:<{}}  {}\n", text.empty() ? "Usage:" : "", usage_of(verb, verb.name.empty()), width,
                            verb.summary);
    return text;
}

/// The verb of that name; nothing where there is none. @throws Error (usage) where one was nearly named
const Verb* verb_called(std::string_view name) {
    const auto named = std::ranges::find(verbs().subspan(1), name, &Verb::name);
    if (named != verbs().end())
        return &*named;
    const auto names = verb_names();
    if (const auto meant = name.starts_with('-') ? std::nullopt : suggestion_for(name, names))
        throw usage_error(fmt::format("{}: there is no such verb; did you mean {}?", shown(name), *meant));
    return nullptr;
}

ExitStatus print(std::string_view text) {
    OutputFile(std::nullopt).write(text);
    return ExitStatus::success;
}

ExitStatus run_help(const CommandLine& line) {
    if (line.operands.size() > 1)
        throw usage_error(fmt::format("memtest help takes one verb, not {}", line.operands.size()));
    if (line.operands.empty())
        return print(help_of(verbs().front()));
    const Verb* verb = verb_called(line.operands.front());
    if (verb == nullptr)
        throw usage_error(
            fmt::format("{}: there is no such verb; 'memtest --help' lists them", shown(line.operands.front())));
    return print(help_of(*verb));
}

const Verb help_verb{.name = "help",
                     .operands = "[VERB]",
                     .summary = "say how a verb is used",
                     .about = "Prints the help of a verb. Without VERB it prints what memtest --help prints.\n",
                     .options = [] { return std::vector<OptionText>(); },
                     .run = run_help};

} // namespace

std::span<const Verb> verbs() {
    static const std::array all{probe_verb, report_verb, tlb_verb,         loaded_verb,  tail_verb, cores_verb,
                                nodes_verb, levels_verb, translation_verb, compare_verb, plot_verb, help_verb};
    return all;
}

std::vector<std::string_view> verb_names() {
    std::vector<std::string_view> names;
    for (const Verb& verb : verbs().subspan(1))
        names.push_back(verb.name);
    return names;
}

std::vector<OptionText> options_of(const Verb& verb) {
    std::vector<OptionText> options = verb.options();
    options.push_back({.group = options.empty() ? "Options" : options.back().group,
                       .short_name = 'h',
                       .name = "help",
                       .help = "print this and exit"});
    return options;
}

std::string help_of(const Verb& verb) {
    const std::string usage = verb.name.empty() ? usage_of_all() : fmt::format("Usage: {}\n", usage_of(verb, true));
    return fmt::format("{}\n{}{}{}{}", usage, verb.about, help_text(options_of(verb)), verb.closing.empty() ? "" : "\n",
                       verb.closing);
}

CommandLine line_for(const Verb& verb, const std::vector<std::string>& arguments) {
    CommandLine line = split_command_line(options_of(verb), arguments, command_of(verb));
    const bool asks = line.given("help") != nullptr || line.given("version") != nullptr;
    if (!asks && verb.operands.empty() && !line.operands.empty())
        throw usage_error(fmt::format("unexpected argument '{}'; '{} --help' lists {} options", line.operands.front(),
                                      command_of(verb), verb.name.empty() ? "verbs and" : "the"));
    return line;
}

ExitStatus run_verb(const Verb& verb, const std::vector<std::string>& arguments) {
    const CommandLine line = line_for(verb, arguments);
    if (line.given("help") != nullptr)
        return print(help_of(verb));
    if (line.given("version") != nullptr)
        return print(fmt::format("memtest {}\n", version));
    return verb.run(line);
}

ExitStatus run_command_line(const std::vector<std::string>& arguments) {
    const Verb* named = arguments.empty() ? nullptr : verb_called(arguments.front());
    if (named == nullptr)
        return run_verb(verbs().front(), arguments);
    return run_verb(*named, {arguments.begin() + 1, arguments.end()});
}

} // namespace memtest

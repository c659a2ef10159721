#include "memtest/cli/verbs/verbs.hpp"

#include "memtest/base/text.hpp"
#include "memtest/cli/probe/command.hpp"
#include "memtest/cli/probe/command_line.hpp"
#include "memtest/cli/suggestion.hpp"
#include "memtest/cli/verbs/compare.hpp"
#include "memtest/cli/verbs/cores.hpp"
#include "memtest/cli/verbs/levels.hpp"
#include "memtest/cli/verbs/loaded.hpp"
#include "memtest/cli/verbs/nodes.hpp"
#include "memtest/cli/verbs/plot.hpp"
#include "memtest/cli/verbs/report.hpp"
#include "memtest/cli/verbs/tlb.hpp"
#include "memtest/cli/verbs/translation.hpp"
#include "memtest/report/output_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace memtest {
namespace {

std::vector<OptionText> no_options() {
    return {};
}

ExitStatus run_help(const std::vector<std::string>& arguments);

constexpr std::array table{
    Verb{.name = "",
         .operands = "",
         .summary = "measure latency by size of memory",
         .about = "Measures the access latency of every level of the memory hierarchy: times a\n"
                  "dependent walk along a chain of cache lines in areas of growing size, and prints\n"
                  "CSV rows of size and ns per access.\n",
         .closing = "A size may carry a unit: 64K, 1.5M, 2G, 512KiB (powers of 1024).\n"
                    "Exit status: 0 success, 1 failure while running, 2 usage error,\n"
                    "128+n when ended by signal n.\n",
         .options = probe_option_texts,
         .run = run_probe},
    Verb{.name = "report",
         .operands = "",
         .summary = "measure all there is, on one page",
         .about = "Measures what it can of this machine's memory in some twenty seconds and prints\n"
                  "a page in Markdown: the levels, what translation costs, chains side by side, and\n"
                  "with two processors hand-overs between them and latency under load.\n",
         .closing = "",
         .options = report_option_texts,
         .run = run_report},
    Verb{.name = "tlb",
         .operands = "",
         .summary = "measure what translation costs",
         .about = "Measures what address translation costs by the number of pages in use, and\n"
                  "prints it as CSV with the TLBs: times a walk through one line in each page, and\n"
                  "one through as many lines in few pages.\n",
         .closing = "",
         .options = tlb_option_texts,
         .run = run_tlb},
    Verb{.name = "loaded",
         .operands = "",
         .summary = "measure latency while others load",
         .about = "Measures latency against bandwidth and prints it as CSV with the knee: one\n"
                  "processor walks a random chain while others stream through memory of their own,\n"
                  "in steps of load evenly spaced in bandwidth.\n",
         .closing = "",
         .options = loaded_option_texts,
         .run = run_loaded},
    Verb{.name = "cores",
         .operands = "",
         .summary = "measure hand-overs between cores",
         .about = "Measures how long a core takes to read lines that another core has changed, for\n"
                  "each pair of cores, and prints it as CSV with the groups of cores: one processor\n"
                  "writes a chain of lines, another walks it.\n",
         .closing = "",
         .options = cores_option_texts,
         .run = run_cores},
    Verb{.name = "nodes",
         .operands = "",
         .summary = "measure each node's memory from each node",
         .about = "Measures the latency from each NUMA node's processors to each node's memory,\n"
                  "in random order beyond the last cache, and prints it as CSV. Nodes without\n"
                  "processors are included.\n",
         .closing = "",
         .options = nodes_option_texts,
         .run = run_nodes},
    Verb{.name = "levels",
         .operands = "FILE [TLB]",
         .summary = "read the hierarchy off a stored sweep",
         .about = "Reads the levels of the memory hierarchy off a stored sweep ('-' is standard\n"
                  "input). With the output of 'memtest tlb' as well it subtracts what translation\n"
                  "adds to the latencies, so that no TLB looks like a cache.\n",
         .closing = "",
         .options = levels_option_texts,
         .run = run_levels},
    Verb{.name = "translation",
         .operands = "SMALL HUGE",
         .summary = "tell what small pages cost",
         .about = "Prints what address translation costs at each size: the difference of two sweeps\n"
                  "of one machine, with small and with huge pages, where noise does not explain it.\n"
                  "Only sweeps with --stats tell their noise.\n",
         .closing = "",
         .options = translation_option_texts,
         .run = run_translation},
    Verb{.name = "compare",
         .operands = "BASE... NEW",
         .summary = "judge a sweep by earlier ones",
         .about = "Judges the last sweep against the others, size by size and level by level.\n"
                  "More than one baseline tells what is noise.\n",
         .closing = "Exit status: 0 not slower, 3 slower, 4 cannot tell (too noisy, a cache that\n"
                    "holds less, missing sizes), 2 usage error or runs that measured different\n"
                    "things.\n",
         .options = compare_option_texts,
         .run = run_compare},
    Verb{.name = "plot",
         .operands = "[FILE...]",
         .summary = "draw sweeps with gnuplot",
         .about = "Draws latency over memory size, a curve for each sweep and thread; latency over\n"
                  "bandwidth, a curve for each file of 'memtest loaded'; or a heat map of one file\n"
                  "of 'memtest cores' or 'nodes'. '-', or no FILE in a pipe, is standard input.\n"
                  "Without --output and --terminal it prints a gnuplot program that holds the data,\n"
                  "for another machine to draw.\n",
         .closing = "gnuplot draws the program in a window (gnuplot -p), on the terminal that GNUTERM\n"
                    "names, or without either as PNG on standard output.\n"
                    "\nExamples:\n"
                    "  memtest --random | memtest plot --levels -o latency.svg\n"
                    "  memtest plot sweep.csv | ssh desk gnuplot > latency.png\n"
                    "  memtest plot sweep.csv | GNUTERM=svg gnuplot > latency.svg\n",
         .options = plot_option_texts,
         .run = run_plot},
    Verb{.name = "help",
         .operands = "[VERB]",
         .summary = "say how a verb is used",
         .about = "Prints what VERB --help prints; without a verb, how the probe is used.\n",
         .closing = "",
         .options = no_options,
         .run = run_help},
};

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

ExitStatus print_help(const Verb& verb) {
    OutputFile(std::nullopt).write(help_of(verb));
    return ExitStatus::success;
}

ExitStatus run_help(const std::vector<std::string>& arguments) {
    const auto operands = split_command_line({}, arguments, "memtest help").operands;
    if (operands.size() > 1)
        throw usage_error(fmt::format("memtest help takes one verb, not {}", operands.size()));
    if (operands.empty())
        return print_help(verbs().front());
    const Verb* verb = verb_called(operands.front());
    if (verb == nullptr)
        throw usage_error(
            fmt::format("{}: there is no such verb; 'memtest --help' lists them", shown(operands.front())));
    return print_help(*verb);
}

} // namespace

std::span<const Verb> verbs() {
    return table;
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

ExitStatus run_command_line(const std::vector<std::string>& arguments) {
    const Verb* named = arguments.empty() ? nullptr : verb_called(arguments.front());
    const Verb& verb = named == nullptr ? verbs().front() : *named;
    const std::vector<std::string> rest(arguments.begin() + (named == nullptr ? 0 : 1), arguments.end());

    const CommandLine line = split_command_line(options_of(verb), rest, command_of(verb));
    return line.given("help") != nullptr ? print_help(verb) : verb.run(rest);
}

} // namespace memtest

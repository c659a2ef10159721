#include "memtest/kinds/fleet.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/messages.hpp"
#include "memtest/result/result_reader.hpp"
#include "memtest/result/result_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace memtest {
namespace {

const auto fleet_options = std::to_array<Option<ReadingOptions>>({
    {{"Options", 0, "tolerance", "PCT", "ignore differences of up to PCT percent", "5"},
     [](auto& o, auto& a) { o.tolerance_percent = parse_percent(a, 1000); }},
    {{"Options", 0, "all", "", "show every row and note, not only the first"}, [](auto& o, auto&) { o.all = true; }},
    format_option("table, even into a pipe, as a log is for people"),
    parts_option("all"),
    status_option(),
});

ExitStatus run_fleet(const CommandLine& line) {
    const ReadingOptions options = with_options(ReadingOptions(), fleet_options, line);
    if (line.operands.size() < fewest_machines)
        throw usage_error(fmt::format("fleet requires at least {} files, each from a different machine, not {}; see "
                                      "'memtest fleet --help'",
                                      fewest_machines, line.operands.size()));
    for (const std::string& name : options.parts) {
        if (kind_of_part(name) == nullptr && std::ranges::count(report_sections(), name) == 0)
            throw usage_error(
                fmt::format("--part {}: no part of a report has this name; see 'memtest report --help'", shown(name)));
    }
    check_standard_input(line.operands);
    if (const auto twice = given_twice(line.operands))
        throw usage_error(fmt::format("{} is given twice; give one file of each machine", shown(*twice)));
    std::vector<FleetMachine> machines;
    std::vector<std::string> unread;
    for (const std::string& file : line.operands) {
        try {
            machines.push_back(machine_in(read_file(file), options.parts));
        } catch (const Error& error) { // one machine that did not answer hides no other
            if (!options.quiet)
                warn(error.what());
            unread.push_back(file);
        }
    }
    if (machines.size() < fewest_machines)
        throw usage_error(fmt::format("only {} of {} files can be read; at least {} are needed", machines.size(),
                                      line.operands.size(), fewest_machines));
    const Fleet fleet = judge_fleet(std::move(machines), options.tolerance_percent, std::move(unread));
    OutputFile output(std::nullopt);
    const Format format = options.format.value_or(Format::table);
    if (!options.quiet && format != Format::table)
        write_whole(output, fleet_kind, fleet.rows, fleet_findings(fleet), {.format = format});
    else if (!options.quiet)
        output.write(
            fleet_table(fleet, options.all, output.is_terminal() ? std::optional(terminal_columns()) : std::nullopt));
    const FleetVerdict verdict = verdict_of(fleet);
    if (verdict == FleetVerdict::differ)
        return ExitStatus::slower;
    return verdict == FleetVerdict::cannot_tell ? ExitStatus::cannot_tell : ExitStatus::success;
}

} // namespace

const Command fleet_command{.name = "fleet",
                            .operands = "FILE...",
                            .summary = "find the machines that differ",
                            .examples = {{{"memtest fleet *.json", "which machines differ from the others?"},
                                          {"memtest fleet --format csv *.json", "the same for a script"}}},
                            .about =
                                "Compares machines of one kind with each other: the same processor, kernel and\n"
                                "settings. Takes a report of each (memtest report -o HOST.json), or a sweep, and\n"
                                "names the machines with a figure that differs from the median of the others by\n"
                                "more than the noise from run to run and from machine to machine, or is missing.\n"
                                "A kind needs at least four machines. The manual shows how to run memtest on many\n"
                                "machines.\n",
                            .closing = "Exit status: 0 all alike, 1 failure while running, 2 usage error, 3 a machine\n"
                                       "differs, 4 cannot tell (nothing could be compared).\n",
                            .options = [] { return texts_of(fleet_options); },
                            .run = run_fleet};

} // namespace memtest

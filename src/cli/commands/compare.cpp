#include "memtest/cli/commands/compare.hpp"

#include "memtest/base/text.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/messages.hpp"
#include "memtest/cli/options.hpp"
#include "memtest/kinds/comparison_findings.hpp"
#include "memtest/kinds/comparison_screen.hpp"
#include "memtest/result/output_file.hpp"
#include "memtest/result/result_reader.hpp"
#include "memtest/result/result_taker.hpp"
#include "memtest/result/result_writer.hpp"
#include "memtest/result/run_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

const auto compare_options = std::to_array<Option<CompareOptions>>({
    {{"Options", 0, "measure", "",
      "all files are baselines: measure now what they hold, and compare; measure again what is or may be worse or is "
      "missing, and memory that is too noisy to compare"},
     [](auto& o, auto&) { o.measure = true; }},
    {{"Options", 0, "tries", "N", "with --measure, measure at most N times, 1 to 10", "3"},
     [](auto& o, auto& a) { o.tries = static_cast<unsigned>(parse_count(a, 1, 10)); }},
    {{"Options", 'o', "output", "FILE", "with --measure, write what is measured to FILE as JSON"},
     [](auto& o, auto& a) { o.output = parse_file_name(a); }},
    {{"Options", 0, "tolerance", "PCT", "ignore changes of up to PCT percent", "5"},
     [](auto& o, auto& a) { o.tolerance_percent = parse_percent(a, 1000); }},
    {{"Options", 0, "unclear", "STATUS",
      "exit status of 'cannot tell': 4, pass (0 if only noise is the reason, and no level may be worse) or fail (3, as "
      "for worse)",
      "4", all_words<Unclear>},
     [](auto& o, auto& a) { o.unclear = parse_choice<Unclear>(a); }},
    {{"Options", 0, "all", "", "show every row and note, not only the first"}, [](auto& o, auto&) { o.all = true; }},
    {{"Options", 0, "force", "", "compare even results of other settings or machines"},
     [](auto& o, auto&) { o.force = true; }},
    format_option("table, even into a pipe, as a log is for people"),
    parts_option("all; if other files are no reports, the one part of their kind"),
    columns_option(),
    status_option(),
});

/// Prints a comparison unless it is to be quiet.
ExitStatus conclude(const Comparison& comparison, const CompareOptions& options) {
    const bool is_unclear = comparison.verdict == Verdict::cannot_tell;
    const bool passed = is_unclear && options.unclear == Unclear::pass && comparison.only_noisy();
    OutputFile output(std::nullopt);
    const Format format = options.format.value_or(Format::table);
    if (!options.quiet && format != Format::table)
        write_whole(output, compare_kind, comparison.figures, comparison_findings(comparison), {.format = format});
    else if (!options.quiet)
        output.write(comparison_table(comparison, options.all, passed,
                                      output.is_terminal() ? std::optional(terminal_columns()) : std::nullopt));
    if (comparison.verdict == Verdict::worse || (is_unclear && options.unclear == Unclear::fail))
        return ExitStatus::slower;
    return is_unclear && !passed ? ExitStatus::cannot_tell : ExitStatus::success;
}

CompareOptions options_of_compare(const CommandLine& line) {
    CompareOptions options = with_options(CompareOptions(), compare_options, line);
    if (options.output && options.output->ends_with(".csv"))
        throw usage_error(
            fmt::format("--output {}: what is measured is written as JSON; give a file that ends in .json",
                        shown(*options.output)));
    if (options.output == "-" && !options.quiet)
        throw usage_error(
            "--output - would mix what is measured with the comparison on standard output; give the name of "
            "a file, or --status");
    const std::size_t least = options.measure ? 1 : 2;
    if (line.operands.size() < least)
        throw usage_error(
            options.measure
                ? "compare --measure requires a result of before, such as before.json"
                : fmt::format("compare requires a result of before and one of after, or --measure, which measures "
                              "the latter: memtest compare --measure {}",
                              line.operands.empty() ? "before.json" : shown(line.operands.front())));
    return options;
}

/// The one result of each file, which are of one kind: a part of a report is one that is named, or fits the others.
void keep_one_kind(std::vector<StoredFile>& files, const std::vector<std::string>& names) {
    if (names.size() > 1)
        throw usage_error(
            fmt::format("--part {}: several parts require files of 'memtest report' alone", shown(names.back())));
    const auto part = names.empty() ? std::nullopt : std::optional(names.front());
    const auto single = std::ranges::find(files, false, &StoredFile::is_report);
    const Kind* const kind = single == files.end() ? nullptr : single->results.front().kind;
    for (StoredFile& file : files) {
        Result result = chosen_result(file, file.is_report ? kind : nullptr, part);
        result.part.clear();
        file = {.name = file.name};
        file.results.push_back(std::move(result));
        const Result& first = files.front().results.front();
        const Result& here = file.results.front();
        if (here.kind != first.kind)
            throw usage_error(fmt::format("{} holds {} and {} {}; compare results of one kind", first.name,
                                          described(*first.kind), here.name, described(*here.kind)));
    }
}

/// What is compared: reports of the named parts, or one result of each file.
std::vector<StoredFile> files_of(const CommandLine& line, const CompareOptions& options) {
    check_standard_input(line.operands);
    std::vector<StoredFile> files;
    if (const auto twice = given_twice(line.operands))
        throw usage_error(fmt::format("{} is given twice; a copy shows no noise", shown(*twice)));
    for (const std::string& file : line.operands)
        files.push_back(read_file(file, options.columns));
    if (!std::ranges::all_of(files, &StoredFile::is_report))
        keep_one_kind(files, options.parts);
    else
        for (StoredFile& file : files)
            keep_parts(file, options.parts);
    return files;
}

ExitStatus run_compare(const CommandLine& line) {
    const CompareOptions options = options_of_compare(line);
    std::vector<StoredFile> files = files_of(line, options);
    if (options.measure) {
        const auto comparison = measure_and_compare(files, options);
        if (comparison)
            return conclude(*comparison, options);
        if (!options.quiet)
            warn("interrupted, so nothing was compared");
        return ExitStatus::failure;
    }
    const StoredFile latest = std::move(files.back());
    files.pop_back();
    for (const StoredFile& base : files)
        check_comparable(base, latest, options);
    return conclude(compare(files, latest, options.tolerance_percent), options);
}

} // namespace

void check_comparable(const StoredFile& base, const StoredFile& latest, const CompareOptions& options) {
    constexpr std::array<std::pair<Is, std::string_view>, 2> sorts{
        {{Is::setting, "measured different things"}, {Is::machine, "are of different machines"}}};
    for (const Result& part : base.results) {
        const auto now = std::ranges::find(latest.results, part.part, &Result::part);
        for (const auto& [sort, how] : sorts) {
            if (now == latest.results.end() || options.force)
                continue;
            if (const auto found = differences(part.run, now->run, sort); !found.empty())
                throw usage_error(fmt::format("{} and {} {}: {}; --force compares them nevertheless", part.name,
                                              now->name, how, describe(found)));
        }
    }
}

const Command compare_command{
    .name = "compare",
    .operands = "BASE... NEW",
    .summary = "detect regressions between results",
    .examples = {{{"memtest compare a.csv b.csv new.csv", "is the last sweep worse?"},
                  {"memtest compare before.json after.json", "what changed between two reports?"}}},
    .about = "Compares the last file with the others and reports through its exit status:\n"
             "sweeps by the latency and capacity of their levels, results of other commands by\n"
             "their figures, reports by both. Several baselines show how large the noise is.\n"
             "With --measure all files are baselines, and the same is measured now.\n",
    .closing = "Exit status: 0 not worse, 1 failure while running, 2 usage error or results of\n"
               "different kinds, settings or machines, 3 worse, 4 cannot tell (too noisy, or\n"
               "something is missing).\n",
    .options = [] { return texts_of(compare_options); },
    .run = run_compare};

} // namespace memtest

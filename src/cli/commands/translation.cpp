#include "memtest/kinds/translation.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/messages.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/result/result_reader.hpp"
#include "memtest/result/result_writer.hpp"
#include "memtest/result/run_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memtest {
namespace {

const auto translation_options = std::to_array({
    Option<ReadingOptions>{{"Options", 0, "all", "", "on a terminal, print the sizes without a known saving, too"},
                           [](auto& o, auto&) { o.all = true; }},
    format_option("table on a terminal, else csv"),
    part_option("of a report alone, sweep and huge"),
});

/// The mean page size in bytes over the memory of all threads; std::nullopt if unknown.
std::optional<double> mean_page_bytes(const RunDescription& run) {
    double sum = 0;
    for (const PagesGot& pages : run.pages_got.value_or(std::vector<PagesGot>{})) {
        if (!pages.are_known())
            return std::nullopt;
        const double transparent = pages.transparent_percent / 100;
        sum += (1 - transparent) * static_cast<double>(pages.page_bytes) +
               transparent * static_cast<double>(pages.transparent_page_bytes);
    }
    return run.pages_got ? std::optional(sum / static_cast<double>(run.pages_got->size())) : std::nullopt;
}

/// Refuses sweeps that differ in more than their pages, or are in the wrong order.
void check_sweeps(const Result& small_pages, const Result& huge_pages) {
    std::vector<Difference> others = differences(small_pages.run, huge_pages.run, Is::setting);
    std::erase_if(others, [](const Difference& difference) { return difference.key.starts_with("pages"); });
    if (!others.empty())
        throw usage_error(fmt::format("{} and {} differ in more than their pages: {}; give two sweeps of the same kind",
                                      small_pages.name, huge_pages.name, describe(others)));
    const auto small_bytes = mean_page_bytes(small_pages.run);
    const auto huge_bytes = mean_page_bytes(huge_pages.run);
    if (small_bytes && huge_bytes && *small_bytes >= *huge_bytes)
        throw usage_error(fmt::format(
            "{} has pages of {} and {} has pages of {}; {}", small_pages.name, text_of(*small_pages.run.pages_got),
            huge_pages.name, text_of(*huge_pages.run.pages_got),
            *small_bytes > *huge_bytes ? "give the sweep with small pages first" : "one with huge pages is needed"));
}

bool tells_noise(const Result& sweep) {
    return std::ranges::all_of(sweep.rows_of<Row>(), [](const Row& row) {
        return !row.latency_ns || (row.min_ns && row.median_ns) || row.spread_percent || row.visits_percent;
    });
}

/// The sweeps with small and with huge pages, of two files or of a report.
std::pair<Result, Result> read_both(const std::vector<std::string>& files, const std::optional<std::string>& part) {
    if (files.size() == 1) {
        if (part)
            throw usage_error(
                fmt::format("--part {} takes a sweep from each of two files; without it, one report is enough", *part));
        if (const StoredFile report = read_file(files.front()); report.is_report)
            return {chosen_result(report, &sweep_kind, "sweep"), chosen_result(report, &sweep_kind, "huge")};
    }
    if (files.size() != 2)
        throw usage_error(
            fmt::format("translation takes one report, or two sweeps, with small and with huge pages, "
                        "not {}; see 'memtest translation --help'",
                        files.size() == 1 ? "one file of another kind" : fmt::format("{} files", files.size())));
    check_standard_input(files);
    return {chosen_result(read_file(files[0]), &sweep_kind, part),
            chosen_result(read_file(files[1]), &sweep_kind, part)};
}

/// The names of those that other work disturbed.
List disturbed_ones(std::initializer_list<const Result*> sweeps) {
    List names;
    for (const Result* sweep : sweeps) {
        if (std::ranges::any_of(sweep->warnings, is_disturbance) && !std::ranges::count(names, Value(sweep->name)))
            names.emplace_back(sweep->name);
    }
    return names;
}

ExitStatus run_translation(const CommandLine& line) {
    const ReadingOptions options = with_options(ReadingOptions(), translation_options, line);
    const auto [small_pages, huge_pages] = read_both(line.operands, options.part);
    check_sweeps(small_pages, huge_pages);
    check_same_machine(small_pages, huge_pages);
    warn_of(small_pages);
    warn_of(huge_pages);
    const auto costs = translation_costs(small_pages, huge_pages);
    if (costs.empty())
        throw usage_error(fmt::format("{} and {} have no size in common; sweep both with the same --min-size, "
                                      "--max-size and --points",
                                      small_pages.name, huge_pages.name));
    const bool noise_is_told = tells_noise(small_pages) && tells_noise(huge_pages);
    OutputFile output(std::nullopt);
    const Format format = options.format.value_or(output.is_terminal() ? Format::table : Format::csv);
    Findings findings = translation_findings(costs, noise_is_told);
    if (const List disturbed = disturbed_ones({&small_pages, &huge_pages}); !disturbed.empty())
        findings.list.push_back(remark({Code::files_disturbed, {{"names", disturbed}, {"of_memory", true}}}));
    auto shown = costs;
    if (!options.all && format == Format::table && output.is_terminal() && quoted_cost(costs) != nullptr)
        std::erase_if(shown, [](const TranslationCost& cost) { return !cost.cost_ns; });
    write_whole(output, translation_kind, shown, findings, {.format = format});
    if (shown.size() < costs.size())
        output.write(fmt::format("--all prints {} more.\n", counted(costs.size() - shown.size(), "row")));
    if (format == Format::table || (format == Format::csv && output.is_terminal()))
        output.write("\n" + text_of(answer_of(costs, findings), terminal_columns()));
    return ExitStatus::success;
}

} // namespace

const Command translation_command{
    .name = "translation",
    .operands = "SMALL [HUGE]",
    .summary = "compare small and huge pages",
    .examples = {{{"memtest translation a.csv b.csv", "what huge pages save"},
                  {"memtest translation machine.json", "the same from a report"}}},
    .about = "Prints the cost of address translation at each size: the difference between\n"
             "two sweeps of one machine, with small and with huge pages, where it exceeds the\n"
             "noise, in ns and in percent of the latency with huge pages. The noise is known\n"
             "only for sweeps made with --stats.\n",
    .options = [] { return texts_of(translation_options); },
    .run = run_translation};

} // namespace memtest

#include "memtest/cli/verbs/tlb.hpp"

#include "memtest/base/units.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/probe/command_line.hpp"
#include "memtest/cli/probe/plan.hpp"
#include "memtest/cli/progress.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/measure/page_probe.hpp"
#include "memtest/report/output_file.hpp"
#include "memtest/report/tlb_report.hpp"
#include "memtest/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace memtest {
namespace {

constexpr std::size_t default_pages = 16384; // four times the largest second TLB known
constexpr std::size_t least_pages = 16;
constexpr unsigned rounds = 9; // three that agree are a quarter of the way

/// Those options of the probe that this verb has, too, under the same names.
std::vector<Option<ProbeOptions>> tlb_options() {
    std::vector<Option<ProbeOptions>> table;
    for (const std::string_view name : {"max-size", "seed", "cpu", "pages", "output", "quiet", "help"})
        table.push_back(*std::ranges::find(probe_options(), name, &Option<ProbeOptions>::name));
    for (Option<ProbeOptions>& option : table) {
        option.group = "Options";
        if (option.name == "max-size") {
            option.help = "memory that the pages are taken from";
            option.preset = "16384 pages, but at most 1024 MiB";
        } else if (option.name == "cpu") {
            option.help = "processor to run on (default: the current one)";
        } else if (option.name == "pages") {
            option.preset = "4k";
        }
    }
    return table;
}

ProbeOptions parse_tlb_options(const std::vector<std::string>& arguments) {
    ProbeOptions options;
    options.random = true;
    options.pages = PageKind::base;
    const auto table = tlb_options();
    const auto operands =
        parse_command_line(std::span<const Option<ProbeOptions>>(table), arguments, options, "memtest tlb");
    if (!operands.empty())
        throw usage_error(
            fmt::format("unexpected argument '{}'; 'memtest tlb --help' lists the options", operands.front()));
    check_options(options);
    return options;
}

/// The line size that the system reports, or the probe's default where it reports none.
std::size_t line_bytes_of(const Machine& machine, std::size_t otherwise) {
    const auto known = std::ranges::find_if(machine.caches, [](const Cache& cache) { return cache.line_bytes != 0; });
    return known == machine.caches.end() ? otherwise : known->line_bytes;
}

/// As many pages as were asked for, or as fit into the memory. @throws Error (usage) when that is too few
PageProbePlan plan_pages(const ProbeOptions& options, const RunPlan& run, const SystemFiles& files) {
    PageProbePlan plan{.pages = options.pages,
                       .units = {.page_bytes = page_bytes_of(options.pages, files),
                                 .base_page_bytes = base_page_bytes(),
                                 .line_bytes = options.line_bytes},
                       .seed = options.seed};
    const std::size_t page = plan.units.page_bytes;
    const auto bytes_for = [&](std::size_t lines) {
        return PageChain::bytes_for(Layout::spread, lines, plan.units) +
               PageChain::bytes_for(Layout::packed, lines, plan.units) + page; // in which the spread lines end
    };
    plan.most_pages = run.max_bytes < page ? 0 : (run.max_bytes - page) / (bytes_for(1) - page);
    if (plan.most_pages < least_pages)
        throw usage_error(fmt::format("--max-size {}: holds {} pages of {}; give at least {} MiB",
                                      human_size(run.max_bytes), plan.most_pages, human_size(page),
                                      (bytes_for(least_pages) + mib - 1) / mib));
    if (!options.max_bytes)
        plan.most_pages = std::min(plan.most_pages, default_pages);
    return plan;
}

std::vector<std::string> headline(const PageProbePlan& plan) {
    return {fmt::format("memtest {}: cost of address translation on one thread", version),
            fmt::format("One line in each of 4 to {} pages of {} against as many lines in few pages", plan.most_pages,
                        human_size(plan.units.page_bytes)),
            fmt::format("{} rounds, reporting the smallest of each", rounds)};
}

/// What describes this run of all that describes a sweep.
Description description_of(const RunPlan& run, const Machine& machine, const ThreadFacts& facts) {
    constexpr std::array<std::string_view, 8> of_sweeps{"visits",  "order",    "link",     "max size",
                                                        "threads", "parallel", "estimate", "warmup"};
    Description lines = describe_run(run, machine, {facts});
    std::erase_if(lines, [&](const auto& line) { return std::ranges::count(of_sweeps, line.first) > 0; });
    return lines;
}

/// @throws Error where not all of the memory is in pages of the size that the rows tell of
void check_granted(const PageProbePlan& plan, const GrantedPages& granted) {
    if (!is_all_in_pages_of(granted, plan.units.page_bytes))
        throw Error(fmt::format("--pages {}: the kernel gave pages of {}; free some memory, or give --pages 4k",
                                word_of(plan.pages), describe(granted)));
}

/// Whether huge pages turn out to be small ones: measures twice as many small pages as the first TLB has entries.
bool finds_split_pages(const Translation& translation, PageProbePlan plan, const SystemFiles& files) {
    if (translation.tlbs.empty() || plan.units.page_bytes == plan.units.base_page_bytes)
        return false;
    plan.most_pages = 2 * translation.tlbs.front().entries;
    plan.units.page_bytes = plan.units.base_page_bytes;
    PageProbe probe(plan, files, Interruption::requested());
    const auto points = sweep_translation(
        probe, {plan.most_pages}, rounds, [](TranslationCurve) { return std::nullopt; }, [](const Progress&) {});
    return !points.empty() && splits_huge_pages(translation.tlbs.front(), points.front());
}

std::vector<TranslationPoint> measure_points(PageProbe& probe, std::size_t most_pages, double cycle_ns, bool quiet) {
    ProgressLine line(!quiet);
    return sweep_translation(
        probe, numbers_of_pages(most_pages), rounds,
        [&](TranslationCurve curve) { return next_pages(curve, cycle_ns); },
        [&](const Progress& progress) { line.show(describe(progress)); });
}

void write_lines(OutputFile& output, const Description& lines) {
    for (const auto& [key, value] : lines)
        output.write(fmt::format("# {}: {}\n", key, value));
}

void measure(ProbeOptions options) {
    const SystemFiles files;
    const Machine machine = read_machine(files);
    options.line_bytes = line_bytes_of(machine, options.line_bytes);
    const RunPlan run = plan_run(options, machine, files);
    const PageProbePlan plan = plan_pages(options, run, files);
    const Interruption interruption;
    OutputFile output(options.output);
    if (run.team.pinned)
        pin_to(run.team.processors.front());
    PageProbe probe(plan, files, Interruption::requested());
    const ThreadFacts facts = probe.facts(files);
    if (!Interruption::requested()) // which leaves memory unfilled
        check_granted(plan, facts.pages);
    if (!options.quiet) {
        for (const std::string& sentence : headline(plan))
            output.write(fmt::format("# {}\n", sentence));
        write_lines(output, description_of(run, machine, facts));
    }
    output.write(fmt::format("{}\n", tlb_header));

    const double cycle_ns = 1 / facts.core_ghz;
    const auto points = measure_points(probe, plan.most_pages, cycle_ns, options.quiet);
    for (const TranslationPoint& point : points)
        output.write(tlb_row(point, plan.units.page_bytes));
    if (!options.quiet && !Interruption::requested()) {
        const Translation translation = read_translation(points, cycle_ns);
        write_lines(output, tlb_lines({.translation = translation,
                                       .page_bytes = plan.units.page_bytes,
                                       .most_pages = points.back().pages,
                                       .core_ghz = facts.core_ghz,
                                       .splits_huge_pages = finds_split_pages(translation, plan, files)}));
    }
    Interruption::end_by_signal();
}

} // namespace

std::vector<OptionText> tlb_option_texts() {
    return texts_of(std::span<const Option<ProbeOptions>>(tlb_options()));
}

std::string tlb_help() {
    return "Usage: memtest tlb [options]\n\n"
           "Measures what address translation costs, by the number of pages in use, and\n"
           "prints it as CSV with the TLBs that it shows: times a walk through one line in\n"
           "each page against one through as many lines in few pages.\n" +
           help_text(tlb_option_texts());
}

ExitStatus run_tlb(const std::vector<std::string>& arguments) {
    const ProbeOptions options = parse_tlb_options(arguments);
    if (options.help)
        OutputFile(std::nullopt).write(tlb_help());
    else
        measure(options);
    return ExitStatus::success;
}

} // namespace memtest

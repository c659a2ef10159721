#include "memtest/base/id_list.hpp"
#include "memtest/base/units.hpp"
#include "memtest/cli/probe/command_line.hpp"
#include "memtest/cli/probe/plan.hpp"
#include "memtest/cli/verbs/report.hpp"
#include "memtest/cli/verbs/verbs.hpp"
#include "memtest/insight/reported.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/measure/loader.hpp"
#include "memtest/report/input_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace memtest {
namespace {

std::vector<Option<ProbeOptions>> report_options() {
    auto cpu = shared_option<ProbeOptions>("cpu", "processor that is measured (default: the current one)", "");
    cpu.argument = "N";
    return {shared_option<ProbeOptions>(
                "output", "write the page there, FILE.md, with plots as SVG and raw results as JSON beside it", ""),
            shared_option<ProbeOptions>("max-size", "largest tested size; fractions allowed",
                                        "8 times the last cache, but 128 to 1024 MiB, or what fits"),
            cpu, shared_option<ProbeOptions>("quiet", "no progress", "")};
}

/// As large as asked for; else well beyond the caches, or what fits. In whole lines, since some steps measure this size
/// alone. @throws Error (usage) for one in which a step has nothing to measure
std::size_t largest_bytes(const ProbeOptions& options, const TeamPlan& team, const Machine& machine,
                          const SystemFiles& files) {
    const int processor = team.processors.front();
    const std::size_t least =
        Loader::lines_in_portion * line_bytes_of(machine.allowed, processor).value_or(options.shape.line_bytes);
    if (options.max_bytes && *options.max_bytes < least)
        throw usage_error(
            fmt::format("--max-size {}: give at least {}", human_size(*options.max_bytes), human_size(least)));
    const std::uint64_t fitting = share_for_sweep(options, team, machine, files).bytes;
    const std::uint64_t beyond = last_caches_to_memory * last_cache_bytes(with_ids(machine.allowed, {processor}));
    const std::uint64_t bytes = options.max_bytes ? fitting : std::min(fitting, std::max(128 * mib, beyond));
    return static_cast<std::size_t>(bytes) / options.shape.line_bytes * options.shape.line_bytes;
}

/// One for each core, or evenly spread ones where their pairs would take too long.
std::vector<int> processors_to_pair(const Machine& machine) {
    constexpr std::size_t most = 24; // 276 pairs, of about 12 ms each
    auto all = choose_processors(machine.allowed, machine.allowed.front().id, physical_cores(machine.allowed));
    if (all.size() <= most)
        return all;
    std::vector<int> some;
    for (std::size_t i = 0; i < most; ++i)
        some.push_back(all[i * all.size() / most]);
    return some;
}

using Words = std::vector<std::string>;

Words joined(std::initializer_list<Words> parts) {
    Words all;
    for (const Words& part : parts)
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

std::string bytes_text(std::size_t bytes) {
    return fmt::format("{}B", bytes);
}

void read_cores(ReportResults& results, const std::string& path) {
    InputFile file(path);
    results.cores = read_matrix(file);
}

void read_loaded(ReportResults& results, const std::string& path) {
    InputFile file(path);
    results.loaded = read_load(file);
}

} // namespace

std::vector<OptionText> report_option_texts() {
    return texts_of(report_options());
}

ProbeOptions parse_report_options(const std::vector<std::string>& arguments) {
    constexpr std::string_view ending = ".md";
    ProbeOptions options;
    options.shape.order = Order::random;
    parse_options(report_options(), arguments, options, "memtest report");
    if (options.output == "-")
        options.output = std::nullopt;
    if (options.output && (!options.output->ends_with(ending) || options.output->size() == ending.size()))
        throw usage_error(fmt::format("--output {}: the page is Markdown, and its plots and raw results are named "
                                      "after it; give a name that ends in {}",
                                      shown(*options.output), ending));
    if (options.cpus && options.cpus->size() != 1)
        throw usage_error(fmt::format("--cpu {}: give one processor to measure", format_ids(*options.cpus)));
    return options;
}

std::vector<ReportStep> plan_report(const ProbeOptions& options, const Machine& machine, const SystemFiles& files) {
    const TeamPlan team = team_for(options, machine);
    const std::size_t largest = largest_bytes(options, team, machine, files);
    const Words cpu = team.pinned ? Words{"--cpu", fmt::format("{}", team.processors.front())} : Words{};
    const Words up_to{"--max-size", bytes_text(largest)};
    const Words sweep{"--random", "--stats", "--cycles", "--points", "4"};

    std::vector<ReportStep> steps{
        {"sweep", "sweep with small pages", joined({sweep, {"--pages", "4k"}, up_to, cpu}), probe_verb.run,
         [](ReportResults& results, const std::string& path) { results.small_pages = read_sweep_file(path); }},
        {"huge", "sweep with huge pages", joined({sweep, {"--pages", "thp"}, up_to, cpu}), probe_verb.run,
         [](ReportResults& results, const std::string& path) { results.huge_pages = read_sweep_file(path); }}};
    for (const unsigned chains : {1U, 2U, 4U, 8U, 16U, 32U})
        steps.push_back(
            {fmt::format("parallel{}", chains), fmt::format("{} parallel chain{}", chains, chains == 1 ? "" : "s"),
             joined({{"--random", "--stats", "--parallel", fmt::format("{}", chains), "--pages",
                      machine.gives_transparent_pages() ? "thp" : "default", "--min-size", bytes_text(largest)},
                     up_to,
                     cpu}),
             probe_verb.run, [](ReportResults& results, const std::string& path) {
                 results.parallel.push_back(read_sweep_file(path));
             }});
    // By default it takes as many pages as make sense.
    const bool is_less_than_usual = largest < 128 * mib;
    steps.push_back({"tlb", "address translation", joined({is_less_than_usual ? up_to : Words{}, cpu}), tlb_verb.run,
                     [](ReportResults& results, const std::string& path) { results.tlb = read_tlb_file(path); }});
    // With a single core the verb itself says what it lacks.
    const bool has_pairs = team.pinned && physical_cores(machine.allowed) > 1;
    const Words between = has_pairs ? Words{"--cpu", format_ids(processors_to_pair(machine))} : Words{};
    steps.push_back({"cores", "hand-overs between cores", between, cores_verb.run, read_cores});
    const Words memory = options.max_bytes ? Words{"--size", bytes_text(largest)} : Words{};
    steps.push_back(
        {"loaded", "latency under load", joined({{"--points", "6"}, memory, cpu}), loaded_verb.run, read_loaded});
    return steps;
}

} // namespace memtest

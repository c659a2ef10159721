#include "memtest/cli/verbs/plans.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/id_list.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/measure/load_team.hpp"
#include "memtest/report/advice.hpp"
#include "memtest/report/description.hpp"
#include "memtest/report/loaded.hpp"
#include "memtest/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace memtest {
namespace {

constexpr unsigned usual_steps = 12;

std::vector<std::string_view> estimate_words() {
    return {word_of(Estimate::median), word_of(Estimate::mean)};
}

void set_estimate(Options& options, const Argument& argument) {
    const auto estimate = value_of<Estimate>(argument.value);
    if (estimate == Estimate::min)
        throw usage_error("--estimate min: under load the smallest batch is one in which a loader was taken off its "
                          "processor; give median or mean");
    if (!estimate)
        throw not_one_of(argument, estimate_words());
    options.timing.estimate = *estimate;
}

void set_writes(Options& options, const Argument& argument) {
    std::vector<std::string_view> fields;
    split_fields(argument.value, fields);
    options.write_percents.clear();
    for (const std::string_view field : fields) {
        const auto percent = parse_number<unsigned>(field);
        if (!percent || *percent > 100 || std::ranges::count(options.write_percents, *percent) > 0)
            throw refused(argument, "whole numbers from 0 to 100, none twice, such as 50 or 0,33,50,100");
        options.write_percents.push_back(*percent);
    }
}

std::vector<MeasuringOption> loaded_option_table() {
    constexpr std::string_view group = "Options";
    MeasuringOption cpu = shared_option("cpu", "processor that is measured (default: the current one)");
    cpu.argument = "N";
    MeasuringOption estimate = shared_option(
        "estimate", "what a row reports over the batches in which all loaders ran: median or mean", "median");
    estimate.words = estimate_words;
    estimate.set = set_estimate;
    return {
        cpu,
        {{group, 0, "load-cpu", "LIST", "processors that load (default: one per other physical core)"},
         [](Options& o, const Argument& a) { o.load_cpus = parse_processors(a); }},
        {{group, 0, "writes", "LIST",
          "the loaders change a word in this percentage of the lines, 0 to 100: 33, 50 and 100 give 3, 2 and 1 reads "
          "for each write, 0 reads alone; several, such as 0,50,100, give a curve each",
          "0"},
         set_writes},
        {{group, 0, "size", "MiB",
          "memory of each thread; fractions allowed (default: the larger of 256 MiB and 8 times the last cache, or "
          "what fits)"},
         [](Options& o, const Argument& a) { o.max_bytes = parse_size(a, mib); }},
        shared_option("points", "steps of load, evenly spaced in bandwidth, 1 to 64", "12"),
        shared_option("pages", shared_option("pages").help, "thp where the system gives them"),
        shared_option(
            "node",
            "NUMA node that the memory is taken from, or one for each thread, that of --cpu first (default: the "
            "one that the thread runs on)"),
        shared_option("memory"),
        shared_option("overwrite"),
        shared_option("seed"),
        shared_option("precision", "visit each step until its visits agree to PCT percent, at most 16 times", "2"),
        estimate,
        shared_option(
            "stats",
            "append columns: disagreement between visits, visits, batches that count, batches set aside, notes"),
        shared_option("format", "csv, json or table", "csv"),
        shared_option("output"),
        shared_option("quiet")};
}

/// The processor that is measured.
int measured_processor(const Options& options, const Machine& machine) {
    if (options.cpus && options.cpus->size() != 1)
        throw usage_error(fmt::format("--cpu {}: give one processor to measure; --load-cpu names those that load",
                                      format_ids(*options.cpus)));
    if (options.cpus)
        return options.cpus->front();
    for (const int processor : choose_processors(machine.allowed, machine.current, machine.allowed.size())) {
        if (!options.load_cpus || std::ranges::count(*options.load_cpus, processor) == 0)
            return processor;
    }
    throw usage_error(
        fmt::format("--load-cpu {}: leaves no processor to measure; name fewer", format_ids(*options.load_cpus)));
}

/// The measured one first. @param loads whether others follow
std::vector<int> processors_of_all(const Options& options, const Machine& machine, bool loads) {
    for (const auto& [name, ids] : {std::pair("cpu", options.cpus), std::pair("load-cpu", options.load_cpus)}) {
        if (ids)
            check_processors(name, *ids, machine);
    }
    const int measured = measured_processor(options, machine);
    if (!loads)
        return {measured};
    if (!options.load_cpus)
        return choose_processors(machine.allowed, measured, std::max<std::size_t>(2, physical_cores(machine.allowed)));
    if (std::ranges::count(*options.load_cpus, measured) > 0)
        throw usage_error(fmt::format("--cpu {}: --load-cpu {} names it, too; a processor is measured or loads",
                                      measured, format_ids(*options.load_cpus)));
    std::vector<int> all{measured};
    all.insert(all.end(), options.load_cpus->begin(), options.load_cpus->end());
    return all;
}

PageKind pages_for(const Options& options, const Machine& machine) {
    if (options.memory_file)
        return PageKind::system_default;
    return options.pages.value_or(machine.gives_transparent_pages() ? PageKind::transparent_huge
                                                                    : PageKind::system_default);
}

/// Sets the memory of each thread: as asked for, or the default, or what fits.
void fit_memory(LoadedTeam& run, const Options& options, const Machine& machine) {
    const std::size_t smallest = Loader::lines_in_portion * run.team.shape.line_bytes;
    if (options.max_bytes && *options.max_bytes < smallest)
        throw usage_error(
            fmt::format("--size {}: give at least {}", human_size(*options.max_bytes), human_size(smallest)));
    const std::vector<Processor> measured = with_ids(machine.allowed, {run.team.processors.front()});
    const std::uint64_t last_cache = last_cache_bytes(measured);
    const auto usual = static_cast<std::size_t>(std::max<std::uint64_t>(256 * mib, 8 * last_cache));
    const auto least = static_cast<std::size_t>(std::max(2 * mib, 2 * last_cache)); // less would stay in the cache
    const MemoryShare share = share_of_memory(
        {.option = "size",
         .asked = options.max_bytes,
         .usual = usual,
         .least = least,
         .least_name = fmt::format("the least that reaches memory, {} MiB,", least / mib),
         .remedy =
             run.team.processors.size() > 1 ? "free some, or name fewer processors with --load-cpu" : "free some"},
        run.team, machine);
    run.lowered = share.lowered;
    // What fits without it cannot be made larger.
    if (options.max_bytes)
        run.advice = advice_on_little_memory(share.bytes, measured, "size");
    run.team.largest_bytes = share.bytes;
    run.team.area_bytes = share.bytes;
}

std::vector<std::string> loaded_headline(const LoadedRun& run) {
    const std::vector<int>& loaders = run.sweep.loaders;
    std::vector<std::string> sentences{
        fmt::format("memtest {}: latency of a random chain on processor {} while processor{} {} load{}", version,
                    run.team.processors.front(), loaders.size() == 1 ? "" : "s", format_ids(loaders),
                    loaders.size() == 1 ? "s" : "")};
    for (const std::string& sentence :
         load_sentences(run.team.shape.line_bytes, run.write_percents, run.team.area_bytes))
        sentences.push_back(sentence);
    sentences.push_back(fmt::format("Rows: the loaders asleep, awake but silent, in {} of load, asleep again; "
                                    "each visited until known to {:g} %, at most {} times, reporting the {} of the "
                                    "batches in which all loaders ran",
                                    counted(run.sweep.steps, "step"), run.sweep.timing.precision_percent.value_or(0),
                                    run.sweep.timing.visits, word_of(run.sweep.timing.estimate)));
    return sentences;
}

LoadCurve measure_curve(MeasuredResult& result, const LoadedRun& plan, unsigned write_percent, LoadTeam& team) {
    LoadSweep sweep = plan.sweep;
    sweep.pattern.write_percent = write_percent;
    team.set_write_percent(write_percent);
    const std::string which = plan.write_percents.size() > 1 ? of_writes(write_percent) : "";
    std::vector<LoadPoint> points;
    const auto take_row = [&](const LoadRow& row) {
        result.row(loaded_row(row, write_percent), is_settled(row));
        if (row.latency_ns && row.bytes_per_ns)
            points.push_back({.load_percent = row.load_percent,
                              .bytes_per_ns = *row.bytes_per_ns,
                              .latency_ns = *row.latency_ns,
                              .awake = is_awake(row),
                              .visits_percent = row.visits_percent});
        if (const auto sentence = warning_on(row, sweep.loaders))
            result.warn(which + *sentence);
    };
    run_load_sweep(sweep, team, take_row, [&](const std::string& phrase) { result.show_progress(which + phrase); });
    return read_load_curve(points);
}

void measure_loaded(MeasuredResult& result, const LoadedRun& plan, const Machine& machine) {
    LoadTeam team(plan.team, plan.sweep.pattern, machine.files, Interruption::requested());
    RunDescription run = describe_loaded(plan, machine, team.facts());
    run.estimate = plan.sweep.timing.estimate;
    run.precision_percent = plan.sweep.timing.precision_percent;
    run.visits = plan.sweep.timing.visits;
    result.begin(loaded_headline(plan), run, rows_of(plan.sweep) * plan.write_percents.size());
    if (plan.advice)
        result.warn(*plan.advice);

    std::vector<LoadCurve> curves;
    result.measure([&] {
        for (const unsigned write_percent : plan.write_percents) {
            const LoadCurve curve = measure_curve(result, plan, write_percent, team);
            if (!result.is_whole())
                return;
            curves.push_back(curve);
        }
    });
    result.end(loaded_findings(plan.write_percents, curves));
}

ExitStatus run_loaded(const CommandLine& line) {
    const Options options = options_of_loaded(line);
    const Machine machine = read_machine();
    const LoadedRun run = plan_loaded(options, machine);
    return measure_result(loaded_kind, options, line,
                          [&](MeasuredResult& result) { measure_loaded(result, run, machine); });
}

} // namespace

Options options_of_loaded(const CommandLine& line) {
    Options defaults{.shape = {.order = Order::random}};
    defaults.timing.estimate = Estimate::median;
    check_conflicts(line);
    return with_options(defaults, loaded_option_table(), line);
}

MeasuringOption option_of_loaded(std::string_view name) {
    const std::vector<MeasuringOption> table = loaded_option_table();
    return *std::ranges::find(table, name, &MeasuringOption::name);
}

LoadedTeam plan_loaded_team(std::string_view command, bool loads, const Options& asked, const Machine& machine) {
    if (loads)
        check_pinning(command, machine);
    if (loads && machine.allowed.size() < 2)
        throw usage_error(fmt::format("{} needs two processors, and one may be used here; allow more (taskset, control "
                                      "group)",
                                      command));
    Options options = asked;
    const std::vector<int> processors = processors_of_all(asked, machine, loads);
    if (!machine.pinning_refused)
        options.cpus = processors;
    options.threads = static_cast<unsigned>(processors.size());
    if (options.nodes && options.nodes->size() != 1 && options.nodes->size() != options.threads)
        throw usage_error(fmt::format("--node {}: names {} nodes for {} processors; give one for all or one for each",
                                      format_ids(*options.nodes), options.nodes->size(), options.threads));
    options.pages = pages_for(options, machine);
    options.shape.line_bytes = line_bytes_of(machine.allowed, processors.front()).value_or(options.shape.line_bytes);
    LoadedTeam run{.team = team_for(options, machine)};
    fit_memory(run, options, machine);
    check_pages_available(run.team.pages, run.team.area_bytes, options.threads, run.team.nodes, machine.files);
    return run;
}

RunDescription describe_loaded(const LoadedTeam& plan, const Machine& machine, const std::vector<ThreadFacts>& facts) {
    RunDescription run = describe_machine(plan.team, machine, facts);
    run.order = plan.team.shape.order;
    run.line_bytes = plan.team.shape.line_bytes;
    run.seed = plan.team.shape.seed;
    run.largest_size = largest_size(plan.team.largest_bytes, plan.lowered);
    return run;
}

LoadedRun plan_loaded(const Options& options, const Machine& machine) {
    LoadedRun run{plan_loaded_team("memtest loaded", true, options, machine), {}, {}};
    run.team.kept_from_bytes = kept_from({run.team.largest_bytes}, run.team.shape); // each step walks on from the last
    run.sweep = {.steps = options.points.value_or(usual_steps),
                 .pattern = {.line_bytes = run.team.shape.line_bytes},
                 .timing = options.timing,
                 .loaders = run.loaders()};
    run.write_percents = options.write_percents;
    return run;
}

const Verb loaded_verb{.name = "loaded",
                       .summary = "measure latency while others load",
                       .about = "Measures latency against bandwidth: one processor walks a random chain while\n"
                                "others stream through memory of their own, in steps of load evenly spaced in\n"
                                "bandwidth. It prints CSV, and the knee: the highest bandwidth at which latency\n"
                                "is still near that without load.\n",
                       .options = [] { return texts_of(loaded_option_table()); },
                       .run = run_loaded};

} // namespace memtest

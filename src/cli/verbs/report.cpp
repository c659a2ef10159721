#include "memtest/cli/verbs/report.hpp"

#include "memtest/base/id_list.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/measuring.hpp"
#include "memtest/cli/messages.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/cli/verbs/verbs.hpp"
#include "memtest/insight/reported_cache.hpp"
#include "memtest/machine/kinds.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/measure/load_generator.hpp"
#include "memtest/plot/gnuplot_process.hpp"
#include "memtest/plot/heat_map.hpp"
#include "memtest/plot/result_plot.hpp"
#include "memtest/report/output_file.hpp"
#include "memtest/report/result_reader.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <future>
#include <iterator>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

namespace memtest {
namespace {

std::vector<MeasuringOption> report_option_table() {
    return {shared_option("output", "write the page to FILE.md, with plots as SVG and raw results as JSON beside it"),
            shared_option("max-size", "largest tested size; fractions are allowed",
                          "8 times the last cache, at least 128 MiB, or what fits"),
            one_processor_option(), shared_option("quiet", "print no progress")};
}

/// A size at which the last cache holds little, on a core of any kind.
std::size_t beyond_caches(const Machine& machine) {
    return static_cast<std::size_t>(last_caches_to_memory * last_cache_bytes(machine.allowed));
}

/// The requested size; else well beyond the caches, or what fits. In whole lines, since some steps measure only this
/// size. @throws Error (usage) for one in which a step has nothing to measure
std::size_t largest_bytes(const Options& options, const TeamPlan& team, const Machine& machine) {
    const int processor = team.processors.front();
    const std::size_t least =
        LoadGenerator::lines_in_portion * line_bytes_of(machine.allowed, processor).value_or(options.shape.line_bytes);
    if (options.max_bytes && *options.max_bytes < least)
        throw usage_error(
            fmt::format("--max-size {}: the minimum is {}", human_size(*options.max_bytes), human_size(least)));
    const std::size_t usual = std::max<std::size_t>(128 * mib, beyond_caches(machine));
    const std::size_t bytes = share_for_sweep(options, team, machine, usual).bytes;
    return bytes / options.shape.line_bytes * options.shape.line_bytes;
}

/// One per core, or evenly spread ones if their pairs would take too long.
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

/// The words between blanks.
std::vector<std::string> words_of(const std::string& text) {
    std::istringstream words(text);
    return {std::istream_iterator<std::string>(words), {}};
}

/// Where raw results and plots go: next to the page, or into a folder that is removed at the end.
class ReportFiles {
public:
    /// @throws Error if no folder can be made
    explicit ReportFiles(const std::optional<std::string>& page) {
        if (page) {
            begin_ = page->substr(0, page->rfind('.') + 1);
            return;
        }
        const char* temporary = std::getenv("TMPDIR");
        folder_ =
            fmt::format("{}/memtest-report.XXXXXX", temporary == nullptr || *temporary == '\0' ? "/tmp" : temporary);
        if (mkdtemp(folder_.data()) == nullptr)
            throw Error(fmt::format("no folder for raw results, {}: {}; give another in TMPDIR, or --output FILE.md",
                                    folder_, system_reason()));
        begin_ = folder_ + "/";
    }
    ~ReportFiles() {
        std::error_code ignored;
        if (!folder_.empty())
            std::filesystem::remove_all(folder_, ignored);
    }

    ReportFiles(const ReportFiles&) = delete;
    ReportFiles& operator=(const ReportFiles&) = delete;
    ReportFiles(ReportFiles&&) = delete;
    ReportFiles& operator=(ReportFiles&&) = delete;

    [[nodiscard]] std::string path(std::string_view name) const { return begin_ + std::string(name); }
    [[nodiscard]] bool stay() const { return folder_.empty(); }

    /// Keeps the folder, and prints where it is.
    void keep() {
        if (!folder_.empty())
            warn("raw results are in ", folder_);
        folder_.clear();
    }

private:
    std::string folder_; // empty if it stays
    std::string begin_;  // of the paths
};

std::string file_name(const std::string& path) {
    return std::filesystem::path(path).filename().string();
}

/// Draws it, and returns the image in Markdown.
template<class Plot>
std::string drawn(const Plot& plot, const std::string& path) {
    write_drawn(image_program(plot, Image::svg), path, {Interruption::requested()});
    return fmt::format("![{}]({})\n", markdown_text(plot.title), markdown_target(file_name(path)));
}

/// Whether it has more than one point: a single dot shows nothing.
bool has_a_curve(const Result& loaded) {
    return std::ranges::count_if(loaded.rows_of<LoadRow>(),
                                 [](const LoadRow& row) { return row.latency_ns && row.load_percent > 0; }) > 1;
}

/// Draws images beside the page, or on a terminal the sweeps in characters. One that fails costs no other.
void draw(ReportResults& results, const ReportFiles& files, bool on_terminal) {
    const auto keep = [&](std::string& plot, const auto& make) {
        if (Interruption::requested())
            return;
        try {
            plot = make();
        } catch (const Error& error) {
            results.missing.push_back({"plots", error.what()});
        }
    };
    keep(results.sweep_plot, [&] {
        const auto sweeps = plot_of_sweeps(results);
        if (sweeps && files.stay())
            return drawn(*sweeps, files.path("sweep.svg"));
        return sweeps && on_terminal ? drawn_in_characters(*sweeps, {Interruption::requested()}) : "";
    });
    if (!files.stay())
        return;
    if (results.loaded && has_a_curve(*results.loaded))
        keep(results.loaded_plot,
             [&] { return drawn(plot_loads({*results.loaded}, {"latency"}), files.path("loaded.svg")); });
    if (results.tail)
        keep(results.tail_plot, [&] { return drawn(plot_tails({*results.tail}, {"tail"}), files.path("tail.svg")); });
    if (results.nodes)
        keep(results.nodes_plot, [&] { return drawn(plot_matrix(*results.nodes), files.path("nodes.svg")); });
    if (results.prefetch)
        keep(results.prefetch_plot,
             [&] { return drawn(plot_prefetchers({*results.prefetch}, {"prefetch"}), files.path("prefetch.svg")); });
    if (results.cores && results.cores->row_count() > 1)
        keep(results.cores_plot, [&] { return drawn(plot_matrix(*results.cores), files.path("cores.svg")); });
}

/// @return whether any failed
bool take_steps(const std::vector<ReportStep>& steps, const ReportFiles& files, ReportResults& results, bool quiet) {
    ProgressLine progress(!quiet);
    bool failed = false;
    for (std::size_t number = 0; number < steps.size(); ++number) {
        progress.show(fmt::format("step {} of {}: {}", number + 1, steps.size(), steps[number].what));
        if (Interruption::requested())
            results.missing.push_back({steps[number].what, "interrupted"});
        else
            failed = !take_step(steps[number], files.path(steps[number].name + ".json"), results) || failed;
    }
    return failed;
}

constexpr std::string_view how_to_keep = "\nmemtest report -o FILE.md keeps the page, with plots and raw results.\n";

/// In lines for a terminal.
std::string answer_of(const ReportResults& results) {
    std::string lines;
    for (const std::string& sentence : report_summary(results))
        lines += wrapped(escaped(sentence), terminal_columns(), "  ") + "\n";
    return lines;
}

/// @return whether a step failed
bool measure_report(OutputFile& output, ForScreen& screen, const Options& options,
                    const std::vector<ReportStep>& steps) {
    ReportFiles files(options.output);
    ReportResults results{};
    const bool failed = take_steps(steps, files, results, options.quiet);
    const bool has_results = !results.raw_files.empty();
    if (!files.stay())
        results.raw_files.clear(); // the page does not list them
    try {
        if (!Interruption::requested())
            draw(results, files, output.is_terminal());
        output.write(output.is_terminal() ? report_text(results, terminal_columns()) + std::string(how_to_keep)
                                          : report_page(results));
    } catch (const Error& error) {
        if (has_results && error.status() != ExitStatus::closed_pipe)
            files.keep();
        throw;
    }
    if (has_results && (failed || Interruption::requested()))
        files.keep();
    const bool has_plots = !(results.sweep_plot + results.cores_plot + results.loaded_plot + results.tail_plot +
                             results.nodes_plot + results.prefetch_plot)
                                .empty();
    screen = {.answer = answer_of(results),
              .beside = fmt::format(", raw results in {}{}", files.path("*.json"),
                                    has_plots ? fmt::format(", plots in {}", files.path("*.svg")) : "")};
    return failed;
}

ExitStatus run_report(const CommandLine& line) {
    Options options = options_of_report(line);
    const Machine machine = read_machine();
    options.shape = unforeseen_shape(options, machine);
    const auto steps = plan_report(options, machine);
    bool failed = false;
    write_file(options,
               [&](OutputFile& output, ForScreen& screen) { failed = measure_report(output, screen, options, steps); });
    if (failed)
        throw Error("not every step of the report could be measured; its page says which");
    return ExitStatus::success;
}

} // namespace

Options options_of_report(const CommandLine& line) {
    constexpr std::string_view ending = ".md";
    Options options = with_options(Options{.shape = {.order = Order::random}}, report_option_table(), line);
    if (options.output == "-")
        options.output = std::nullopt;
    if (options.output && (!options.output->ends_with(ending) || options.output->size() == ending.size()))
        throw usage_error(fmt::format("--output {}: expected a name that ends in {}; plots and raw results are named "
                                      "after it",
                                      shown(*options.output), ending));
    return options;
}

std::vector<ReportStep> plan_report(const Options& options, const Machine& machine) {
    const TeamPlan team = team_for(options, machine);
    const std::size_t largest = largest_bytes(options, team, machine);
    const std::string cpu = team.pinned ? fmt::format(" --cpu {}", team.processors.front()) : "";
    const std::string up_to = fmt::format(" --max-size {}B", largest);
    const ChainShape& shape = options.shape;
    const std::string random = "--random" + (shape.orders > 1 ? fmt::format(" --orders {}", shape.orders) : "") +
                               (shape.link == Link::index ? " --index" : "");
    const std::string sweep = random + " --stats --cycles --points 4";

    using Results = ReportResults;
    std::vector<ReportStep> steps{
        {"sweep", "sweep with small pages", &probe_command, words_of(sweep + " --pages 4k" + up_to + cpu),
         [](Results& results, Result result) { results.small_pages = std::move(result); }},
        {"huge", "sweep with huge pages", &probe_command, words_of(sweep + " --pages thp" + up_to + cpu),
         [](Results& results, Result result) { results.huge_pages = std::move(result); }}};
    const std::string large_pages = machine.gives_transparent_pages() ? "thp" : "default";
    const std::vector<CoreKind> kinds = team.pinned ? kinds_of(machine.allowed) : std::vector<CoreKind>{};
    for (const CoreKind& kind : kinds) {
        if (kind.name != kind_with(kinds, team.processors.front()).name)
            steps.push_back(
                {fmt::format("kind{}", kind.processors.front()), fmt::format("sweep on {}", kind.name), &probe_command,
                 words_of(fmt::format("{} --pages {}{} --cpu {}", sweep, large_pages, up_to, kind.processors.front())),
                 [](Results& results, Result result) { results.other_kinds.push_back(std::move(result)); }});
    }
    for (const unsigned chains : {1U, 2U, 4U, 8U, 16U, 32U})
        steps.push_back({fmt::format("parallel{}", chains), "parallel chains", &probe_command,
                         words_of(fmt::format("{} --stats --parallel {} --pages {} --min-size {}B{}{}", random, chains,
                                              large_pages, largest, up_to, cpu)),
                         [](Results& results, Result result) { results.parallel.push_back(std::move(result)); }});
    // By default it takes as many pages as make sense.
    const bool is_less_than_usual = largest < 128 * mib;
    steps.push_back({"tlb", "address translation", &tlb_command, words_of((is_less_than_usual ? up_to : "") + cpu),
                     [](Results& results, Result result) { results.tlb = std::move(result); }});
    // With a single core the command itself reports what it lacks.
    const bool has_pairs = team.pinned && physical_cores(machine.allowed) > 1;
    const std::string between = has_pairs ? "--cpu " + format_ids(processors_to_pair(machine)) : "";
    steps.push_back({"cores", "core-to-core latency", &cores_command, words_of(between),
                     [](Results& results, Result result) { results.cores = std::move(result); }});
    const std::string memory = options.max_bytes ? fmt::format(" --size {}B", largest) : "";
    steps.push_back({"loaded", "latency under load", &loaded_command, words_of("--points 6" + memory + cpu),
                     [](Results& results, Result result) { results.loaded = std::move(result); }});
    const bool can_load = team.pinned && machine.allowed.size() > 1;
    steps.push_back({"tail", "latency distribution", &tail_command,
                     words_of(std::string("--accesses 262144") + (can_load ? " --load 100" : "") + memory + cpu),
                     [](Results& results, Result result) { results.tail = std::move(result); }});
    if (machine.numa_nodes.size() > 1)
        steps.push_back({"nodes", "latency and bandwidth between nodes", &nodes_command,
                         words_of("--bandwidth" + (options.max_bytes ? up_to : "")),
                         [](Results& results, Result result) { results.nodes = std::move(result); }});
    steps.push_back({"prefetch", "prefetchers", &prefetch_command, words_of((options.max_bytes ? up_to : "") + cpu),
                     [](Results& results, Result result) { results.prefetch = std::move(result); }});
    return steps;
}

/// Takes the rows that a failed step has, if any has a figure.
void take_partial(const ReportStep& step, const std::string& partial, ReportResults& results) {
    try {
        if (Result result = read_result(partial); has_figure(result))
            step.take(results, std::move(result));
    } catch (const Error&) { // it cannot be read
    }
}

/// The incomplete files of that name, as OutputFile keeps them: PATH.partial, PATH.partial.1 and so on.
std::set<std::filesystem::path> partial_files(const std::string& name) {
    const std::filesystem::path path = without_links(name);
    const std::string partial = path.filename().string() + ".partial";
    std::set<std::filesystem::path> found;
    std::error_code ignored; // a folder that cannot be read: nothing can be told of it
    for (std::filesystem::directory_iterator entry(path.has_parent_path() ? path.parent_path() : ".", ignored), end;
         entry != end; entry.increment(ignored)) {
        const std::string file = entry->path().filename().string();
        const std::string number = file.starts_with(partial) ? file.substr(partial.size()) : "another";
        if (number.empty() || (number.front() == '.' && parse_number<unsigned>(number.substr(1))))
            found.insert(entry->path());
    }
    return found;
}

bool take_step(const ReportStep& step, const std::string& path, ReportResults& results) {
    std::vector<std::string> arguments = step.arguments;
    arguments.insert(arguments.end(), {"--format", "json", "--quiet", "--output", path});
    std::error_code ignored;
    const auto last_written = std::filesystem::last_write_time(path, ignored);
    const std::set<std::filesystem::path> foreign = partial_files(path);
    const auto dispose_of_partial = [&](bool has_failed) {
        for (const std::filesystem::path& partial : partial_files(path)) {
            if (foreign.contains(partial))
                continue;
            if (has_failed)
                take_partial(step, partial.string(), results);
            std::filesystem::remove(partial, ignored);
        }
    };
    try {
        // On its own thread: a command may bind its thread to a processor.
        std::async(std::launch::async, run_command, std::cref(*step.command), arguments).get();
        // An interruption may come just after the result is complete: then the result counts.
        if (Interruption::requested() && std::filesystem::last_write_time(path, ignored) == last_written) {
            results.missing.push_back({step.what, "interrupted"});
            dispose_of_partial(false);
            return true;
        }
        results.raw_files.push_back(file_name(path));
        step.take(results, read_result(path));
        return true;
    } catch (const std::exception& error) { // the other steps are still worth having
        results.missing.push_back({step.what, error.what()});
        dispose_of_partial(true);
        const auto* refusal = dynamic_cast<const Error*>(&error);
        return (refusal != nullptr && refusal->status() == ExitStatus::usage) ||
               dynamic_cast<const MachineBusy*>(&error) != nullptr;
    }
}

const Command report_command{.name = "report",
                             .summary = "measure a machine's memory on one page",
                             .examples = {{{"memtest report", "print the page"},
                                           {"memtest report -o machine.md", "with plots and raw results beside it"}}},
                             .about = "Runs the measurements that this machine allows in half a minute and prints a\n"
                                      "page in Markdown: cache levels, cost of address translation, memory-level\n"
                                      "parallelism and latency distribution; with two processors or more also\n"
                                      "core-to-core latency and latency under load, with several kinds of cores the\n"
                                      "levels of each, and with several NUMA nodes the latency and bandwidth between\n"
                                      "them.\n",
                             .options = [] { return texts_of(report_option_table()); },
                             .run = run_report};

} // namespace memtest

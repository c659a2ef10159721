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
#include "memtest/report/page.hpp"
#include "memtest/report/result_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <future>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

namespace memtest {
namespace {

std::vector<Option<ReportOptions>> report_option_table() {
    return {
        shared_option("output", "write FILE.md, the page, with plots as SVG and all results in FILE.json beside it; "
                                "or only FILE.json"),
        {{"Options", 0, "from", "FILE", "measure nothing: show the page of a report's JSON ('-' is standard input)"},
         [](ReportOptions& o, const Argument& a) { o.from = parse_file_name(a); }},
        shared_option("max-size", "largest tested size; fractions are allowed",
                      "8 times the last cache, at least 128 MiB, or what fits"),
        one_processor_option(),
        shared_option("quiet", "print no progress")};
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

/// A file without a name, for what a step writes.
class UnnamedFile {
public:
    /// @throws Error if there can be none
    UnnamedFile() : descriptor_(memfd_create("memtest", MFD_CLOEXEC)) {
        if (descriptor_ < 0)
            throw Error(fmt::format("no file in memory for a result: {}", system_reason()));
    }
    ~UnnamedFile() { close(descriptor_); }

    UnnamedFile(const UnnamedFile&) = delete;
    UnnamedFile& operator=(const UnnamedFile&) = delete;
    UnnamedFile(UnnamedFile&&) = delete;
    UnnamedFile& operator=(UnnamedFile&&) = delete;

    [[nodiscard]] std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }
    [[nodiscard]] std::string text() const {
        std::array<char, std::size_t{1} << 16U> buffer{};
        std::string text;
        ssize_t bytes = 0;
        while ((bytes = pread(descriptor_, buffer.data(), buffer.size(), static_cast<off_t>(text.size()))) > 0)
            text.append(buffer.data(), static_cast<std::size_t>(bytes));
        return text;
    }

private:
    int descriptor_;
};

std::string file_name(const std::string& path) {
    return std::filesystem::path(path).filename().string();
}

constexpr std::string_view page_ending = ".md";
constexpr std::string_view file_ending = ".json";

/// The page's name with another ending.
std::string beside(const std::string& page, std::string_view ending) {
    return page.substr(0, page.rfind('.')) + std::string(ending);
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
/// @param page its file, if it has one
void draw(ReportResults& results, const std::optional<std::string>& page, bool on_terminal) {
    const auto keep = [&](const std::string& part, const auto& make) {
        if (Interruption::requested())
            return;
        try {
            results.plots[part] = make();
        } catch (const Error& error) {
            results.missing.push_back({"plots", error.what()});
        }
    };
    const auto keep_image = [&](const std::string& part, const auto& make_plot) {
        keep(part, [&] { return drawn(make_plot(), beside(*page, fmt::format(".{}.svg", part))); });
    };
    if (const auto sweeps = plot_of_sweeps(results); sweeps && page)
        keep_image("sweep", [&] { return *sweeps; });
    else if (sweeps && on_terminal)
        keep("sweep", [&] { return drawn_in_characters(*sweeps, {Interruption::requested()}); });
    if (!page)
        return;
    if (results.loaded && has_a_curve(*results.loaded))
        keep_image("loaded", [&] { return plot_loads({*results.loaded}, {"latency"}); });
    if (results.tail)
        keep_image("tail", [&] { return plot_tails({*results.tail}, {"tail"}); });
    if (results.nodes)
        keep_image("nodes", [&] { return plot_matrix(*results.nodes); });
    if (results.prefetch)
        keep_image("prefetch", [&] { return plot_prefetchers({*results.prefetch}, {"prefetch"}); });
    if (results.cores && results.cores->row_count() > 1)
        keep_image("cores", [&] { return plot_matrix(*results.cores); });
}

/// @return whether any failed
bool take_steps(const std::vector<ReportStep>& steps, ReportWriter& file, ReportResults& results, bool quiet) {
    ProgressLine progress(!quiet);
    bool failed = false;
    for (std::size_t number = 0; number < steps.size(); ++number) {
        const std::string& name = steps[number].name;
        progress.show(fmt::format("step {} of {}: {}", number + 1, steps.size(), part_in_words(name)));
        if (Interruption::requested())
            results.missing.push_back({name, "interrupted"});
        else
            failed = !take_step(steps[number], results, file) || failed;
    }
    return failed;
}

constexpr std::string_view how_to_keep = "\nmemtest report -o FILE.md keeps the page, with plots and all results.\n";

/// What a step measured; std::nullopt if it is truncated, or has no figure.
std::optional<Result> result_in(const std::string& document, const std::string& part) {
    try {
        std::istringstream in(document);
        Result result = read_result(in, part);
        result.part = part;
        return has_figure(result) && !result.cut ? std::optional(std::move(result)) : std::nullopt;
    } catch (const Error&) { // it has no rows
        return std::nullopt;
    }
}

/// In lines for a terminal.
std::string answer_of(const ReportResults& results) {
    std::string lines;
    for (const std::string& sentence : report_summary(results))
        lines += wrapped(escaped(sentence), terminal_columns(), "  ") + "\n";
    return lines;
}

/// Writes the page, in the form that the reader takes.
void write_page(const ReportOptions& options, OutputFile& output, ForScreen& screen, ReportResults results) {
    draw(results, options.output, output.is_terminal());
    if (output.is_terminal())
        output.write(report_text(results, terminal_columns()) + std::string(options.from ? "" : how_to_keep));
    else
        output.write(report_page(results));
    screen.answer = answer_of(results);
    if (options.output && !options.from)
        screen.beside = fmt::format(", results in {}", beside(*options.output, file_ending));
    if (options.output && !results.plots.empty())
        screen.beside += fmt::format(", plots in {}", beside(*options.output, ".*.svg"));
}

/// Measures the parts into the report's file. @param name of the file; empty for none @return whether a step failed
bool measure_report(const ReportOptions& options, const std::vector<ReportStep>& steps, const std::string& name,
                    ReportResults& results) {
    Options raw = options;
    raw.output = name;
    raw.told_elsewhere = options.output != name;
    bool failed = false;
    write_file(raw, [&](OutputFile& output, ForScreen& screen) {
        ReportWriter file(output);
        failed = take_steps(steps, file, results, options.quiet);
        file.end(results.missing);
        screen.answer = answer_of(results);
    });
    return failed;
}

/// Measures the report, and writes its page unless only its file is asked for.
ExitStatus measure_and_show(ReportOptions options) {
    const Machine machine = read_machine();
    options.shape = unforeseen_shape(options, machine);
    const auto steps = plan_report(options, machine);
    ReportResults results{};
    bool failed = false;
    if (options.output && options.output->ends_with(file_ending))
        failed = measure_report(options, steps, *options.output, results);
    else
        write_file(options, [&](OutputFile& output, ForScreen& screen) {
            failed =
                measure_report(options, steps, options.output ? beside(*options.output, file_ending) : "", results);
            write_page(options, output, screen, std::move(results));
        });
    if (failed)
        throw Error("not every step of the report could be measured; it says which under what is missing");
    return ExitStatus::success;
}

ExitStatus run_report(const CommandLine& line) {
    const ReportOptions options = options_of_report(line);
    if (!options.from)
        return measure_and_show(options);
    StoredFile file = read_file(*options.from);
    if (file.cut)
        warn(fmt::format("{} is truncated: parts of the report may be missing", file.name));
    ReportResults results = report_of(std::move(file));
    write_file(options,
               [&](OutputFile& output, ForScreen& screen) { write_page(options, output, screen, std::move(results)); });
    return ExitStatus::success;
}

} // namespace

ReportOptions options_of_report(const CommandLine& line) {
    ReportOptions options =
        with_options(ReportOptions{{.shape = {.order = Order::random}}}, report_option_table(), line);
    for (const std::string_view name : {"max-size", "cpu"}) {
        if (options.from && line.given(name) != nullptr)
            throw usage_error(fmt::format("--{} cannot be combined with --from, which measures nothing", name));
    }
    if (options.output == "-")
        options.output = std::nullopt;
    std::vector<std::string_view> endings{page_ending};
    if (!options.from)
        endings.push_back(file_ending);
    const auto fits = [&](std::string_view ending) {
        return options.output->ends_with(ending) && options.output->size() > ending.size();
    };
    if (options.output && std::ranges::none_of(endings, fits))
        throw usage_error(fmt::format("--output {}: expected a name that ends in {}; other files are named after it",
                                      shown(*options.output), fmt::join(endings, " or ")));
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

    std::vector<ReportStep> steps{{"sweep", &probe_command, words_of(sweep + " --pages 4k" + up_to + cpu)},
                                  {"huge", &probe_command, words_of(sweep + " --pages thp" + up_to + cpu)}};
    const std::string large_pages = machine.gives_transparent_pages() ? "thp" : "default";
    const std::vector<CoreKind> kinds = team.pinned ? kinds_of(machine.allowed) : std::vector<CoreKind>{};
    for (const CoreKind& kind : kinds) {
        if (kind.name != kind_with(kinds, team.processors.front()).name)
            steps.push_back({fmt::format("kind{}", kind.processors.front()), &probe_command,
                             words_of(fmt::format("{} --pages {}{} --cpu {}", sweep, large_pages, up_to,
                                                  kind.processors.front()))});
    }
    for (const unsigned chains : {1U, 2U, 4U, 8U, 16U, 32U})
        steps.push_back({fmt::format("parallel{}", chains), &probe_command,
                         words_of(fmt::format("{} --stats --parallel {} --pages {} --min-size {}B{}{}", random, chains,
                                              large_pages, largest, up_to, cpu))});
    // By default it takes as many pages as make sense.
    const bool is_less_than_usual = largest < 128 * mib;
    steps.push_back({"tlb", &tlb_command, words_of((is_less_than_usual ? up_to : "") + cpu)});
    // With a single core the command itself reports what it lacks.
    const bool has_pairs = team.pinned && physical_cores(machine.allowed) > 1;
    const std::string between = has_pairs ? "--cpu " + format_ids(processors_to_pair(machine)) : "";
    steps.push_back({"cores", &cores_command, words_of(between)});
    const std::string memory = options.max_bytes ? fmt::format(" --size {}B", largest) : "";
    steps.push_back({"loaded", &loaded_command, words_of("--points 6" + memory + cpu)});
    const bool can_load = team.pinned && machine.allowed.size() > 1;
    steps.push_back({"tail", &tail_command,
                     words_of(std::string("--accesses 262144") + (can_load ? " --load 100" : "") + memory + cpu)});
    if (machine.numa_nodes.size() > 1)
        steps.push_back({"nodes", &nodes_command, words_of("--bandwidth" + (options.max_bytes ? up_to : ""))});
    steps.push_back({"prefetch", &prefetch_command, words_of((options.max_bytes ? up_to : "") + cpu)});
    return steps;
}

bool take_step(const ReportStep& step, ReportResults& results, ReportWriter& file) {
    const UnnamedFile output;
    std::vector<std::string> arguments = step.arguments;
    arguments.insert(arguments.end(), {"--format", "json", "--quiet", "--output", output.path()});
    std::string reason;
    bool is_well = true;
    try {
        // On its own thread: a command may bind its thread to a processor.
        std::async(std::launch::async, run_command, std::cref(*step.command), arguments).get();
    } catch (const std::exception& error) { // the other steps are still worth having
        const auto* refusal = dynamic_cast<const Error*>(&error);
        reason = error.what();
        is_well = (refusal != nullptr && refusal->status() == ExitStatus::usage) ||
                  dynamic_cast<const MachineBusy*>(&error) != nullptr;
    }
    const std::string document = output.text();
    auto result = result_in(document, step.name);
    // An interruption may come just after the result is complete: then the result counts.
    if (reason.empty() && Interruption::requested() && (!result || why_incomplete(*result))) {
        reason = "interrupted";
        result.reset();
    }
    if (!reason.empty())
        results.missing.push_back({step.name, reason});
    if (result) {
        file.part(step.name, document);
        put_part(results, *std::move(result));
    }
    return is_well;
}

const Command report_command{.name = "report",
                             .summary = "measure a machine's memory on one page",
                             .examples = {{{"memtest report -o machine.md", "keep the page, plots and results"},
                                           {"memtest report --from machine.json", "show a page again"}}},
                             .about =
                                 "Runs the measurements that this machine allows in half a minute and prints a\n"
                                 "page in Markdown: cache levels, cost of address translation, memory-level\n"
                                 "parallelism and latency distribution; with two processors or more also\n"
                                 "core-to-core latency and latency under load, with several kinds of cores the\n"
                                 "levels of each, and with several NUMA nodes the latency and bandwidth between\n"
                                 "them. Other commands read the parts of its JSON file, which holds all results.\n",
                             .options = [] { return texts_of(report_option_table()); },
                             .run = run_report};

} // namespace memtest

#include "memtest/cli/verbs/report.hpp"

#include "memtest/base/text.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/measuring.hpp"
#include "memtest/cli/messages.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/cli/verbs/verbs.hpp"
#include "memtest/plot/gnuplot_process.hpp"
#include "memtest/plot/heat_map.hpp"
#include "memtest/plot/inline_svg.hpp"
#include "memtest/plot/result_plot.hpp"
#include "memtest/report/output_file.hpp"
#include "memtest/report/page.hpp"
#include "memtest/report/page_html.hpp"
#include "memtest/report/result_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <utility>

namespace memtest {
namespace {

std::vector<Option<ReportOptions>> report_option_table() {
    return {
        shared_option("output", "write FILE.html, the page with its plots, or FILE.md with plots as SVG beside it, and "
                                "all results in FILE.json; or only FILE.json"),
        {{"Options", 0, "from", "FILE", "measure nothing: show the page of a report's JSON ('-' is standard input)"},
         [](ReportOptions& o, const Argument& a) { o.from = parse_file_name(a); }},
        {{.group = "Options",
          .name = "beside",
          .argument = "FILE",
          .help = "show the machine of this report, too; may be given several times",
          .repeats = true},
         [](ReportOptions& o, const Argument& a) { o.beside.push_back(parse_file_name(a)); }},
        {{"Options", 0, "only", "LIST",
          "measure only these parts: levels, kinds (of cores), parallel, tlb, cores, loaded, tail, nodes, prefetch",
          "all that make sense here", report_sections},
         [](ReportOptions& o, const Argument& a) { o.only = parse_words(a, report_sections()); }},
        {{"Options", 0, "without", "LIST", "leave out these parts", "", report_sections},
         [](ReportOptions& o, const Argument& a) { o.without = parse_words(a, report_sections()); }},
        shared_option("max-size", "largest tested size; fractions are allowed",
                      "8 times the last cache, at least 128 MiB, or what fits"),
        one_processor_option(),
        shared_option("quiet", "print no progress")};
}

std::string file_name(const std::string& path) {
    return std::filesystem::path(path).filename().string();
}

constexpr std::string_view markdown_ending = ".md";
constexpr std::string_view html_ending = ".html";
constexpr std::string_view file_ending = ".json";

bool is_html(const std::optional<std::string>& page) {
    return page && page->ends_with(html_ending);
}

/// The page's name with another ending.
std::string beside(const std::string& page, std::string_view ending) {
    return page.substr(0, page.rfind('.')) + std::string(ending);
}

/// Draws a part, and returns the image in the form of the page: within it, or beside it.
template<class Plot>
std::string drawn(const Plot& plot, const std::string& part, const std::string& page) {
    const std::string program = image_program(plot, Image::svg);
    const GnuplotLimits limits{Interruption::requested()};
    if (is_html(page))
        return inline_svg(run_gnuplot(program, limits), part, plot.title);
    const std::string path = beside(page, fmt::format(".{}.svg", part));
    write_drawn(program, path, limits);
    return fmt::format("![{}]({})\n", markdown_text(plot.title), markdown_target(file_name(path)));
}

/// Whether it has more than one point: a single dot shows nothing.
bool has_a_curve(const Result& loaded) {
    return std::ranges::count_if(loaded.rows_of<LoadRow>(),
                                 [](const LoadRow& row) { return row.latency_ns && row.load_percent > 0; }) > 1;
}

/// Draws images for the page, or on a terminal the sweeps in characters. One that fails costs no other.
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
        keep(part, [&] { return drawn(make_plot(), part, *page); });
    };
    if (const auto sweeps = plot_of_sweeps(results); sweeps && page)
        keep_image("sweep", [&] { return *sweeps; });
    else if (sweeps && on_terminal)
        keep("sweep", [&] { return drawn_in_characters(*sweeps, {Interruption::requested()}); });
    if (!page)
        return;
    if (const auto machines = plot_of_machines(results))
        keep_image("beside", [&] { return *machines; });
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

constexpr std::string_view how_to_keep = "\nmemtest report -o FILE.html keeps the page, with plots and all results.\n";

/// In lines for a terminal.
std::string answer_of(const ReportResults& results) {
    std::string lines;
    for (const std::string& sentence : page_of(results).summary)
        lines += wrapped(escaped(sentence), terminal_columns(), "  ") + "\n";
    return lines;
}

/// Writes the page, in the form that the reader takes.
void write_page(const ReportOptions& options, OutputFile& output, ForScreen& screen, ReportResults results) {
    draw(results, options.output, output.is_terminal());
    if (output.is_terminal())
        output.write(report_text(results, terminal_columns()) + std::string(options.from ? "" : how_to_keep));
    else
        output.write(is_html(options.output) ? report_html(results) : report_page(results));
    screen.answer = answer_of(results);
    if (options.output && !options.from)
        screen.beside = fmt::format(", results in {}", beside(*options.output, file_ending));
    if (options.output && !is_html(options.output) && !results.plots.empty())
        screen.beside += fmt::format(", plots in {}", beside(*options.output, ".*.svg"));
}

/// Measures the parts into the report's file. @param name of the file; empty for none @return as take_steps()
bool measure_report(const ReportOptions& options, const std::vector<ReportStep>& steps, const std::string& name,
                    ReportResults& results) {
    Options raw = options;
    raw.output = name;
    raw.told_elsewhere = options.output != name;
    bool is_well = true;
    write_file(raw, [&](OutputFile& output, ForScreen& screen) {
        ReportWriter file(output);
        is_well = take_steps(steps, results, file, options.quiet);
        file.end(results.missing);
        screen.answer = answer_of(results);
    });
    return is_well;
}

/// The machine that a report's file is named after.
std::string machine_name(const std::string& path) {
    return std::filesystem::path(path).stem().string();
}

/// The machines to show along with this one, under names that tell them apart.
ReportResults results_beside(const ReportOptions& options) {
    ReportResults results{};
    results.name = options.from ? machine_name(*options.from) : "this machine";
    for (const std::string& file : options.beside)
        results.beside.push_back(in_brief(report_of(read_file(file)), machine_name(file)));
    return results;
}

/// Measures the report, and writes its page unless only its file is asked for.
ExitStatus measure_and_show(ReportOptions options) {
    const Machine machine = read_machine();
    options.shape = unforeseen_shape(options, machine);
    const auto steps = plan_report(options, machine);
    ReportResults results = results_beside(options);
    bool is_well = true;
    if (options.output && options.output->ends_with(file_ending))
        is_well = measure_report(options, steps, *options.output, results);
    else
        write_file(options, [&](OutputFile& output, ForScreen& screen) {
            is_well =
                measure_report(options, steps, options.output ? beside(*options.output, file_ending) : "", results);
            write_page(options, output, screen, std::move(results));
        });
    if (!is_well)
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
    ReportResults others = results_beside(options);
    results.name = std::move(others.name);
    results.beside = std::move(others.beside);
    write_file(options,
               [&](OutputFile& output, ForScreen& screen) { write_page(options, output, screen, std::move(results)); });
    return ExitStatus::success;
}

} // namespace

ReportOptions options_of_report(const CommandLine& line) {
    ReportOptions options =
        with_options(ReportOptions{{.shape = {.order = Order::random}}}, report_option_table(), line);
    check_conflicts(line);
    if (options.output == "-")
        options.output = std::nullopt;
    std::vector<std::string_view> endings{html_ending, markdown_ending};
    if (!options.from)
        endings.push_back(file_ending);
    const auto fits = [&](std::string_view ending) {
        return options.output->ends_with(ending) && options.output->size() > ending.size();
    };
    if (options.output && std::ranges::none_of(endings, fits))
        throw usage_error(fmt::format("--output {}: expected a name that ends in {}; other files are named after it",
                                      shown(*options.output), fmt::join(endings, " or ")));
    if (!options.beside.empty() && options.output && options.output->ends_with(file_ending))
        throw usage_error(fmt::format("--beside {} requires a page; {} holds only what is measured",
                                      shown(options.beside.front()), shown(*options.output)));
    return options;
}

const Command report_command{.name = "report",
                             .summary = "measure a machine's memory on one page",
                             .examples = {{{"memtest report -o machine.html", "keep the page, plots and results"},
                                           {"memtest report --from machine.json", "show a page again"}}},
                             .about = "Runs the measurements that this machine allows in half a minute and makes a\n"
                                      "page in Markdown or HTML: cache levels, cost of address translation,\n"
                                      "memory-level parallelism and latency distribution; with two processors or more\n"
                                      "also core-to-core latency and latency under load, with several kinds of cores\n"
                                      "the levels of each, and with several NUMA nodes the latency and bandwidth\n"
                                      "between them. Other commands read the parts of its JSON file, which holds all\n"
                                      "results.\n",
                             .options = [] { return texts_of(report_option_table()); },
                             .run = run_report};

} // namespace memtest

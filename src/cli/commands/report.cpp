#include "memtest/cli/commands/report.hpp"

#include "memtest/base/text.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/measuring.hpp"
#include "memtest/cli/messages.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/kinds/report.hpp"
#include "memtest/result/output_file.hpp"
#include "memtest/result/result_reader.hpp"
#include "memtest/show/curve_plot.hpp"
#include "memtest/show/gnuplot_process.hpp"
#include "memtest/show/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>

namespace memtest {
namespace {

std::vector<Option<ReportOptions>> report_option_table() {
    return {
        shared_option("output",
                      "what to write, by the ending: FILE.html is one page with its plots, FILE.md has them "
                      "as SVG beside it, and both write all results to FILE.json, too; FILE.json is the results alone"),
        {{"Options", 0, "from", "FILE", "measure nothing: show the page of a report's JSON ('-' is standard input)"},
         [](auto& o, auto& a) { o.from = parse_file_name(a); }},
        {{.group = "Options",
          .name = "beside",
          .argument = "FILE",
          .help = "also show the machine of another report; may be given several times",
          .repeats = true},
         [](auto& o, auto& a) { o.beside.push_back(parse_file_name(a)); }},
        {{"Options", 0, "only", "LIST",
          "measure only these parts: levels, kinds (of cores), parallel, tlb, cores, loaded, tail, nodes, prefetch",
          "all that make sense here", report_sections},
         [](auto& o, auto& a) { o.only = parse_words(a, report_sections()); }},
        {{"Options", 0, "without", "LIST", "leave out these parts", "", report_sections},
         [](auto& o, auto& a) { o.without = parse_words(a, report_sections()); }},
        shared_option("max-size", "largest tested size; fractions are allowed",
                      "8 times the last cache, at least 128 MiB, or what fits"),
        one_processor_option(),
        time_option("48, or less for fewer parts"),
        shared_option("quiet", "print no progress")};
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

std::string title_of(const Plot& plot) {
    return std::visit([](const auto& drawn) { return drawn.title; }, plot);
}

/// Draws a part, and returns the image in the form of the page: within it, or beside it.
/// @param is_unwritten set if its file cannot be written; that of an earlier page goes, too
std::string drawn(const Plot& plot, const std::string& part, const std::string& page, bool& is_unwritten) {
    const std::string program = image_program(plot, Image::svg);
    const GnuplotLimits limits{Interruption::requested()};
    const std::string image = run_gnuplot(program, limits);
    if (is_html(page))
        return inline_svg(image, part, title_of(plot));
    const std::string path = beside(page, fmt::format(".{}.svg", part));
    try {
        OutputFile output(path, limits.interrupted);
        output.write(image);
        output.commit();
    } catch (const Error&) {
        is_unwritten = true;
        std::error_code ignored;
        if (std::filesystem::is_regular_file(path, ignored))
            std::filesystem::remove(path, ignored);
        throw;
    }
    return fmt::format("![{}]({})\n", markdown_text(title_of(plot)),
                       markdown_target(std::filesystem::path(path).filename().string()));
}

/// Draws images for the page, or on a terminal the sweeps in characters. One that fails costs no other.
/// @param page its file, if it has one @return whether each image that was drawn could be written
bool draw(StoredFile& report, PageExtras& extras, const std::optional<std::string>& page, bool on_terminal) {
    bool is_unwritten = false;
    const auto until = std::chrono::steady_clock::now() + GnuplotLimits().time; // of one that hangs, for all plots
    for (const std::string& name : plots_of(report)) {
        const bool is_wanted = page || (on_terminal && name == "sweep");
        if (!is_wanted || Interruption::requested() || std::chrono::steady_clock::now() >= until)
            continue;
        try {
            if (const auto plot = plot_of(report, extras, name))
                extras.plots[name] = page ? drawn(*plot, name, *page, is_unwritten)
                                          : drawn_in_characters(std::get<SizePlot>(*plot), {Interruption::requested()});
        } catch (const Error& error) {
            report.missing.push_back({"plots", error.what()});
        }
    }
    return !is_unwritten;
}

constexpr std::string_view how_to_keep = "\nmemtest report -o FILE.html keeps the page, with plots and all results.\n";

/// In lines for a terminal.
std::string summary_of(const Page& page) {
    return joined(page.summary, "", [](const std::string& sentence) {
        return wrapped(escaped(sentence), terminal_columns(), "  ") + "\n";
    });
}

/// Writes the page, in the form that the reader takes. @return whether it has each image that was drawn
bool write_page(const ReportOptions& options, OutputFile& output, ForScreen& screen, StoredFile report,
                PageExtras extras) {
    if (!options.output && Interruption::requested() && report.results.empty()) {
        if (!options.quiet)
            warn("interrupted before any part was measured");
        return true;
    }
    const bool has_images = draw(report, extras, options.output, output.is_terminal());
    const Page page = page_of(report, extras);
    if (output.is_terminal())
        output.write(report_text(page, terminal_columns()) + std::string(options.from ? "" : how_to_keep));
    else
        output.write(is_html(options.output) ? report_html(page) : report_page(page));
    screen.answer = summary_of(page);
    if (options.output && !options.from)
        screen.beside = fmt::format(", results in {}", beside(*options.output, file_ending));
    if (options.output && !is_html(options.output) && !extras.plots.empty())
        screen.beside += fmt::format(", plots in {}", beside(*options.output, ".*.svg"));
    return has_images;
}

/// The reports to read.
std::vector<std::string> files_of(const ReportOptions& options) {
    std::vector<std::string> files = options.beside;
    if (options.from)
        files.push_back(*options.from);
    return files;
}

/// What the machine of a file is called among all: after the file, with its folder if others have the same name.
std::string machine_name(const std::string& path, const std::vector<std::string>& all) {
    const auto name_of = [](const std::string& file) {
        return file == "-" ? "standard input" : std::filesystem::path(file).stem().string();
    };
    const bool is_ambiguous = std::ranges::any_of(
        all, [&](const std::string& other) { return other != path && name_of(other) == name_of(path); });
    return is_ambiguous ? path : name_of(path);
}

StoredFile read_report(const std::string& path) {
    StoredFile file = read_file(path);
    check_report(file);
    return file;
}

/// The machines to show along with this one.
PageExtras extras_for(const ReportOptions& options) {
    const std::vector<std::string> files = files_of(options);
    PageExtras extras{.name = options.from ? machine_name(*options.from, files) : "this machine"};
    for (const std::string& file : options.beside)
        extras.beside.push_back(in_brief(read_report(file), machine_name(file, files)));
    return extras;
}

/// Refuses to write the results over a report that is shown beside them. @throws Error (usage)
void check_results_file(const ReportOptions& options) {
    if (!options.output || options.from)
        return;
    const std::string results = beside(*options.output, file_ending);
    for (const std::string& file : options.beside) {
        std::error_code missing;
        if (file == results || std::filesystem::equivalent(file, results, missing))
            throw usage_error(
                fmt::format("--beside {} is also the file for the results; name another --output", shown(file)));
    }
}

ExitStatus run_report(const CommandLine& line) {
    ReportOptions options = options_of_report(line);
    std::vector<ReportStep> steps;
    if (!options.from) {
        const Machine machine = read_machine();
        options.shape = unforeseen_chain(team_for(options, machine), machine);
        steps = plan_report(options, machine);
    }
    StoredFile report = options.from ? read_report(*options.from) : StoredFile{.is_report = true};
    const PageExtras extras = extras_for(options);
    const std::string results = options.output ? beside(*options.output, file_ending) : "";
    const bool has_page = options.output != results;
    bool is_well = true;
    bool has_images = true;
    const auto measure = [&](OutputFile& output, ForScreen& screen) {
        ReportWriter file(output);
        is_well = measure_steps(steps, report, file, options.quiet);
        file.end(report.missing);
        screen.told_elsewhere = has_page;
        if (!has_page)
            screen.answer = summary_of(page_of(report, {}));
    };
    const auto measure_and_show = [&](OutputFile& output, ForScreen& screen) {
        if (!options.from)
            write_file(results, options.quiet, measure);
        has_images = write_page(options, output, screen, std::move(report), extras);
    };
    if (has_page)
        write_file(options.output, options.quiet, measure_and_show);
    else
        write_file(results, options.quiet, measure);
    if (!has_images)
        throw Error(fmt::format("some plots beside {} could not be written; 'What is missing' on the page says why",
                                shown(*options.output)));
    if (!is_well)
        throw Error(fmt::format("some parts of the report could not be measured; {} says why",
                                has_page ? "'What is missing' on the page" : "'missing' in " + results));
    return ExitStatus::success;
}

} // namespace

ReportOptions options_of_report(const CommandLine& line) {
    ReportOptions options =
        with_options(ReportOptions{{.shape = {.order = Order::random}}}, report_option_table(), line);
    if (options.output == "-")
        options.output = std::nullopt;
    std::vector<std::string_view> endings{html_ending, markdown_ending};
    if (!options.from)
        endings.push_back(file_ending);
    const auto fits = [&](std::string_view ending) {
        return options.output->ends_with(ending) && options.output->size() > ending.size();
    };
    if (options.output && std::ranges::none_of(endings, fits))
        throw usage_error(
            fmt::format("--output {}: expected a name that ends in {} or {}; other files are named after it",
                        shown(*options.output), fmt::join(endings.begin(), endings.end() - 1, ", "), endings.back()));
    if (!options.beside.empty() && options.output && options.output->ends_with(file_ending))
        throw usage_error(fmt::format("--beside {} requires a page; {} holds only what is measured",
                                      shown(options.beside.front()), shown(*options.output)));
    check_standard_input(files_of(options));
    if (const auto twice = given_twice(options.beside))
        throw usage_error(fmt::format("--beside {} is named twice; name each report once", shown(*twice)));
    check_results_file(options);
    return options;
}

const Command report_command{.name = "report",
                             .summary = "make a page about this machine's memory",
                             .examples = {{{"memtest report -o machine.html", "keep the page, plots and results"},
                                           {"memtest report --from machine.json", "show a page again"}}},
                             .about =
                                 "Runs the measurements that this machine allows and makes a page in Markdown or\n"
                                 "HTML: cache levels, cost of address translation, memory-level parallelism and\n"
                                 "latency distribution; with two processors or more also core-to-core latency and\n"
                                 "latency under load, with several kinds of cores the levels of each, and with\n"
                                 "several NUMA nodes the latency and bandwidth between them. Other commands read\n"
                                 "the parts of its JSON file, which holds all results.\n",
                             .options = [] { return texts_of(report_option_table()); },
                             .run = run_report};

} // namespace memtest

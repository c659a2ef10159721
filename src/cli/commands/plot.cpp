#include "memtest/base/text.hpp"
#include "memtest/base/words.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/messages.hpp"
#include "memtest/kinds/report.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/result/output_file.hpp"
#include "memtest/result/plot_data.hpp"
#include "memtest/result/result_reader.hpp"
#include "memtest/result/result_taker.hpp"
#include "memtest/show/curve_plot.hpp"
#include "memtest/show/gnuplot_process.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <variant>

namespace memtest {
namespace {

struct PlotOptions : ReadingOptions {
    std::optional<std::string> output;
    bool terminal = false;
    std::vector<std::string> labels;
    std::string title; // empty for the usual one
    PlotStyle style;
};

const auto plot_options = std::to_array<Option<PlotOptions>>({
    {{"Options", 'o', "output", "FILE",
      "draw to FILE with gnuplot: FILE.png, FILE.svg or FILE.pdf; or write the gnuplot program, FILE.gp"},
     [](auto& o, auto& a) { o.output = a.value; }},
    {{"Options", 0, "terminal", "", "draw in characters even into a pipe or a file"},
     [](auto& o, auto&) { o.terminal = true; }},
    {{"Options", 0, "levels", "", "show the inferred cache levels of the first sweep, as lines"},
     [](auto& o, auto&) { o.style.levels = true; }},
    {{"Options", 0, "ratio", "", "draw the speed relative to the first sweep, at the sizes shared with it"},
     [](auto& o, auto&) { o.style.ratio = true; }},
    {{"Options", 0, "cycles", "", "draw core cycles instead of ns, for sweeps measured with --cycles"},
     [](auto& o, auto&) { o.style.cycles = true; }},
    {{"Options", 0, "title", "TEXT", "title of the plot"}, [](auto& o, auto& a) { o.title = a.value; }},
    part_option(),
    columns_option(),
    {{.group = "Options",
      .name = "label",
      .argument = "NAME",
      .help = "name of a file in the legend; give it once per FILE, in the same order",
      .repeats = true},
     [](auto& o, auto& a) {
         o.labels.emplace_back(a.value);
         o.style.has_labels = true;
     }},
});

/// The name of a file's curve: the file's name without folders and `.csv`.
std::string plot_label(const std::filesystem::path& path) {
    return (path.extension() == ".csv" ? path.stem() : path.filename()).string();
}

/// The kind of image that the file's ending names; std::nullopt for a gnuplot program.
/// @throws Error (usage) for another ending
std::optional<Image> image_for(const std::string& path) {
    const std::string ending = lower_case(std::filesystem::path(path).extension().string());
    const auto image = value_of<Image>(ending.empty() ? ending : ending.substr(1));
    if (!image && ending != ".gp")
        throw usage_error(fmt::format("--output {}: expected a name that ends in .png, .svg, .pdf or .gp{}",
                                      shown(path), ending == ".html" ? "; 'memtest report' makes pages" : ""));
    return image;
}

/// Refuses early what would fail only after minutes of a sweep through a pipe.
void check_output(const std::string& path) {
    static_cast<void>(image_for(path));
    const std::string folder = std::filesystem::path(path).parent_path().string();
    if (access(folder.empty() ? "." : folder.c_str(), W_OK) != 0)
        throw Error(fmt::format("cannot write to {}: {}", shown(path), system_reason()));
}

void check(const PlotOptions& options, const std::vector<std::string>& files) {
    if (options.output)
        check_output(*options.output);
    check_standard_input(files);
    if (!options.labels.empty() && options.labels.size() != files.size())
        throw usage_error(fmt::format("--label is given {} for {}; give it once per file",
                                      counted(options.labels.size(), "time"), counted(files.size(), "file")));
    if (options.style.ratio && files.size() < 2)
        throw usage_error("--ratio requires two files or more: it compares with the first");
}

/// Draws the image, or writes the program for it.
void draw(const Plot& plot, const std::optional<std::string>& path) {
    const std::optional<Image> image = path ? image_for(*path) : std::nullopt;
    const std::string program = image_program(plot, image);
    if (image)
        return write_drawn(program, *path, {Interruption::requested()});
    OutputFile file(path, Interruption::requested());
    file.write(program);
    if (path)
        file.commit();
}

/// Whether a person is to see the plot in characters.
bool shows_characters(const PlotOptions& options) {
    return options.terminal || (!options.output && OutputFile(std::nullopt).is_terminal());
}

/// What the files hold, drawn together. @throws Error (usage) if files or options cannot be combined
Plot plot_of(const std::vector<Result>& results, const PlotOptions& options) {
    const Result& first = results.front();
    const auto other = std::ranges::find_if(results, [&](const Result& result) { return result.kind != first.kind; });
    if (other != results.end())
        throw usage_error(
            fmt::format("{} and {} are of different commands; draw them separately", first.name, other->name));
    const std::string what = fmt::format("{}: holds {}", first.name, described(*first.kind));
    if (first.kind->facts.plot == nullptr)
        throw usage_error(fmt::format("{}, which is not drawn", what));
    if (first.kind != &sweep_kind && (options.style.levels || options.style.ratio || options.style.cycles))
        throw usage_error(fmt::format("{}; --levels, --ratio and --cycles are for sweeps; omit them", what));
    std::vector<std::string> labels = options.labels;
    for (std::size_t i = labels.size(); i < results.size(); ++i)
        labels.push_back(plot_label(results[i].name));
    Plot plot = first.kind->facts.plot(results, labels, options.style);
    if (std::holds_alternative<HeatMap>(plot)) {
        if (results.size() > 1 || !options.labels.empty())
            throw usage_error(fmt::format("{}, which is drawn alone; omit the other files and --label", what));
        if (shows_characters(options))
            throw usage_error(fmt::format("{}, which needs colours; give --output FILE.svg", what));
    }
    if (!options.title.empty())
        std::visit([&](auto& drawn) { drawn.title = options.title; }, plot);
    return plot;
}

ExitStatus run_plot(const CommandLine& line) {
    const PlotOptions options = with_options(PlotOptions(), plot_options, line);
    auto files = line.operands;
    if (files.empty() && isatty(STDIN_FILENO) == 1)
        throw usage_error("memtest plot takes one file or more, or a result through a pipe; see 'memtest plot --help'");
    if (files.empty())
        files.emplace_back("-");
    check(options, files);

    std::vector<Result> results;
    for (const std::string& file : files) {
        Result& result = results.emplace_back(chosen_or_sweep(read_file(file, options.columns), nullptr, options.part));
        if (!options.style.ratio && !options.style.cycles) // the plot shows these
            std::erase_if(result.warnings, [](const Notice& note) { return note.code == Code::contested_sizes; });
        warn_of(result);
    }
    const Interruption interruption; // not before reading: it would keep a signal from ending the wait for a pipe
    const Plot plot = plot_of(results, options);
    const auto* curves = std::get_if<SizePlot>(&plot);
    if (options.style.levels && curves != nullptr && curves->levels.empty())
        warn(fmt::format("{} shows no levels; 'memtest levels' says why", results.front().name));
    if (curves != nullptr && shows_characters(options))
        OutputFile(std::nullopt, Interruption::requested())
            .write(drawn_in_characters(*curves, {Interruption::requested()}));
    else
        draw(plot, options.output);
    if (OutputFile screen(std::nullopt); options.output && screen.is_terminal())
        screen.write(fmt::format("wrote {}\n", shown(*options.output)));
    return ExitStatus::success;
}

} // namespace

const Command plot_command{
    .name = "plot",
    .operands = "[FILE...]",
    .summary = "draw results with gnuplot",
    .examples = {{{"memtest plot --levels -o sweep.svg sweep.csv", "draw a sweep and its levels"},
                  {"memtest plot a.csv | ssh desk gnuplot > a.png", "draw on another machine"}}},
    .about = "Draws latency by memory size, a curve for each sweep and thread; latency by\n"
             "bandwidth, a curve for each share of writes in files of 'memtest loaded'; the\n"
             "share of slower accesses by latency, a curve for each row of 'memtest tail';\n"
             "latency by stride of 'memtest prefetch'; or a heat map of one file of 'memtest\n"
             "cores' or 'nodes', with one of its bandwidth beside it. '-', or no FILE in a\n"
             "pipe, is standard input. On a terminal it draws in characters; into a pipe it\n"
             "prints a gnuplot program that holds the data, for another machine to draw.\n",
    .closing = "gnuplot draws the program on the terminal that GNUTERM names, else in a window\n"
               "(gnuplot -p), else as PNG on standard output.\n",
    .options = [] { return texts_of(plot_options); },
    .run = run_plot};

} // namespace memtest

#include "memtest/cli/verbs/report.hpp"

#include "memtest/cli/interruption.hpp"
#include "memtest/cli/messages.hpp"
#include "memtest/cli/progress.hpp"
#include "memtest/cli/result_file.hpp"
#include "memtest/cli/verbs/gnuplot_process.hpp"
#include "memtest/cli/verbs/verbs.hpp"
#include "memtest/plot/heat_map.hpp"
#include "memtest/plot/load_plot.hpp"
#include "memtest/plot/matrix_plot.hpp"
#include "memtest/report/output_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <future>
#include <optional>
#include <string_view>
#include <system_error>

namespace memtest {
namespace {

/// Where raw results and plots go: beside the page, or into a folder that is removed at the end.
class ReportFiles {
public:
    /// @throws Error where no folder can be made
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
                                    folder_, std::generic_category().message(errno)));
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

    /// Keeps the folder, and says where it is.
    void keep() {
        if (!folder_.empty())
            warn("raw results are in ", folder_);
        folder_.clear();
    }

private:
    std::string folder_; // empty where it stays
    std::string begin_;  // of the paths
};

std::string file_name(const std::string& path) {
    return std::filesystem::path(path).filename().string();
}

/// Draws it, and returns the image in Markdown.
template<class Plot>
std::string drawn(const Plot& plot, const std::string& path) {
    write_drawn(image_program(plot, Image::svg), path);
    return fmt::format("![{}](<{}>)\n", plot.title, file_name(path));
}

/// Draws images beside the page, or on a terminal the sweeps in characters.
void draw(ReportResults& results, const ReportFiles& files) {
    try {
        const auto sweeps = plot_of_sweeps(results);
        if (sweeps && files.stay())
            results.sweep_plot = drawn(*sweeps, files.path("sweep.svg"));
        else if (sweeps && isatty(STDOUT_FILENO) == 1)
            results.sweep_plot = fmt::format("```\n{}```\n", drawn_in_characters(*sweeps));
        if (results.loaded && files.stay())
            results.loaded_plot = drawn(plot_loads({*results.loaded}, {"latency"}, ""), files.path("loaded.svg"));
        if (results.cores && results.cores->cells.size() > 1 && files.stay())
            results.cores_plot = drawn(plot_matrix(*results.cores, ""), files.path("cores.svg"));
    } catch (const Error& error) {
        results.missing.push_back(fmt::format("plots: {}", error.what()));
    }
}

/// @return whether any failed
bool take_steps(const std::vector<ReportStep>& steps, const ReportFiles& files, ReportResults& results, bool quiet) {
    ProgressLine progress(!quiet);
    bool failed = false;
    for (std::size_t number = 0; number < steps.size(); ++number) {
        progress.show(fmt::format("step {} of {}: {}", number + 1, steps.size(), steps[number].what));
        if (Interruption::requested())
            results.missing.push_back(fmt::format("{}: interrupted", steps[number].what));
        else
            failed = !take_step(steps[number], files.path(steps[number].name + ".json"), results) || failed;
    }
    return failed;
}

void measure_into(OutputFile& output, const ProbeOptions& options, const std::vector<ReportStep>& steps) {
    ReportFiles files(options.output);
    ReportResults results{};
    const bool failed = take_steps(steps, files, results, options.quiet);
    const bool has_results = !results.raw_files.empty();
    if (!files.stay())
        results.raw_files.clear(); // they are not for the page
    try {
        if (!Interruption::requested())
            draw(results, files);
        output.write(report_page(results));
    } catch (const Error& error) {
        if (has_results && error.status() != ExitStatus::closed_pipe)
            files.keep();
        throw;
    }
    if (has_results && (failed || Interruption::requested()))
        files.keep();
    if (failed)
        throw Error("not every step of the report could be measured; its page says which");
}

ExitStatus run_report(const std::vector<std::string>& arguments) {
    const ProbeOptions options = parse_report_options(arguments);
    const SystemFiles files;
    const auto steps = plan_report(options, read_machine(files), files);
    write_result(options.output, [&](OutputFile& output) { measure_into(output, options, steps); });
    return ExitStatus::success;
}

} // namespace

bool take_step(const ReportStep& step, const std::string& path, ReportResults& results) {
    std::vector<std::string> arguments = step.arguments;
    arguments.insert(arguments.end(), {"--format", "json", "--quiet", "--output", path});
    std::error_code ignored;
    const auto last_written = std::filesystem::last_write_time(path, ignored);
    try {
        // On a thread of its own: a verb may bind the one that it is called on to a processor.
        std::async(std::launch::async, step.run, arguments).get();
        // An interruption may come just after the result is whole: then it counts.
        if (Interruption::requested() && std::filesystem::last_write_time(path, ignored) == last_written) {
            results.missing.push_back(fmt::format("{}: interrupted", step.what));
            return true;
        }
        results.raw_files.push_back(file_name(path));
        step.read(results, path);
        return true;
    } catch (const std::exception& error) { // the other steps are worth having all the same
        results.missing.push_back(fmt::format("{}: {}", step.what, error.what()));
        const auto* refusal = dynamic_cast<const Error*>(&error);
        if (refusal != nullptr && refusal->status() == ExitStatus::usage)
            return true;
        warn(results.missing.back());
        return dynamic_cast<const MachineBusy*>(&error) != nullptr;
    }
}

const Verb report_verb{.name = "report",
                       .summary = "measure all there is, on one page",
                       .about = "Measures what it can of this machine's memory in some twenty seconds and prints\n"
                                "a page in Markdown: the levels, what translation costs, chains side by side, and\n"
                                "with two processors hand-overs between them and latency under load.\n",
                       .options = report_option_texts,
                       .run = run_report};

} // namespace memtest

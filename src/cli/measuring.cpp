#include "memtest/cli/measuring.hpp"

#include "memtest/base/text.hpp"
#include "memtest/machine/clock.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/report/run_description.hpp"
#include "memtest/report/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

ResultStyle style_for(const Options& options) {
    return {.format = options.format, .quiet = options.quiet, .groups = options.columns};
}

/// Whether somebody waits at a terminal for a result that goes to a file.
bool has_screen_beside(const OutputFile& output, const Options& options) {
    return !options.quiet && !options.told_elsewhere && output.is_file() && OutputFile(std::nullopt).is_terminal();
}

void keep_partial(OutputFile& output, const Options& options) {
    const auto name = output.keep_partial();
    if (!options.quiet)
        warn_of_partial(name);
}

} // namespace

void write_file(const Options& options, const std::function<std::string(OutputFile&)>& write) {
    const Interruption interruption;
    OutputFile output(options.output, Interruption::requested());
    const bool has_screen = has_screen_beside(output, options);
    try {
        const std::string beside = write(output);
        if (Interruption::requested())
            return keep_partial(output, options);
        output.commit();
        if (has_screen)
            OutputFile(std::nullopt).write(escaped(fmt::format("wrote {}{}", *options.output, beside)) + "\n");
    } catch (...) {
        keep_partial(output, options);
        throw;
    }
}

MeasuredResult::MeasuredResult(OutputFile& output, const Kind& kind, const Options& options,
                               const std::vector<std::string>& arguments, const std::atomic<bool>& interrupted,
                               const SystemFiles& files)
    : writer_(output, kind, style_for(options)), has_screen_(has_screen_beside(output, options)),
      progress_(!options.quiet && !options.silent), interrupted_(interrupted), files_(files),
      quiet_(options.quiet || options.silent), warning_before_(warning_on_busy_machine(files)),
      warning_on_others_(warning_before_), others_(files, allowed_processors()),
      has_warned_of_others_(warning_before_.has_value()) {
    result_.kind = &kind;
    result_.run.start = present_time();
    result_.run.arguments = arguments;
}

void MeasuredResult::begin(const std::vector<std::string>& headline, RunDescription run, std::size_t planned) {
    run.start = std::move(result_.run.start);
    run.arguments = std::move(result_.run.arguments);
    if (auto clocks = read_uncore_clocks(files_); !clocks.empty())
        run.uncore_clocks = std::move(clocks);
    result_.run = std::move(run);
    planned_ = planned;
    writer_.begin(headline, result_.run);
    for (const Notice& warning : those_of({warning_before_, warning_on_memory_file(result_.run)}))
        warn(warning);
}

void MeasuredResult::measure(const std::function<void()>& rows) {
    try {
        rows();
    } catch (...) {
        failure_ = std::current_exception();
    }
    progress_.clear();
    quiet_ = quiet_ || has_reader(); // the answer includes warnings from here on
}

void MeasuredResult::warn(const Notice& notice) {
    progress_.clear();
    if (!quiet_)
        memtest::warn(sentence_of(notice));
    writer_.warn(notice);
    result_.warnings.push_back(notice);
}

std::optional<Notice> MeasuredResult::warn_of_others() {
    const auto percent = others_.percent_since();
    if (!percent)
        return warning_on_others_;
    const auto before = std::exchange(warning_before_, std::nullopt);
    const auto meanwhile = warning_on_use_by_others(*percent);
    if (meanwhile && !std::exchange(has_warned_of_others_, true))
        warn(*meanwhile);
    warning_on_others_ = meanwhile ? meanwhile : before;
    return warning_on_others_;
}

void MeasuredResult::end(const Findings& findings, const Json& more, const std::optional<Ending>& behind) {
    warn_of_others();
    const std::size_t measured = result_.row_count() / rows_of_one();
    result_.run.end =
        RunEnd{.measured = measured,
               .planned = is_whole() ? measured : std::max(planned_, measured), // histograms have several per row
               .interrupted = !is_whole(),
               .of_rows = !is_sweep()};
    const auto unsettled = warning_on_unsettled(unsettled_.size(), measured, result_.run.end->things());
    if (unsettled && is_whole())
        warn(*unsettled);
    for (const Finding& finding : findings.list) {
        if (finding.key.ends_with(remark_key) && !is_sweep()) // the levels of a sweep have their own
            result_.remarks.push_back(finding.notice);
    }
    writer_.end(findings, result_.run, more);
    if (has_reader()) {
        std::string answer = "\n";
        if (!is_whole())
            answer += wrapped("Incomplete: " + text_of(*result_.run.end) + ".", terminal_columns(), "  ") + "\n";
        answer += text_of(ending_of(result_), terminal_columns());
        if (behind)
            answer += "\n" + text_of(*behind, terminal_columns());
        writer_.is_for_people() ? writer_.say(answer) : OutputFile(std::nullopt).write(answer);
    }
    if (failure_)
        std::rethrow_exception(failure_);
}

ExitStatus measure_result(const Kind& kind, const Options& options, const CommandLine& line,
                          const std::function<void(MeasuredResult&)>& measure) {
    write_file(options, [&](OutputFile& output) {
        MeasuredResult result(output, kind, options, line.arguments);
        measure(result);
        return "";
    });
    return ExitStatus::success;
}

} // namespace memtest

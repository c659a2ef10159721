#include "memtest/cli/measuring.hpp"

#include "memtest/base/text.hpp"
#include "memtest/machine/clock.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/report/advice.hpp"
#include "memtest/report/description.hpp"
#include "memtest/report/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

ResultStyle style_for(const Options& options) {
    return {.format = options.format,
            .quiet = options.quiet,
            .groups = options.columns,
            .more = counter_columns(options.counters)};
}

/// Whether somebody waits at a terminal for a result that goes into a file.
bool has_screen_beside(const OutputFile& output, const Options& options) {
    return !options.quiet && !options.told_elsewhere && output.is_file() && OutputFile(std::nullopt).is_terminal();
}

} // namespace

void write_file(const Options& options, const std::function<std::string(OutputFile&)>& write) {
    const Interruption interruption;
    OutputFile output(options.output, Interruption::requested());
    const bool has_screen = has_screen_beside(output, options);
    try {
        const std::string beside = write(output);
        if (Interruption::requested())
            return warn_of_partial(output.keep_partial());
        output.commit();
        if (has_screen)
            OutputFile(std::nullopt).write(escaped(fmt::format("wrote {}{}", *options.output, beside)) + "\n");
    } catch (...) {
        warn_of_partial(output.keep_partial());
        throw;
    }
}

MeasuredResult::MeasuredResult(OutputFile& output, const Kind& kind, const Options& options,
                               const std::vector<std::string>& arguments, const std::atomic<bool>& interrupted,
                               const SystemFiles& files)
    : writer_(output, kind, style_for(options)), has_screen_(has_screen_beside(output, options)),
      progress_(!options.quiet && !options.silent), interrupted_(interrupted), files_(files),
      quiet_(options.quiet || options.silent), is_sweep_(kind.verb.empty()),
      advice_before_(advice_on_busy_machine(files)), advice_on_others_(advice_before_),
      others_(files, allowed_processors()), has_warned_of_others_(advice_before_.has_value()) {
    run_.start = present_time();
    run_.arguments = arguments;
}

void MeasuredResult::begin(const std::vector<std::string>& headline, RunDescription run, std::size_t planned) {
    run.start = std::move(run_.start);
    run.arguments = std::move(run_.arguments);
    if (auto clocks = read_uncore_clocks(files_); !clocks.empty())
        run.uncore_clocks = std::move(clocks);
    run_ = std::move(run);
    planned_ = planned;
    writer_.begin(headline, run_);
    for (const std::string& sentence : advice_of({advice_before_, advice_on_memory_file(run_)}))
        warn(sentence);
}

void MeasuredResult::measure(const std::function<void()>& rows) {
    try {
        rows();
    } catch (...) {
        failure_ = std::current_exception();
    }
    progress_.clear();
}

void MeasuredResult::row(const ResultRow& row, bool is_settled) {
    progress_.clear();
    if (!is_settled)
        unsettled_.insert(rows_ / rows_of_one());
    writer_.row(row);
    ++rows_;
}

void MeasuredResult::warn(const std::string& sentence) {
    progress_.clear();
    if (!quiet_)
        memtest::warn(sentence);
    writer_.warn(sentence);
}

std::optional<std::string> MeasuredResult::warn_of_others() {
    const auto percent = others_.percent_since();
    if (!percent)
        return advice_on_others_;
    const auto before = std::exchange(advice_before_, std::nullopt);
    const auto meanwhile = advice_on_use_by_others(*percent);
    if (meanwhile && !std::exchange(has_warned_of_others_, true))
        warn(*meanwhile);
    advice_on_others_ = meanwhile ? meanwhile : before;
    return advice_on_others_;
}

void MeasuredResult::end(const Findings& findings, const Findings& for_readers) {
    warn_of_others();
    const std::size_t measured = rows_ / rows_of_one();
    run_.end =
        RunEnd{.measured = measured,
               .planned = is_whole() ? measured : std::max(planned_, measured), // a histogram has many rows for one
               .interrupted = !is_whole(),
               .of_rows = !is_sweep_};
    const auto unsettled =
        is_whole() ? advice_on_unsettled(unsettled_.size(), measured, run_.end->things()) : std::nullopt;
    if (unsettled)
        writer_.warn(*unsettled);
    Findings for_people = findings;
    for_people.list.insert(for_people.list.end(), for_readers.list.begin(), for_readers.list.end());
    writer_.end(writer_.is_for_people() ? for_people : findings, run_);
    if (has_screen_)
        OutputFile(std::nullopt).write(finding_lines(for_people));
    if (unsettled && !quiet_)
        memtest::warn(*unsettled);
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

#include "memtest/cli/measuring.hpp"

#include "memtest/report/description.hpp"
#include "memtest/report/sweep.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace memtest {
namespace {

void keep_partial(OutputFile& output) {
    const std::string_view left = output.keep_partial();
    if (!left.empty())
        warn("the run is not whole; its result so far is in ", left);
}

ResultStyle style_for(const Options& options) {
    ResultStyle style{
        .format = options.format, .quiet = options.quiet, .groups = {}, .more = counter_columns(options.counters)};
    if (options.cycles)
        style.groups.push_back(ColumnGroup::cycles);
    if (options.stats)
        style.groups.push_back(ColumnGroup::stats);
    return style;
}

} // namespace

void write_file(const std::optional<std::string>& path, const std::function<void(OutputFile&)>& write) {
    const Interruption interruption;
    OutputFile output(path, Interruption::requested());
    try {
        write(output);
        if (Interruption::requested())
            keep_partial(output);
        else
            output.commit();
    } catch (...) {
        keep_partial(output);
        throw;
    }
}

MeasuredResult::MeasuredResult(OutputFile& output, const Kind& kind, const Options& options,
                               const std::vector<std::string>& arguments, const std::atomic<bool>& interrupted)
    : writer_(output, kind, style_for(options)), progress_(!options.quiet), interrupted_(interrupted),
      quiet_(options.quiet), is_sweep_(kind.verb.empty()) {
    run_.start = present_time();
    run_.arguments = arguments;
}

void MeasuredResult::begin(const std::vector<std::string>& headline, RunDescription run, std::size_t planned) {
    run.start = std::move(run_.start);
    run.arguments = std::move(run_.arguments);
    run_ = std::move(run);
    planned_ = planned;
    writer_.begin(headline, run_);
}

void MeasuredResult::measure(const std::function<void()>& rows) {
    try {
        rows();
    } catch (...) {
        failure_ = std::current_exception();
    }
    progress_.clear();
}

void MeasuredResult::measure_each(const std::function<std::optional<ResultRow>(std::size_t)>& measured) {
    measure([&] {
        while (rows_ < planned_) {
            show_progress(fmt::format("{} of {} rows", rows_, planned_));
            const auto next = measured(rows_);
            if (!next)
                return;
            row(*next);
        }
    });
}

void MeasuredResult::row(const ResultRow& row) {
    progress_.clear();
    writer_.row(row);
    ++rows_;
}

void MeasuredResult::warn(const std::string& sentence) {
    progress_.clear();
    if (!quiet_)
        memtest::warn(sentence);
    writer_.warn(sentence);
}

void MeasuredResult::end(const Findings& findings) {
    // A sweep has a row of each size for each thread.
    const std::size_t measured = is_sweep_ ? rows_ / run_.threads.value_or(1) : rows_;
    run_.end = RunEnd{.measured = measured,
                      .planned = is_whole() ? measured : planned_,
                      .interrupted = !is_whole(),
                      .of_rows = !is_sweep_};
    writer_.end(findings, run_);
    if (failure_)
        std::rethrow_exception(failure_);
}

ExitStatus measure_result(const Kind& kind, const Options& options, const CommandLine& line,
                          const std::function<void(MeasuredResult&)>& measure) {
    write_file(options.output, [&](OutputFile& output) {
        MeasuredResult result(output, kind, options, line.arguments);
        measure(result);
    });
    return ExitStatus::success;
}

} // namespace memtest

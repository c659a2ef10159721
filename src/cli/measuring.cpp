#include "memtest/cli/measuring.hpp"

#include "memtest/base/text.hpp"
#include "memtest/machine/mapped_file.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/result/description.hpp"
#include "memtest/result/run_description.hpp"
#include "memtest/result/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace memtest {
namespace {

/// Why a result is incomplete. A run that ended early may have visited every row, but not as often as planned.
std::string what_is_missing(const RunEnd& end) {
    return end.measured < end.planned ? text_of(end)
                                      : fmt::format("ended early, so {} or visits may be missing", end.things());
}

/// Whether somebody waits at a terminal for a result that goes to a file.
bool has_screen_beside(const OutputFile& output, bool quiet) {
    return !quiet && output.is_file() && OutputFile(std::nullopt).is_terminal();
}

/// Shows what is in a file already: a terminal that has gone loses nothing.
void show(const std::string& text) {
    try {
        OutputFile(std::nullopt, Interruption::requested()).write(text);
    } catch (const Error&) {
    }
}

} // namespace

void write_file(const std::optional<std::string>& path, bool quiet,
                const std::function<void(OutputFile&, ForScreen&)>& write) {
    if (path && is_mount_point(*path, SystemFiles()))
        throw usage_error(
            fmt::format("--output {}: is a mount point, which no result can replace; name another file, or "
                        "mount its directory",
                        shown(*path)));
    const Interruption interruption;
    OutputFile output(path, Interruption::requested());
    const bool has_screen = has_screen_beside(output, quiet);
    ForScreen screen;
    const auto keep_partial = [&] {
        const auto name = output.keep_partial();
        if (has_screen && !screen.told_elsewhere)
            show(screen.answer);
        if (!quiet)
            warn_of_partial(name);
    };
    try {
        write(output, screen);
        if (Interruption::requested())
            return keep_partial();
        output.commit();
    } catch (...) {
        keep_partial();
        throw;
    }
    if (has_screen && !screen.told_elsewhere)
        show(screen.answer +
             wrapped(escaped(fmt::format("wrote {}{}", *path, screen.beside)), terminal_columns(), "  ") + "\n");
}

MeasuredResult::MeasuredResult(OutputFile& output, const Kind& kind, const Options& options,
                               const std::vector<std::string>& arguments, const std::atomic<bool>& interrupted,
                               const SystemFiles& files)
    : most_seconds_(options.most_seconds),
      writer_(output, kind, {.format = options.format, .quiet = options.quiet, .groups = options.columns}),
      has_screen_(has_screen_beside(output, options.quiet)), progress_(!options.quiet), interrupted_(interrupted),
      files_(files), quiet_(options.quiet),
      answers_among_messages_((writer_.is_for_people() && output.shows_messages()) ||
                              (has_screen_ && OutputFile(std::nullopt).shows_messages())),
      names_processors_(options.cpus || options.core_kind), warning_before_(warning_on_busy_machine(files)),
      warning_on_others_(warning_before_), others_(files, allowed_processors()),
      has_warned_of_others_(warning_before_.has_value()), throttled_(throttled_periods(files)) {
    result_.kind = &kind;
    result_.run.start = present_time();
    result_.run.arguments = arguments;
    progress_.show("preparing");
}

void MeasuredResult::begin(const std::vector<std::string>& headline, RunDescription run, std::size_t planned,
                           std::size_t threads) {
    began_ns_ = clock_.now_ns(); // not before: a host may take longer to give the memory than measuring takes
    run.start = std::move(result_.run.start);
    run.arguments = std::move(result_.run.arguments);
    if (most_seconds_)
        run.most_seconds = most_seconds_;
    if (auto clocks = read_uncore_clocks(files_); !clocks.empty())
        run.uncore_clocks = std::move(clocks);
    if (auto clocks = memtest::read_memory_clocks(files_); !clocks.empty()) {
        memory_clocks_ = {clocks};
        run.memory_clocks = std::move(clocks);
    }
    warning_on_quota_ = warning_on_quota(threads, files_);
    if (warning_on_quota_) // names the reason for what looks busy
        warning_before_ = warning_on_others_ = std::nullopt;
    result_.run = std::move(run);
    planned_ = planned;
    if (result_.run.most_seconds)
        progress_.keep(warning_before_ ? fmt::format("takes {:g} s, or longer: other processes are using the CPUs\n",
                                                     *result_.run.most_seconds)
                                       : fmt::format("takes at most {:g} s\n", *result_.run.most_seconds));
    progress_.clear();
    writer_.begin(headline, result_.run);
    for (const Notice& warning : those_of({warning_before_, warning_on_quota_, warning_on_memory_file(result_.run)}))
        warn(warning);
}

TimeIsUp MeasuredResult::time_is_up(double share) {
    return [this, share](std::size_t left) {
        const auto& most = result_.run.most_seconds;
        if (!most || seconds_so_far() < share * (*most - seconds_of_look_))
            return false;
        cut_short_ += left;
        return true;
    };
}

PhraseSink MeasuredResult::progress() {
    return [this](const std::string& phrase) {
        const auto& most = result_.run.most_seconds;
        progress_.show(most ? fmt::format("{}; {} {:.0f} s left", phrase, warning_before_ ? "about" : "at most",
                                          std::max(1.0, *most - seconds_so_far()))
                            : phrase);
    };
}

void MeasuredResult::warn_of_kinds(const std::vector<int>& measured, const std::vector<int>& load,
                                   const Machine& machine) {
    warn(names_processors_ ? std::nullopt : warning_on_kinds(measured, load, machine));
}

void MeasuredResult::watch(const std::vector<int>& processors, PairWatch::Time time) {
    const bool is_pinned = result_.run.processors && result_.run.processors->not_pinned.empty();
    if (processors.size() < 2 || !result_.run.virtual_machine.value_or(false) || !is_pinned)
        return;
    if (!time)
        time = [this](const TransferPlan& pair) { return quick_transfer_ns(pair, files_, interrupted_); };
    const double begun = seconds_so_far();
    watch_.emplace(pairs_to_watch(processors), std::move(time)).look();
    seconds_of_look_ = seconds_so_far() - begun;
}

void MeasuredResult::measure(const std::function<void()>& rows) {
    try {
        rows();
    } catch (...) {
        failure_ = std::current_exception();
    }
    progress_.clear();
}

void MeasuredResult::warn(const Notice& notice) {
    progress_.clear();
    const bool is_noted_below = answers_among_messages_ && !is_on_plan(notice); // the answer has it as a note
    if (!quiet_ && !is_noted_below)
        memtest::warn(sentence_of(notice));
    note(notice);
}

void MeasuredResult::note(const Notice& notice) {
    writer_.warn(notice);
    result_.warnings.push_back(notice);
}

void MeasuredResult::read_memory_clocks() {
    if (memory_clocks_.empty()) // the kernel reports none
        return;
    auto clocks = memtest::read_memory_clocks(files_);
    if (memory_clocks_.back() != clocks && !clocks.empty())
        memory_clocks_.push_back(std::move(clocks));
}

std::optional<Notice> MeasuredResult::warn_of_others() {
    const ThrottledPeriods before = std::exchange(throttled_, throttled_periods(files_));
    const std::uint64_t periods = periods_between(before, throttled_);
    periods_throttled_ += periods;
    if (const auto percent = others_.percent_since()) {
        const auto meanwhile = warning_on_use_by_others(*percent);
        if (meanwhile && !std::exchange(has_warned_of_others_, true))
            warn(*meanwhile);
        warning_on_others_ = meanwhile ? meanwhile : warning_before_;
        warning_before_.reset();
    }
    if (const auto throttled = warning_on_throttling(periods))
        warning_on_others_ = throttled;
    return warning_on_others_ ? warning_on_others_ : warning_on_quota_;
}

void MeasuredResult::end(const Findings& findings, const Members& more, const std::optional<Answer>& second,
                         const std::optional<Answer>& own) {
    progress_.clear(); // what else was measured after the rows may have left its line
    const bool is_disturbed = warn_of_others().has_value();
    warn(warning_on_throttling(periods_throttled_));
    if (watch_ && is_whole() && !is_disturbed) {
        watch_->look();
        warn(warning_on_moved_processors(watch_->moved(), watch_->pairs()));
    }
    read_memory_clocks();
    warn(warning_on_memory_clocks(memory_clocks_));
    const std::size_t measured = result_.row_count() / rows_of_one();
    result_.run.end =
        RunEnd{.measured = measured,
               .planned = is_whole() ? measured : std::max(planned_, measured), // tlb adds rows to its plan
               .interrupted = !is_whole(),
               .of_rows = !is_sweep()};
    if (is_whole())
        warn(warning_on_unsettled(unsettled_.size(), measured, result_.run.end->things()));
    if (cut_short_ > 0)
        warn({Code::time_was_up,
              {{"seconds", *result_.run.most_seconds},
               {"count", std::min(cut_short_, measured)},
               {"of", measured},
               {"things", result_.run.end->things()}}});
    if (!is_sweep()) // its levels have theirs
        result_.remarks = findings.remarks();
    writer_.end(findings, result_.run, more);
    if (has_reader()) {
        std::string lines = "\n";
        if (!is_whole())
            lines += wrapped("Incomplete: " + what_is_missing(*result_.run.end) + ".", terminal_columns(), "  ") + "\n";
        Answer answer = answer_with_warnings(result_);
        std::erase_if(answer.notes, is_on_plan); // these stand before the rows
        if (own) {
            answer.table = own->table;
            answer.sentences = own->sentences;
        }
        if (second && is_sweep()) { // that has the levels
            answer.table = {};
            std::erase_if(answer.notes,
                          [&](const Notice& note) { return std::ranges::count(result_.warnings, note) == 0; });
        }
        lines += text_of(answer, terminal_columns());
        if (second)
            lines += "\n" + text_of(*second, terminal_columns());
        if (writer_.is_for_people())
            writer_.say(lines);
        if (has_screen_)
            answer_ = std::move(lines);
    }
}

void MeasuredResult::throw_failure() const {
    try {
        if (failure_)
            std::rethrow_exception(failure_);
    } catch (const Error& error) {
        if (error.status() == ExitStatus::usage) // such as a clock that stopped: found too late to be one
            throw Error(error, ExitStatus::failure);
        throw;
    }
}

ExitStatus measure_result(const Kind& kind, const Options& options, const CommandLine& line,
                          const std::function<void(MeasuredResult&)>& measure) {
    const auto write = [&](OutputFile& output, ForScreen& screen) {
        MeasuredResult result(output, kind, options, line.arguments);
        measure(result);
        screen.answer = result.answer();
        result.throw_failure();
    };
    ForScreen no_screen;
    if (line.output != nullptr)
        write(*line.output, no_screen);
    else
        write_file(options.output, options.quiet, write);
    return ExitStatus::success;
}

} // namespace memtest

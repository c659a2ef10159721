#pragma once

#include "memtest/base/error.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/messages.hpp"
#include "memtest/cli/options.hpp"
#include "memtest/cli/pair_watch.hpp"
#include "memtest/machine/clock.hpp"
#include "memtest/machine/control_group.hpp"
#include "memtest/machine/disturbances.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/measure/rounds.hpp"
#include "memtest/result/answer.hpp"
#include "memtest/result/output_file.hpp"
#include "memtest/result/result_writer.hpp"

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace memtest {

/// What a person at a terminal gets while the result goes into a file.
struct ForScreen {
    std::string answer{};        ///< in lines
    std::string beside{};        ///< what to say of the file behind its name
    bool told_elsewhere = false; ///< another file's writer shows it
};

/// Opens the file, lets `write` fill it, and puts it in place when the run is whole; then shows the answer on a
/// terminal, and names the file. From here on a signal interrupts the run. An interrupted or failed run leaves what it
/// has in FILE.partial, and a warning says so. @param quiet shows and says nothing
/// @throws Error like OutputFile, and what `write` throws
void write_file(const std::optional<std::string>& path, bool quiet,
                const std::function<void(OutputFile&, ForScreen&)>& write);

/// A result of any command that measures, while it is made: begun, measured row by row, ended, however the run ends.
class MeasuredResult {
public:
    /// Checks whether the machine is busy. @param output must outlive it
    /// @param arguments after the command, for the description
    MeasuredResult(OutputFile& output, const Kind& kind, const Options& options,
                   const std::vector<std::string>& arguments,
                   const std::atomic<bool>& interrupted = Interruption::requested(),
                   const SystemFiles& files = SystemFiles());

    /// Warns of a busy machine, tells a terminal how long the run takes, and reads the uncore's clock: call it once all
    /// threads run and have their memory. The run's time begins.
    /// @param headline sentences that open the CSV, without `#`
    /// @param run without start, arguments, uncore clock and end; its time is that which the command usually takes
    /// @param planned rows (sizes for a sweep) of a run that
    /// is not ended early @param threads that run at the same time, if only to keep cores awake
    void begin(const std::vector<std::string>& headline, RunDescription run, std::size_t planned,
               std::size_t threads = 1);

    /// Warns of several kinds of cores unless --cpu names a kind or processors.
    /// @param measured processors @param load those of load threads
    void warn_of_kinds(const std::vector<int>& measured, const std::vector<int>& load, const Machine& machine);

    /// Measures pairs of these processors now and at the end, and then warns if a hypervisor moved them. Does nothing
    /// unless the description names a virtual machine and binds threads. @param time for tests
    void watch(const std::vector<int>& processors, PairWatch::Time time = nullptr);

    /// Whether this share of the run's time is up. Sizes or rows that were then measured less often are warned of at
    /// the end.
    [[nodiscard]] TimeIsUp time_is_up(double share = 1);

    /// Calls what measures rows. A failure ends that, and is thrown by `throw_failure`.
    void measure(const std::function<void()>& rows);

    /// @pre the kind has rows of this type @param is_settled whether its visits agree
    template<class RowType>
    void row(const RowType& row, bool is_settled = true) {
        progress_.clear();
        if (!is_settled)
            unsettled_.insert(result_.row_count() / rows_of_one());
        writer_.row(row);
        keep(row);
        read_memory_clocks();
    }
    /// Adds the warning to the result, and prints it on standard error unless quiet, or noted in the answer on the
    /// same terminal.
    void warn(const Notice& notice);
    void warn(const std::optional<Notice>& notice) {
        if (notice)
            warn(*notice);
    }
    /// Adds the warning to the result only: it is about what the user asked for.
    void note(const Notice& notice);
    /// The warning about a quota that stopped this process since the last call, about other processes that used the
    /// machine since, or about a quota below the threads; the first call includes the time before the run. After too
    /// short a time the previous answer on others holds. Prints a warning on others once, and leaves the periods in
    /// which a quota stopped the run to its end.
    std::optional<Notice> warn_of_others();
    /// Shows phrases on a terminal with the time that is left, each until the next row.
    [[nodiscard]] PhraseSink progress();

    [[nodiscard]] bool failed() const { return failure_ != nullptr; }
    /// Whether neither a failure nor a signal ended it early.
    [[nodiscard]] bool is_whole() const { return !failed() && !interrupted_; }

    /// What is known about the run, for additions.
    [[nodiscard]] RunDescription& run() { return result_.run; }
    [[nodiscard]] const Result& so_far() const { return result_; }

    /// Whether a person watches on a terminal.
    [[nodiscard]] bool has_reader() const { return writer_.is_for_people() || has_screen_; }

    /// Also warns where others used the machine meanwhile, and where many rows did not settle. A person who reads along
    /// gets the answer last.
    /// @param more members of the document, which lines of CSV have as well
    /// @param second what takes the place of the answer there, but for the warnings
    /// @param own table and sentences of the answer, if more is known than the rows tell; none: as the rows tell
    void end(const Findings& findings, const Members& more = {}, const std::optional<Answer>& second = {},
             const std::optional<Answer>& own = {});

    /// What the reader of a result that goes into a file gets once that is in place.
    [[nodiscard]] const std::string& answer() const { return answer_; }
    /// @throws what ended the measuring, if anything did
    void throw_failure() const;

private:
    void read_memory_clocks();
    [[nodiscard]] double seconds_so_far() { return static_cast<double>(clock_.now_ns() - began_ns_) * 1e-9; }
    [[nodiscard]] std::size_t rows_of_one() const { return is_sweep() ? result_.run.threads.value_or(1) : 1; }
    [[nodiscard]] bool is_sweep() const { return result_.kind->facts.command.empty(); }

    template<class RowType>
    void keep(const RowType& row) {
        result_.kind->add_row(result_.rows);
        RowType& kept = std::get<std::vector<RowType>>(result_.rows).back();
        kept = dynamic_cast<const KindOf<RowType>&>(*result_.kind).as_written(row);
        if constexpr (std::same_as<RowType, Row>)
            kept.visits.clear(); // many threads have many
    }

    MonotonicClock clock_;
    std::uint64_t began_ns_ = 0;         // with begin()
    std::optional<double> most_seconds_; // that the user asks for
    std::size_t cut_short_ = 0;          // sizes or rows
    ResultWriter writer_;
    bool has_screen_; // a terminal, while the result is written elsewhere
    ProgressLine progress_;
    const std::atomic<bool>& interrupted_;
    SystemFiles files_;
    bool quiet_;
    bool answers_among_messages_;             // on one terminal
    bool names_processors_;                   // --cpu does
    std::optional<Notice> warning_before_;    // of a busy machine
    std::optional<Notice> warning_on_others_; // as last known
    std::optional<Notice> warning_on_quota_;  // below the threads
    UseByOthers others_;
    bool has_warned_of_others_;
    std::optional<PairWatch> watch_;
    double seconds_of_look_ = 0;                          // of watch_, of which another follows the run
    ThrottledPeriods throttled_;                          // when last read
    std::uint64_t periods_throttled_ = 0;                 // during the run
    std::vector<std::vector<ScaledClock>> memory_clocks_; // each reading that differs from the one before
    Result result_;                                       // so far
    std::size_t planned_ = 0;
    std::set<std::size_t> unsettled_; // by number: sizes of a sweep, or rows
    std::exception_ptr failure_;
    std::string answer_;
};

/// Measures a result into the output of the line or the file that the options name. @throws Error like write_file
ExitStatus measure_result(const Kind& kind, const Options& options, const CommandLine& line,
                          const std::function<void(MeasuredResult&)>& measure);

} // namespace memtest

#include "memtest/cli/probe_command.hpp"

#include "memtest/cli/advice.hpp"
#include "memtest/cli/csv_writer.hpp"
#include "memtest/cli/description.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/output_file.hpp"
#include "memtest/cli/progress.hpp"
#include "memtest/cli/run_plan.hpp"
#include "memtest/measure/sweep.hpp"
#include "memtest/measure/team.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

namespace memtest {
namespace {

void warn(const std::string& sentence) {
    fmt::print(stderr, "memtest: warning: {}\n", sentence);
}

/// The range of the core's clock over the rows.
struct ClockRange {
    double lowest_ghz = 0;
    double highest_ghz = 0;

    void include(double ghz) {
        lowest_ghz = lowest_ghz == 0 ? ghz : std::min(lowest_ghz, ghz);
        highest_ghz = std::max(highest_ghz, ghz);
    }
};

/// Writes the parts of a run in their order: description, header, rows, closing lines.
class Report {
public:
    Report(const Options& options, const RunPlan& plan, const Machine& machine)
        : options_(options), plan_(plan), machine_(machine),
          output_(options.output), columns_{.cycles = options.cycles,
                                            .stats = options.stats,
                                            .placement = options.mappings > 1,
                                            .counters = options.counters},
          progress_(!options.quiet), estimate_(clock_) {}

    void open(const std::vector<ThreadFacts>& facts) {
        if (!options_.quiet) {
            for (const std::string& sentence : headline(plan_))
                output_.write(fmt::format("# {}\n", sentence));
            for (const auto& [key, value] : describe_run(plan_, machine_, facts))
                comment(key, value);
        }
        output_.write(csv_header(columns_));
    }

    void row(const Row& row) {
        progress_.clear();
        output_.write(csv_line(row, columns_));
        core_clock_.include(row.core_ghz);
    }

    void progress(std::size_t done, std::size_t of) { progress_.show(estimate_.step(done, of)); }

    void close() {
        progress_.clear();
        if (core_clock_.highest_ghz == 0)
            return;
        if (!options_.quiet)
            comment("core clock range",
                    fmt::format("{:.3f} to {:.3f} GHz", core_clock_.lowest_ghz, core_clock_.highest_ghz));
        if (core_clock_.highest_ghz > 1.02 * core_clock_.lowest_ghz)
            warn(fmt::format("the core's clock moved between {:.3f} and {:.3f} GHz during the run, and cache latencies "
                             "in ns with it; compare cycles (--cycles), or fix the frequency",
                             core_clock_.lowest_ghz, core_clock_.highest_ghz));
    }

private:
    void comment(const std::string& key, const std::string& value) {
        output_.write(fmt::format("# {}: {}\n", key, value));
    }

    const Options& options_;
    const RunPlan& plan_;
    const Machine& machine_;
    OutputFile output_;
    Columns columns_;
    ClockRange core_clock_;
    ProgressLine progress_;
    MonotonicClock clock_;
    ProgressEstimate estimate_;
};

} // namespace

void run_probe(const Options& options) {
    const SystemFiles files;
    const Machine machine = read_machine(files);
    const RunPlan plan = plan_run(options, machine, files);
    check_counters(plan.team.counters, files, try_counter);
    const Interruption interruption;
    Report report(options, plan, machine);
    for (const std::string& sentence : advice_before(plan, machine, files))
        warn(sentence);

    bool opened = false;
    const auto map_team = [&]() -> std::unique_ptr<Probe> {
        auto team = std::make_unique<Team>(plan.team, files, Interruption::requested());
        if (!opened)
            report.open(team->facts());
        opened = true;
        return team;
    };
    run_sweep(
        plan.sweep, map_team, [&](const Row& row) { report.row(row); },
        [&](std::size_t done, std::size_t of) { report.progress(done, of); });
    report.close();
    Interruption::end_by_signal();
}

} // namespace memtest

#include "memtest/cli/compare_command.hpp"

#include "memtest/cli/compare_report.hpp"
#include "memtest/cli/levels_report.hpp"
#include "memtest/cli/output_file.hpp"
#include "memtest/cli/stored_curves.hpp"
#include "memtest/cli/sweep_file.hpp"
#include "memtest/insight/compare.hpp"
#include "memtest/insight/levels.hpp"
#include "memtest/insight/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace memtest {
namespace {

struct CompareOptions {
    double tolerance_percent = 5;
    bool csv = false;
    bool force = false;
    bool quiet = false;
    bool help = false;
};

constexpr std::array table{
    Option<CompareOptions>{"Options", 0, "tolerance", "PCT", "how many percent may differ without counting", "5",
                           [](CompareOptions& o, const Argument& a) { o.tolerance_percent = parse_percent(a, 1000); }},
    Option<CompareOptions>{"Options", 0, "force", "", "compare runs that measured different things all the same", "",
                           [](CompareOptions& o, const Argument&) { o.force = true; }},
    Option<CompareOptions>{"Options", 0, "csv", "", "print CSV instead of a table", "",
                           [](CompareOptions& o, const Argument&) { o.csv = true; }},
    Option<CompareOptions>{"Options", 'q', "quiet", "", "print nothing: the exit status answers", "",
                           [](CompareOptions& o, const Argument&) { o.quiet = true; }},
    Option<CompareOptions>{"Options", 'h', "help", "", "print this and exit", "",
                           [](CompareOptions& o, const Argument&) { o.help = true; }},
};

void check_comparable(const std::vector<StoredSweep>& sweeps) {
    const StoredSweep& latest = sweeps.back();
    for (std::size_t i = 0; i + 1 < sweeps.size(); ++i) {
        const auto differences = settings_differences(sweeps[i].description, latest.description);
        if (!differences.empty())
            throw usage_error(fmt::format("{} and {} measured different things: {}; --force compares them all the same",
                                          sweeps[i].name, latest.name, describe(differences)));
    }
}

/// The levels of the baselines taken together: at every size of the first thread the smallest latency, which is the
/// least disturbed.
std::vector<SizeRange> level_ranges(std::span<const StoredSweep> baselines) {
    const int thread = baselines.front().threads().front();
    std::vector<CurvePoint> points;
    for (const StoredSweep& sweep : baselines) {
        const auto curve = curve_of_thread(sweep, thread);
        points.insert(points.end(), curve.begin(), curve.end());
    }
    const auto order = sweep_order_of(baselines.front().value_of("order").value_or(""));
    const Hierarchy hierarchy = infer_levels(make_curve(std::move(points)), order);
    std::vector<SizeRange> ranges;
    for (const Level& level : hierarchy.caches) {
        if (level.capacity_high_bytes) // of a cache that the sweep does not leave too little is known
            ranges.push_back(
                {.name = level_name(ranges.size()), .from_bytes = level.from_bytes, .to_bytes = level.to_bytes});
    }
    if (hierarchy.memory)
        ranges.push_back(
            {.name = "memory", .from_bytes = hierarchy.memory->from_bytes, .to_bytes = hierarchy.memory->to_bytes});
    return ranges;
}

ExitStatus status_of(Verdict verdict) {
    switch (verdict) {
    case Verdict::slower:
        return ExitStatus::slower;
    case Verdict::cannot_tell:
        return ExitStatus::cannot_tell;
    case Verdict::no_difference:
    case Verdict::faster:
        break;
    }
    return ExitStatus::success;
}

} // namespace

std::vector<OptionText> compare_option_texts() {
    return texts_of(std::span<const Option<CompareOptions>>(table));
}

std::string compare_help() {
    return "Usage: memtest compare [options] BASE... NEW\n\n"
           "Judges the last sweep against the others, size by size and level by level.\n"
           "More than one baseline tells what is noise.\n" +
           help_text(compare_option_texts()) +
           "\nExit status: 0 no slower, 3 slower, 4 cannot tell (too noisy, a cache that holds\n"
           "less, too little in common), 2 usage error, also for runs that measured\n"
           "different things.\n";
}

ExitStatus run_compare(const std::vector<std::string>& arguments) {
    CompareOptions options;
    const auto files =
        parse_command_line(std::span<const Option<CompareOptions>>(table), arguments, options, "memtest compare");
    OutputFile output(std::nullopt);
    if (options.help) {
        output.write(compare_help());
        return ExitStatus::success;
    }
    if (files.size() < 2)
        throw usage_error("memtest compare takes at least two files, one baseline or more and the new sweep; "
                          "'memtest compare --help' says more");
    if (std::ranges::count(files, "-") > 1)
        throw usage_error("'-', which is standard input, may be given once");
    std::vector<StoredSweep> sweeps;
    for (const std::string& file : files)
        sweeps.push_back(read_sweep_file(file));
    if (!options.force)
        check_comparable(sweeps);

    std::vector<std::vector<SizeFigure>> figures;
    for (const StoredSweep& sweep : sweeps)
        figures.push_back(figures_of(sweep));
    const std::span all(figures);
    const Comparison comparison =
        compare_sweeps(all.first(all.size() - 1), figures.back(),
                       level_ranges(std::span(sweeps).first(sweeps.size() - 1)), options.tolerance_percent);
    if (!options.quiet)
        output.write(options.csv ? comparison_csv(comparison) : comparison_table(comparison));
    return status_of(comparison.verdict);
}

} // namespace memtest

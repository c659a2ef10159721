#include "memtest/insight/compare.hpp"
#include "memtest/base/words.hpp"
#include "memtest/cli/values.hpp"
#include "memtest/cli/verbs/read_sweeps.hpp"
#include "memtest/cli/verbs/verbs.hpp"
#include "memtest/insight/levels.hpp"
#include "memtest/report/comparison.hpp"
#include "memtest/report/levels.hpp"
#include "memtest/report/result_writer.hpp"
#include "memtest/report/run_keys.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

namespace memtest {

namespace {

/// The exit status for "cannot tell": its own, that of a pass, or that of a slower sweep.
enum class Unclear { own, pass, fail };

} // namespace

template<>
inline constexpr std::array<Word<Unclear>, 3> word_table<Unclear>{
    {{Unclear::own, "4"}, {Unclear::pass, "pass"}, {Unclear::fail, "fail"}}};

namespace {

struct CompareOptions {
    double tolerance_percent = 5;
    Unclear unclear = Unclear::own;
    std::optional<Format> format = std::nullopt; ///< none: a table for people
    bool force = false;
    bool quiet = false;
};

constexpr std::array compare_options{
    Option<CompareOptions>{"Options", 0, "tolerance", "PCT", "how many percent may differ without counting", "5",
                           [](CompareOptions& o, const Argument& a) { o.tolerance_percent = parse_percent(a, 1000); }},
    Option<CompareOptions>{
        "Options", 0, "unclear", "STATUS", "what 'cannot tell' ends with: 4, pass (0) or fail (3, as slower)", "4",
        [](CompareOptions& o, const Argument& a) { o.unclear = parse_choice<Unclear>(a); }, all_words<Unclear>},
    Option<CompareOptions>{"Options", 0, "force", "", "compare runs that measured different things all the same", "",
                           [](CompareOptions& o, const Argument&) { o.force = true; }},
    Option<CompareOptions>{"Options", 0, "format", "F", "csv or json instead of a table", "",
                           [](CompareOptions& o, const Argument& a) { o.format = parse_choice<Format>(a); },
                           all_words<Format>},
    Option<CompareOptions>{"Options", 'q', "quiet", "", "print nothing: the exit status answers", "",
                           [](CompareOptions& o, const Argument&) { o.quiet = true; }},
};

void check_comparable(const std::vector<Result>& sweeps) {
    const Result& latest = sweeps.back();
    for (std::size_t i = 0; i + 1 < sweeps.size(); ++i) {
        const auto differences = settings_differences(sweeps[i].run, latest.run);
        if (!differences.empty())
            throw usage_error(fmt::format("{} and {} measured different things: {}; --force compares them all the same",
                                          sweeps[i].name, latest.name, describe(differences)));
    }
}

/// The levels of all baselines: from the smallest, least disturbed latency at every size of the first thread.
std::vector<SizeRange> level_ranges(std::span<const Result> baselines) {
    const int thread = curves_of(baselines.front()).front().thread;
    std::vector<CurvePoint> points;
    for (const Result& sweep : baselines) {
        for (const ThreadCurve& curve : curves_of(sweep)) {
            if (curve.thread == thread)
                points.insert(points.end(), curve.points.begin(), curve.points.end());
        }
    }
    const std::vector<CurvePoint> curve = make_curve(std::move(points));
    const Hierarchy hierarchy = read_levels(curve, baselines.front().run);
    std::vector<SizeRange> ranges;
    for (const Level& level : hierarchy.caches)
        ranges.push_back({.name = level_name(ranges.size()),
                          .from_bytes = level.from_bytes,
                          .to_bytes = level.to_bytes,
                          .open_ended = !level.capacity_high_bytes});
    if (hierarchy.memory)
        ranges.push_back(
            {.name = "memory", .from_bytes = hierarchy.memory->from_bytes, .to_bytes = hierarchy.memory->to_bytes});
    return ranges;
}

/// The sweeps that may lack rows, each with the reason.
std::vector<std::string> incomplete_ones(const std::vector<Result>& sweeps) {
    std::vector<std::string> incomplete;
    for (const Result& sweep : sweeps) {
        if (const auto reason = why_incomplete(sweep))
            incomplete.push_back(fmt::format("{} {}", sweep.name, *reason));
    }
    return incomplete;
}

void print(const Comparison& comparison, std::optional<Format> format) {
    OutputFile output(std::nullopt);
    if (format)
        write_whole(output, compare_kind, comparison_rows(comparison), comparison_findings(comparison),
                    {.format = *format});
    else
        output.write(comparison_table(comparison));
}

ExitStatus status_of(Verdict verdict, Unclear unclear) {
    const bool is_unclear = verdict == Verdict::cannot_tell;
    if (is_unclear && unclear == Unclear::own)
        return ExitStatus::cannot_tell;
    const bool fails = is_unclear ? unclear == Unclear::fail : verdict == Verdict::slower;
    return fails ? ExitStatus::slower : ExitStatus::success;
}

ExitStatus run_compare(const CommandLine& line) {
    const CompareOptions options = with_options(CompareOptions(), compare_options, line);
    const auto& files = line.operands;
    if (files.size() < 2)
        throw usage_error("memtest compare takes at least two files, one baseline or more and the new sweep; "
                          "'memtest compare --help' says more");
    const std::vector<Result> sweeps = read_sweeps(files);
    if (!options.force)
        check_comparable(sweeps);

    std::vector<std::vector<SizeFigure>> figures;
    for (const Result& sweep : sweeps)
        figures.push_back(figures_of(sweep));
    const std::span all(figures);
    const Comparison comparison = compare_sweeps(all.first(all.size() - 1), figures.back(),
                                                 level_ranges(std::span(sweeps).first(sweeps.size() - 1)),
                                                 options.tolerance_percent, incomplete_ones(sweeps));
    if (!options.quiet)
        print(comparison, options.format);
    return status_of(comparison.verdict, options.unclear);
}

} // namespace

const Verb compare_verb{.name = "compare",
                        .operands = "BASE... NEW",
                        .summary = "judge a sweep by earlier ones",
                        .about = "Judges the last sweep against the others, size by size and level by level. One\n"
                                 "size alone makes no sweep slower. More than one baseline tells what is noise.\n",
                        .closing = "Exit status: 0 not slower, 3 slower, 4 cannot tell (too noisy, a cache that\n"
                                   "holds less, missing sizes), 2 usage error or runs that measured different\n"
                                   "things.\n",
                        .options = [] { return texts_of(compare_options); },
                        .run = run_compare};

} // namespace memtest

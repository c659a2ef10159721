#include "memtest/insight/compare.hpp"
#include "memtest/base/words.hpp"
#include "memtest/cli/messages.hpp"
#include "memtest/cli/values.hpp"
#include "memtest/cli/verbs/read_sweeps.hpp"
#include "memtest/cli/verbs/verbs.hpp"
#include "memtest/report/comparison.hpp"
#include "memtest/report/result_writer.hpp"
#include "memtest/report/run_keys.hpp"
#include "memtest/report/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

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
    bool all = false;
    bool force = false;
    bool quiet = false;
};

constexpr std::array compare_options{
    Option<CompareOptions>{"Options", 0, "tolerance", "PCT", "how many percent may differ without counting", "5",
                           [](CompareOptions& o, const Argument& a) { o.tolerance_percent = parse_percent(a, 1000); }},
    Option<CompareOptions>{
        "Options", 0, "unclear", "STATUS",
        "what 'cannot tell' ends with: 4, pass (0 where noise alone is the reason) or fail (3, as slower)", "4",
        [](CompareOptions& o, const Argument& a) { o.unclear = parse_choice<Unclear>(a); }, all_words<Unclear>},
    Option<CompareOptions>{"Options", 0, "all", "", "every size in the table, not only those that differ", "",
                           [](CompareOptions& o, const Argument&) { o.all = true; }},
    Option<CompareOptions>{"Options", 0, "force", "",
                           "compare runs that measured different things, or on different machines, all the same", "",
                           [](CompareOptions& o, const Argument&) { o.force = true; }},
    Option<CompareOptions>{"Options", 0, "format", "F", "csv or json instead of a table", "",
                           [](CompareOptions& o, const Argument& a) { o.format = parse_choice<Format>(a); },
                           all_words<Format>},
    Option<CompareOptions>{"Options", 'q', "quiet", "", "print nothing: the exit status answers", "",
                           [](CompareOptions& o, const Argument&) { o.quiet = true; }},
};

/// Refuses runs of other things or on other machines, unless forced. Says what else is different.
void check_comparable(const Result& base, const Result& latest, const CompareOptions& options) {
    constexpr std::array<std::pair<Is, std::string_view>, 3> sorts{{{Is::setting, "measured different things"},
                                                                    {Is::machine, "are of different machines"},
                                                                    {Is::system, "differ in the system"}}};
    for (const auto& [sort, how] : sorts) {
        const auto found = differences(base.run, latest.run, sort);
        const std::string sentence = fmt::format("{} and {} {}: {}", base.name, latest.name, how, describe(found));
        if (!found.empty() && sort != Is::system && !options.force)
            throw usage_error(sentence + "; --force compares them all the same");
        if (!found.empty() && !options.quiet)
            warn(sentence);
    }
}

/// Whether it passes although it cannot be told.
bool is_passed(const Comparison& comparison, Unclear unclear) {
    return comparison.verdict == Verdict::cannot_tell && unclear == Unclear::pass && comparison.only_noisy();
}

void print(const Comparison& comparison, const CompareOptions& options) {
    OutputFile output(std::nullopt);
    if (options.format)
        write_whole(output, compare_kind, comparison_rows(comparison), comparison_findings(comparison),
                    {.format = *options.format});
    else
        output.write(comparison_table(comparison, options.all, is_passed(comparison, options.unclear)));
}

ExitStatus status_of(const Comparison& comparison, Unclear unclear) {
    const bool is_unclear = comparison.verdict == Verdict::cannot_tell;
    if (comparison.verdict == Verdict::slower || (is_unclear && unclear == Unclear::fail))
        return ExitStatus::slower;
    return is_unclear && !is_passed(comparison, unclear) ? ExitStatus::cannot_tell : ExitStatus::success;
}

ExitStatus run_compare(const CommandLine& line) {
    const CompareOptions options = with_options(CompareOptions(), compare_options, line);
    if (line.operands.size() < 2)
        throw usage_error("memtest compare takes at least two files, one baseline or more and the new sweep; "
                          "'memtest compare --help' says more");
    std::vector<Result> sweeps = read_sweeps(line.operands);
    if (!options.quiet)
        std::ranges::for_each(sweeps, repeat_warnings);
    const Result latest = std::move(sweeps.back());
    sweeps.pop_back();
    for (const Result& base : sweeps)
        check_comparable(base, latest, options);
    const Comparison comparison = compare_results(sweeps, latest, options.tolerance_percent);
    if (!options.quiet)
        print(comparison, options);
    return status_of(comparison, options.unclear);
}

} // namespace

const Verb compare_verb{.name = "compare",
                        .operands = "BASE... NEW",
                        .summary = "judge a sweep by earlier ones",
                        .about = "Judges the last sweep against the others, size by size and level by level. One\n"
                                 "size alone makes no sweep slower. More than one baseline tells what is noise.\n",
                        .closing = "Exit status: 0 not slower, 3 slower, 4 cannot tell (too noisy, a cache that\n"
                                   "holds less, missing sizes), 2 usage error or runs that measured different\n"
                                   "things or on different machines.\n",
                        .options = [] { return texts_of(compare_options); },
                        .run = run_compare};

} // namespace memtest

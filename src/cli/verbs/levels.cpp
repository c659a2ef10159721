#include "memtest/cli/verbs/levels.hpp"

#include "memtest/base/units.hpp"
#include "memtest/insight/translation.hpp"
#include "memtest/report/compare_report.hpp"
#include "memtest/report/levels_report.hpp"
#include "memtest/report/output_file.hpp"
#include "memtest/report/pages_got.hpp"
#include "memtest/report/settings.hpp"
#include "memtest/report/stored_curves.hpp"
#include "memtest/report/sweep_file.hpp"
#include "memtest/report/tlb_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <iterator>

namespace memtest {
namespace {

struct LevelsOptions {
    bool fit = false;
    bool help = false;
};

constexpr std::array table{
    Option<LevelsOptions>{"Options", 0, "fit", "", "print size, measured and modelled latency, to be plotted together",
                          "", [](LevelsOptions& o, const Argument&) { o.fit = true; }},
    Option<LevelsOptions>{"Options", 'h', "help", "", "print this and exit", "",
                          [](LevelsOptions& o, const Argument&) { o.help = true; }},
};

std::string modelled(const Hierarchy& hierarchy, double size_bytes) {
    const auto latency_ns = modelled_latency_ns(hierarchy, size_bytes);
    return latency_ns ? fmt::format("{:.3f}", *latency_ns) : "";
}

std::string fit_csv(const StoredSweep& sweep) {
    std::string text = "Thread, Mem size (MiB), Access latency (ns), Modelled latency (ns)\n";
    for (const LevelReport& report : report_levels(sweep)) {
        for (const CurvePoint& point : curve_of_thread(sweep, report.thread))
            fmt::format_to(std::back_inserter(text), "{}, {:.5f}, {:.3f}, {}\n", report.thread, point.size_bytes / mib,
                           point.latency_ns, modelled(report.hierarchy, point.size_bytes));
    }
    return text;
}

/// Reads a sweep, and warns where rows of it may be missing.
StoredSweep read_and_warn(const std::string& file) {
    StoredSweep sweep = read_sweep_file(file);
    if (const auto reason = why_incomplete(sweep))
        fmt::print(stderr, "memtest: warning: {} {}: levels may be missing\n", sweep.name, *reason);
    return sweep;
}

/// Refuses two sweeps that differ in more than their pages.
void check_comparable(const StoredSweep& small_pages, const StoredSweep& huge_pages) {
    std::vector<SettingDifference> others;
    for (const SettingDifference& difference : settings_differences(small_pages.run, huge_pages.run)) {
        if (!difference.setting.starts_with("pages"))
            others.push_back(difference);
    }
    const auto& small = small_pages.run.pages_got;
    const auto& huge = huge_pages.run.pages_got;
    if (small && huge && !pages_differ(*small, *huge))
        throw usage_error(
            fmt::format("{} and {} both have pages of {}; give one sweep with small and one with huge pages",
                        small_pages.name, huge_pages.name, text_of_pages(*small)));
    if (small_pages.run.pages == PageKind::transparent_huge || huge_pages.run.pages == PageKind::base)
        throw usage_error(
            fmt::format("{} has the huge pages; give the sweep with small pages first", small_pages.name));
    if (!others.empty())
        throw usage_error(fmt::format("{} and {} differ in more than their pages: {}; give two sweeps of one kind",
                                      small_pages.name, huge_pages.name, describe(others)));
}

std::string translation_csv(const StoredSweep& small_pages, const StoredSweep& huge_pages) {
    check_comparable(small_pages, huge_pages);
    std::string text = "Thread, Mem size (MiB), Small pages (ns), Huge pages (ns), Translation (ns), Translation (%)\n";
    bool any = false;
    for (const int thread : small_pages.threads()) {
        for (const TranslationCost& cost :
             translation_costs(curve_of_thread(small_pages, thread), curve_of_thread(huge_pages, thread))) {
            any = true;
            fmt::format_to(std::back_inserter(text), "{}, {:.5f}, {:.3f}, {:.3f}, {:.3f}, {:.1f}\n", thread,
                           cost.size_bytes / mib, cost.small_pages_ns, cost.huge_pages_ns, cost.cost_ns,
                           cost.cost_percent);
        }
    }
    if (!any)
        throw usage_error(
            fmt::format("{} and {} have no size in common; sweep both with the same --min-size, --max-size "
                        "and --points",
                        small_pages.name, huge_pages.name));
    return text;
}

} // namespace

std::vector<OptionText> levels_option_texts() {
    return texts_of(std::span<const Option<LevelsOptions>>(table));
}

std::string levels_help() {
    return "Usage: memtest levels [--fit] FILE\n"
           "       memtest levels SWEEP TLB\n"
           "       memtest levels SMALL HUGE\n\n"
           "Reads the levels of the memory hierarchy off a stored sweep ('-' is standard\n"
           "input) and prints them as CSV. Given what 'memtest tlb' printed, too, takes off\n"
           "what translation adds to the latencies, so that no TLB looks like a cache. Given\n"
           "two sweeps of one machine, with small and with huge pages, prints what address\n"
           "translation costs at each size.\n" +
           help_text(levels_option_texts());
}

ExitStatus run_levels(const std::vector<std::string>& arguments) {
    LevelsOptions options;
    const auto files =
        parse_command_line(std::span<const Option<LevelsOptions>>(table), arguments, options, "memtest levels");
    OutputFile output(std::nullopt);
    if (options.help) {
        output.write(levels_help());
        return ExitStatus::success;
    }
    if (files.size() == 2 && !options.fit) {
        const auto stored = read_tlb_file(files[1]);
        output.write(stored ? levels_csv(report_levels(without_translation(read_sweep_file(files[0]), *stored)))
                            : translation_csv(read_sweep_file(files[0]), read_sweep_file(files[1])));
    } else if (files.size() != 1)
        throw usage_error(
            fmt::format("memtest levels takes one file, or two without --fit, not {}; 'memtest levels --help' "
                        "says more",
                        files.size()));
    else if (options.fit)
        output.write(fit_csv(read_sweep_file(files[0])));
    else
        output.write(levels_csv(report_levels(read_and_warn(files[0]))));
    return ExitStatus::success;
}

} // namespace memtest

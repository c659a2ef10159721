#include "memtest/cli/verbs/translation.hpp"

#include "memtest/base/units.hpp"
#include "memtest/insight/settings.hpp"
#include "memtest/insight/translation.hpp"
#include "memtest/report/compare_report.hpp"
#include "memtest/report/output_file.hpp"
#include "memtest/report/stored_curves.hpp"
#include "memtest/report/sweep_file.hpp"
#include "memtest/report/translation_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace memtest {
namespace {

/// The mean size of the pages in bytes, each byte of memory counting alike, that a `# pages got:` line tells.
std::optional<double> mean_page_bytes(std::string_view got) {
    constexpr std::string_view transparent = " transparent";
    const std::size_t both = got.find(" and ");
    const std::string_view last = both == std::string_view::npos ? got : got.substr(both + 5);
    const auto first_bytes = parse_human_size(got.substr(0, std::min(both, got.find(transparent))));
    const auto last_bytes = parse_human_size(last.substr(0, last.find(transparent)));
    if (!first_bytes || !last_bytes)
        return std::nullopt;
    double percent = 100;
    const std::size_t bracket = last.find('(');
    if (bracket != std::string_view::npos)
        std::from_chars(last.data() + bracket + 1, last.data() + last.size(), percent);
    return (1 - percent / 100) * static_cast<double>(*first_bytes) + percent / 100 * static_cast<double>(*last_bytes);
}

/// Refuses two sweeps that differ in more than their pages, or that are not in their order.
void check_sweeps(const StoredSweep& small_pages, const StoredSweep& huge_pages) {
    std::vector<SettingDifference> others;
    for (const SettingDifference& difference : settings_differences(small_pages.description, huge_pages.description)) {
        if (!difference.setting.starts_with("pages"))
            others.push_back(difference);
    }
    if (!others.empty())
        throw usage_error(fmt::format("{} and {} differ in more than their pages: {}; give two sweeps of one kind",
                                      small_pages.name, huge_pages.name, describe(others)));
    const auto small = small_pages.value_of("pages got");
    const auto huge = huge_pages.value_of("pages got");
    const auto small_bytes = mean_page_bytes(small.value_or(""));
    const auto huge_bytes = mean_page_bytes(huge.value_or(""));
    if (small_bytes && huge_bytes && *small_bytes >= *huge_bytes)
        throw usage_error(
            fmt::format("{} has pages of {} and {} has pages of {}; give the sweep with small pages first, "
                        "then that with huge pages",
                        small_pages.name, *small, huge_pages.name, *huge));
}

bool tells_noise(const std::vector<SizeFigure>& figures) {
    return std::ranges::all_of(figures, [](const SizeFigure& figure) {
        return (figure.min_ns && figure.median_ns) || figure.spread_percent || figure.visits_percent;
    });
}

} // namespace

std::vector<OptionText> translation_option_texts() {
    return {};
}

ExitStatus run_translation(const std::vector<std::string>& arguments) {
    const auto files = split_command_line({}, arguments, "memtest translation").operands;
    if (files.size() != 2)
        throw usage_error(fmt::format("memtest translation takes two files, a sweep with small pages and one with huge "
                                      "pages, not {}; 'memtest translation --help' says more",
                                      files.size()));
    if (files[0] == "-" && files[1] == "-")
        throw usage_error("'-', which is standard input, may be given once");
    const StoredSweep small_pages = read_sweep_file(files[0]);
    const StoredSweep huge_pages = read_sweep_file(files[1]);
    check_sweeps(small_pages, huge_pages);
    const auto small = figures_of(small_pages);
    const auto huge = figures_of(huge_pages);
    const auto costs = translation_costs(small, huge);
    if (costs.empty())
        throw usage_error(fmt::format("{} and {} have no size in common; sweep both with the same --min-size, "
                                      "--max-size and --points",
                                      small_pages.name, huge_pages.name));
    OutputFile(std::nullopt).write(translation_csv(costs, tells_noise(small) && tells_noise(huge)));
    return ExitStatus::success;
}

} // namespace memtest

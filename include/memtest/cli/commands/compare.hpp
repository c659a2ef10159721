#pragma once

#include "memtest/base/words.hpp"
#include "memtest/cli/option_table.hpp"
#include "memtest/report/comparison.hpp"
#include "memtest/report/figure_comparison.hpp"
#include "memtest/report/report_parts.hpp"
#include "memtest/report/result.hpp"
#include "memtest/report/result_writer.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace memtest {

/// The exit status for "cannot tell": its own, that of a pass, or that of a slower sweep.
enum class Unclear { own, pass, fail };

template<>
inline constexpr std::array<Word<Unclear>, 3> word_table<Unclear>{
    {{Unclear::own, "4"}, {Unclear::pass, "pass"}, {Unclear::fail, "fail"}}};

struct CompareOptions {
    double tolerance_percent = 5;
    Unclear unclear = Unclear::own;
    std::optional<Format> format = std::nullopt; ///< none: a table for people
    bool all = false;
    bool force = false;
    bool quiet = false;
    bool measure = false;
    unsigned tries = 3;
    std::optional<std::string> output = std::nullopt; ///< for what is measured
    std::vector<std::string> parts = {};              ///< of reports, or words for several; empty: all
};

/// Refuses runs with other settings or on other machines, unless forced. Warns of other differences.
/// @param is_told else the comparison names them @throws Error (usage)
void check_comparable(const Result& base, const Result& latest, const CompareOptions& options, bool is_told = true);

/// Does so for all parts that reports have in common, without warnings.
void check_comparable(const ReportResults& base, const ReportResults& latest, const CompareOptions& options);

/// Measures a sweep like the baselines and compares it. A slower result must repeat; one that cannot be told is
/// measured again until no try is left. std::nullopt if interrupted. @throws Error (usage) for baselines that no single
/// sweep is like, and like write_file
[[nodiscard]] std::optional<Comparison> measure_and_compare(const std::vector<Result>& baselines,
                                                            const CompareOptions& options, const CommandLine& line);

/// Measures each part of the first report with its command and arguments, and compares all. A part that is worse must
/// be so again; one whose figures are in doubt is measured again until no try is left. std::nullopt if interrupted.
/// @throws Error (usage) for a part that does not state how it was measured, or was measured in a file; and like
/// write_file
[[nodiscard]] std::optional<FigureComparison> measure_and_compare(const std::vector<ReportResults>& baselines,
                                                                  const CompareOptions& options);

} // namespace memtest

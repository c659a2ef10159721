#pragma once

#include "memtest/base/words.hpp"
#include "memtest/cli/commands/report.hpp"
#include "memtest/cli/option_table.hpp"
#include "memtest/kinds/comparison.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace memtest {

/// The exit status for "cannot tell": its own, that of a pass, or that of a worse result.
enum class Unclear { own, pass, fail };

template<>
inline constexpr std::array<Word<Unclear>, 3> word_table<Unclear>{
    {{Unclear::own, "4"}, {Unclear::pass, "pass"}, {Unclear::fail, "fail"}}};

struct CompareOptions : ReadingOptions {
    Unclear unclear = Unclear::own;
    bool force = false;
    bool measure = false;
    unsigned tries = 3;
    std::optional<std::string> output = std::nullopt; ///< for what is measured
};

/// Refuses files whose runs have other settings or are of other machines, unless forced. @throws Error (usage)
void check_comparable(const StoredFile& base, const StoredFile& latest, const CompareOptions& options);

/// Takes the steps, writes what they measured to the file, and compares it with the baselines. A figure that is worse
/// must be so again; what it is from, and what is missing, is measured again until no try is left.
/// @throws Error if nothing is measured, and as check_comparable
[[nodiscard]] Comparison measure_steps_and_compare(const std::vector<StoredFile>& baselines,
                                                   std::vector<ReportStep> steps, OutputFile& file,
                                                   const CompareOptions& options);

/// Does so with a step for each result of the first file, with its command and arguments. std::nullopt if interrupted.
/// @throws Error (usage) for a result that does not state how it was measured, or was measured in a file;
/// and like write_file
[[nodiscard]] std::optional<Comparison> measure_and_compare(const std::vector<StoredFile>& baselines,
                                                            const CompareOptions& options);

} // namespace memtest

#pragma once

#include "memtest/insight/translation_cost.hpp"
#include "memtest/kinds/levels.hpp"
#include "memtest/result/stored_file.hpp"
#include "memtest/result/text_table.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

// What the parts of a report show together.

/// @throws Error (usage) if the file is no report
void check_report(const StoredFile& file);

/// Whether both are known, and the same.
[[nodiscard]] bool have_same_pages(const Result& a, const Result& b);

/// The kinds of cores that a part was measured on: "P-core and E-core"; empty if the machine has one kind.
[[nodiscard]] std::string core_kinds_of(const Result& part);

/// The parts of a section, such as "kinds" or "parallel", in the order of the file.
[[nodiscard]] std::vector<Result> parts_of(const StoredFile& report, std::string_view section);

/// The sweep with huge pages; null if there is none, or if the kernel gave it the pages of the one with small pages.
[[nodiscard]] const Result* huge_pages_of(const StoredFile& report);

/// The sweep whose levels the page shows first: with huge pages if there is one, else with small pages; null if there
/// is none.
[[nodiscard]] const Result* sweep_of_levels(const StoredFile& report);

/// chosen_result(), but sweep_of_levels() of a report that has it if no part is chosen. @throws Error like the former
[[nodiscard]] Result chosen_or_sweep(StoredFile file, const Kind* kind, const std::optional<std::string>& part);

/// That sweep with its levels, in small pages less what translation adds where that is known.
struct BestSweep {
    Result sweep;
    LevelReport levels;              ///< of its first thread
    bool translation_is_off = false; ///< subtracted in full
};

/// std::nullopt if the report has no sweep.
[[nodiscard]] std::optional<BestSweep> best_sweep_of(const StoredFile& report);

/// What small pages cost compared with huge ones; empty if one of the sweeps is missing.
[[nodiscard]] std::vector<TranslationCost> translation_costs_of(const StoredFile& report);

/// What tells the memory of machines apart; what a report does not state is unknown.
struct MachineInBrief {
    std::string name{};
    std::vector<double> caches_kib{};   ///< best estimates, from the nearest
    std::optional<double> memory_ns{};  ///< of the sweep
    std::optional<double> knee_gb_s{};  ///< of the first curve under load
    std::optional<double> p99_9_ns{};   ///< of the largest size, without load
    std::optional<double> nearest_ns{}; ///< of all pairs of cores
    std::optional<double> farthest_ns{};
    std::optional<Result> sweep{}; ///< in random order
};

[[nodiscard]] MachineInBrief in_brief(const StoredFile& report, std::string name);

/// A row for each machine.
[[nodiscard]] TextTable table_of(std::span<const MachineInBrief> machines);

} // namespace memtest

#pragma once

#include "memtest/result/stored_file.hpp"
#include "memtest/result/text_table.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memtest {

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

#pragma once

#include "memtest/report/run_description.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

// The parts of a JSON document that holds what a run measured, in their order.

/// Up to the first row. @param verb that measured it; none for a sweep
[[nodiscard]] std::string json_opening(const RunDescription& run, std::string_view verb = {});

[[nodiscard]] std::string json_row(const nlohmann::ordered_json& row, bool is_first);

/// From behind the last row on. @param members further ones, as their lines, without a comma behind them
[[nodiscard]] std::string json_closing(const RunDescription& run, const std::vector<std::string>& warnings,
                                       std::string_view members);

/// Adds to the description what the members of an object say of the run.
/// @param at_end of the document, else of its run @return a setting of no known value, if there is one
[[nodiscard]] std::optional<std::string> read_run_members(RunDescription& run, const nlohmann::ordered_json& members,
                                                          bool at_end);

} // namespace memtest

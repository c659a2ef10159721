#pragma once

#include "memtest/report/run_description.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace memtest {

/// A field of the description: how it is written in `#` lines and in JSON, and how it is read from them.
struct RunKey {
    std::string_view key;     ///< in `# key: value`
    std::string_view member;  ///< in JSON
    std::string_view meaning; ///< for the manual
    bool at_end = false;      ///< known behind the rows; in JSON a member of the document, not of `run`
    bool setting = false;     ///< sweeps that differ in it cannot be compared
    /// The value for a run that names its order but not this; empty where that is not known.
    std::string_view unsaid = {};

    std::optional<std::string> (*text)(const RunDescription&) = nullptr; ///< nothing where it is not known
    /// False where it is no such value; null, like read_json, for what no verb needs of a file.
    bool (*read_text)(RunDescription&, std::string_view) = nullptr;
    nlohmann::ordered_json (*json)(const RunDescription&) = nullptr; ///< null where it is not known
    bool (*read_json)(RunDescription&, const nlohmann::ordered_json&) = nullptr;
    bool (*differ)(const RunDescription&, const RunDescription&) = nullptr; ///< true also where only one is known
};

/// All of them, in the order of the output.
[[nodiscard]] std::span<const RunKey> run_keys();

/// Adds to the description what the members of an object say of the run.
/// @param at_end of the document, else of its run @return a setting of no known value, if there is one
[[nodiscard]] std::optional<std::string> read_run_members(RunDescription& run, const nlohmann::ordered_json& members,
                                                          bool at_end);

} // namespace memtest

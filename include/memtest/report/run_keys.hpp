#pragma once

#include "memtest/report/run_description.hpp"
#include "memtest/report/value.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// What a key tells of. Sweeps that differ in a setting or in the machine cannot be compared.
enum class Is { fact, setting, machine, system, at_end };

/// A field of the description: how it is written in `#` lines and in JSON, and how it is read from them.
struct RunKey {
    std::string_view key;     ///< in `# key: value`
    std::string_view member;  ///< in JSON
    std::string_view meaning; ///< for the manual
    Is is = Is::fact;         ///< at_end: known behind the rows; in JSON a member of the document, not of `run`
    bool for_people = false;  ///< of the few that matter to them
    /// The value for a run that names its order but not this; empty where that is not known.
    std::string_view unsaid = {};
    std::string_view option = {}; ///< of the probe, that asks for it (or one of them); empty for what none does

    std::optional<std::string> (*text)(const RunDescription&) = nullptr; ///< nothing where it is not known
    Value (*value)(const RunDescription&) = nullptr;
    /// False where it is no such value; both are null for what no verb needs of a file.
    bool (*read_text)(RunDescription&, std::string_view) = nullptr;
    bool (*read_value)(RunDescription&, const Value&) = nullptr;
    /// Whether other text is another value, true also where only one is known; null for one that always is.
    bool (*differ)(const RunDescription&, const RunDescription&) = nullptr;
    /// The option with its value; empty where the probe does it unasked, or it is not known.
    std::string (*asked)(const RunDescription&, std::string_view option) = nullptr;
};

/// All of them, in the order of the output.
[[nodiscard]] std::span<const RunKey> run_keys();

/// The lines `# key: value` of what is known of a run. @param at_end behind the rows, the end last; else ahead of them
/// @param for_people the few that matter to them alone
[[nodiscard]] std::string run_lines(const RunDescription& run, bool at_end, bool for_people = false);

/// The same as members of JSON, those that are not known, too.
[[nodiscard]] Value::Members run_members(const RunDescription& run, bool at_end);

/// The words of a command line of the probe that ask for what is known of a run.
[[nodiscard]] std::vector<std::string> option_words(const RunDescription& run);

/// Adds to the description what a `#` line or a member of JSON says of the run; the first of a key counts. Skips other
/// keys. @return false for a setting of no known value
[[nodiscard]] bool read_run_line(RunDescription& run, std::string_view key, std::string_view value);
[[nodiscard]] bool read_run_member(RunDescription& run, const Member& member, bool at_end);

/// A key in which two sweeps differ.
struct Difference {
    std::string key;
    std::string base;
    std::string latest;
};

/// The keys of one sort in which two runs differ. What one of them does not say is no difference; a file of the classic
/// tool says nothing.
[[nodiscard]] std::vector<Difference> differences(const RunDescription& base, const RunDescription& latest, Is is);

/// One line that names the keys in which two sweeps differ.
[[nodiscard]] std::string describe(std::span<const Difference> differences);

/// `# key: value`, with its line end.
[[nodiscard]] std::string keyed_line(std::string_view key, std::string_view value);

} // namespace memtest

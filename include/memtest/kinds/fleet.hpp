#pragma once

#include "memtest/kinds/comparison.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace memtest {

/// Fewer machines than this do not show what is usual.
inline constexpr std::size_t fewest_machines = 4;

/// What the figures of a fleet say together.
enum class FleetVerdict { alike, differ, cannot_tell };

template<>
inline constexpr std::array<Word<FleetVerdict>, 3> word_table<FleetVerdict>{
    {{FleetVerdict::alike, "alike"}, {FleetVerdict::differ, "differ"}, {FleetVerdict::cannot_tell, "cannot tell"}}};

/// A machine by its report or its sweep.
struct FleetMachine {
    std::string name; ///< of its file, without folder and ending, on one line without commas
    StoredFile file;
};

/// @param names of the parts of a report that are wanted, as keep_parts takes them; none: all @throws Error (usage)
[[nodiscard]] FleetMachine machine_in(StoredFile file, const std::vector<std::string>& names = {});

/// A figure by which a machine differs from the others of its kind.
struct FleetRow {
    std::string machine;
    FigureChange figure; ///< its base is the median of the others
};

/// A figure that was compared among the machines of one kind.
struct FleetFigure {
    std::string like; ///< the first machine of the kind
    FigureChange figure;
    std::size_t machines = 0; ///< of which it was compared
    std::size_t differ = 0;
};

/// A fleet, and what sets single machines apart.
struct Fleet {
    std::vector<FleetMachine> machines;
    std::vector<std::string> unread{};             ///< files that hold no result
    std::vector<std::vector<std::size_t>> kinds{}; ///< places of machines alike, those of the most machines first
    std::vector<FleetRow> rows{};                  ///< by kind, then in the order of the machines
    std::size_t differ = 0;                        ///< machines with a row
    std::size_t judged = 0;                        ///< machines of kinds with enough of them
    std::vector<FleetFigure> figures{};            ///< that decide, by kind
};

/// `differ` if any machine does, or a file holds no result; `cannot tell` if no figure can be compared.
[[nodiscard]] FleetVerdict verdict_of(const Fleet& fleet);

/// Sorts the machines into kinds, with the same processor, kernel and settings of the measurement, and compares each
/// with the others of its kind, as compare() does. A machine that does not state what the others state differs, too.
/// @param unread files that hold no result @param tolerance_percent smaller differences do not count
/// @throws Error like figures_in
[[nodiscard]] Fleet judge_fleet(std::vector<FleetMachine> machines, double tolerance_percent,
                                std::vector<std::string> unread = {});

/// What `memtest fleet` reports: a row for each figure that differs.
extern const KindOf<FleetRow> fleet_kind;

/// How many machines differ, which are not compared and why, and in which settings of the system machines differ from
/// most of their kind.
[[nodiscard]] Findings fleet_findings(const Fleet& fleet);

/// For people: a sentence with the answer, a table of what differs for each machine, and the remarks.
/// @param all rows and remarks, not only the first
/// @param columns of the terminal, at which sentences wrap; none: they are one line
[[nodiscard]] std::string fleet_table(const Fleet& fleet, bool all = false, std::optional<std::size_t> columns = {});

} // namespace memtest

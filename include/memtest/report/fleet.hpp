#pragma once

#include "memtest/insight/fleet.hpp"
#include "memtest/report/result_reader.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memtest {

/// A machine as its report or its sweep states it.
struct FleetMachine {
    std::string name;   ///< of its file, without folder and ending, on one line without commas
    std::string path{}; ///< of its file
    std::vector<std::pair<std::string, RunDescription>> parts{}; ///< at least one; a sweep has no name
    std::vector<Figure> figures{};
};

/// @param names of the parts of a report that are wanted, as keep_parts takes them; none: all @throws Error (usage)
[[nodiscard]] FleetMachine machine_in(StoredFile file, const std::vector<std::string>& names = {});

/// A figure by which a machine differs from the others of its kind.
struct FleetRow {
    std::string machine;
    FigureChange figure;
};

/// A figure that was compared among the machines of one kind.
struct FleetFigure {
    std::string like; ///< the first machine of the kind
    JudgedFigure figure;
};

/// A fleet, and what sets single machines apart.
struct Fleet {
    std::vector<FleetMachine> machines;
    std::vector<std::vector<std::size_t>> kinds{}; ///< places of machines alike, those of the most machines first
    std::vector<FleetRow> rows{};                  ///< by kind, then in the order of the machines
    std::size_t differ = 0;                        ///< machines with a row
    std::size_t judged = 0;             ///< machines of kinds with enough of them, with a figure without doubt
    std::vector<FleetFigure> figures{}; ///< that were compared, by kind
};

/// `differ` if any machine does; `cannot tell` if no figure was compared, or noise hides differences in half or more of
/// those that repeat, or of all if none does.
[[nodiscard]] FleetVerdict verdict_of(const Fleet& fleet);

/// Sorts the machines into kinds, with the same processor, kernel and settings of the measurement, and compares those
/// of each. @param tolerance_percent smaller differences do not count
[[nodiscard]] Fleet judge_fleet(std::vector<FleetMachine> machines, double tolerance_percent);

/// What `memtest fleet` reports: a row for each figure that differs.
extern const KindOf<FleetRow> fleet_kind;

/// How many machines differ, which are not compared and why, and in which settings of the system machines differ from
/// most of their kind.
[[nodiscard]] Findings fleet_findings(const Fleet& fleet);

/// For people: a sentence with the answer, a table of what differs for each machine, and the remarks.
/// @param all figures that were compared are in a table, too
/// @param columns of the terminal, at which sentences wrap; none: they are one line
[[nodiscard]] std::string fleet_table(const Fleet& fleet, bool all = false, std::optional<std::size_t> columns = {});

} // namespace memtest

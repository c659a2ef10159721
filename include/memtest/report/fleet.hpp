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

/// @param part of a report that is wanted alone; none: all @throws Error (usage) if it has no such part
[[nodiscard]] FleetMachine machine_in(StoredFile file, const std::optional<std::string>& part);

/// A figure by which a machine differs from the others of its kind.
struct FleetRow {
    std::string machine;
    FigureChange figure;
};

/// A fleet, and what sets single machines apart.
struct Fleet {
    std::vector<FleetMachine> machines;
    std::vector<std::vector<std::size_t>> kinds{}; ///< places of machines alike, those of the most machines first
    std::vector<FleetRow> rows{};                  ///< by kind, then in the order of the machines
    std::size_t differ = 0;                        ///< machines with a row
    std::size_t judged = 0;    ///< machines of kinds with enough of them, with a figure without doubt
    std::size_t too_noisy = 0; ///< of these figures, whose noise hides differences
    std::size_t figures = 0;   ///< compared in all kinds
};

/// Sorts the machines into kinds, with the same processor, kernel and settings of the measurement, and compares those
/// of each. @param tolerance_percent smaller differences do not count
[[nodiscard]] Fleet judge_fleet(std::vector<FleetMachine> machines, double tolerance_percent);

/// What `memtest fleet` reports: a row for each figure that differs.
extern const KindOf<FleetRow> fleet_kind;

/// How many machines differ, which are not compared and why, and in which settings of the system machines differ from
/// most of their kind.
[[nodiscard]] Findings fleet_findings(const Fleet& fleet);

/// For people: a sentence with the answer, a table of what differs, and the remarks.
/// @param columns of the terminal, at which sentences wrap; none: they are one line
[[nodiscard]] std::string fleet_table(const Fleet& fleet, std::optional<std::size_t> columns = {});

} // namespace memtest

#include "memtest/kinds/machine_in_brief.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/insight/load_curve.hpp"
#include "memtest/kinds/loaded.hpp"
#include "memtest/kinds/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace memtest {
namespace {

void add_levels(MachineInBrief& machine, const LevelReport& levels) {
    for (const LevelRow& level : level_rows(levels)) {
        if (level.is_memory())
            machine.memory_ns = level.latency_ns;
        else if (level.capacity_best_kib)
            machine.caches_kib.push_back(*level.capacity_best_kib);
        else if (level.capacity_low_kib && level.capacity_high_kib)
            machine.caches_kib.push_back(std::sqrt(*level.capacity_low_kib * *level.capacity_high_kib));
    }
}

void add_load(MachineInBrief& machine, const Result& loaded) {
    const LoadCurve curve = read_load_curve(load_curves_of(loaded).front());
    if (curve.knee && curve.reaches_full_load)
        machine.knee_gb_s = curve.knee->bytes_per_ns;
}

void add_tail(MachineInBrief& machine, const Result& tail) {
    std::uint64_t largest = 0;
    for (const PercentileRow& row : tail.rows_of<PercentileRow>()) {
        if (row.load_percent <= 0 && row.size_bytes > largest) {
            largest = row.size_bytes;
            machine.p99_9_ns = row.p99_9_ns;
        }
    }
}

void add_pairs(MachineInBrief& machine, const Result& cores) {
    for (const CoresRow& row : cores.rows_of<CoresRow>()) {
        if (!row.latency_ns)
            continue;
        machine.nearest_ns = std::min(machine.nearest_ns.value_or(*row.latency_ns), *row.latency_ns);
        machine.farthest_ns = std::max(machine.farthest_ns.value_or(*row.latency_ns), *row.latency_ns);
    }
}

} // namespace

MachineInBrief in_brief(const StoredFile& report, std::string name) {
    MachineInBrief machine{.name = std::move(name)};
    if (const auto best = best_sweep_of(report)) {
        add_levels(machine, best->levels);
        machine.sweep = *sweep_of_levels(report);
    }
    if (const Result* loaded = find_part(report.results, "loaded"))
        add_load(machine, *loaded);
    if (const Result* tail = find_part(report.results, "tail"))
        add_tail(machine, *tail);
    if (const Result* cores = find_part(report.results, "cores"))
        add_pairs(machine, *cores);
    return machine;
}

TextTable table_of(std::span<const MachineInBrief> machines) {
    std::size_t caches = 0;
    for (const MachineInBrief& machine : machines)
        caches = std::max(caches, machine.caches_kib.size());
    TextTable table{.rows = {{"Machine"}}, .right = "l" + std::string(caches + 5, 'r')};
    for (int number = 1; number <= static_cast<int>(caches); ++number)
        table.rows.front().push_back(level_name(number));
    for (const char* const name : {"Memory", "Knee", "p99.9", "Near", "Far"})
        table.rows.front().emplace_back(name);
    for (const MachineInBrief& machine : machines) {
        std::vector<std::string> cells{machine.name};
        for (std::size_t place = 0; place < caches; ++place)
            cells.push_back(place < machine.caches_kib.size()
                                ? rounded_size(machine.caches_kib[place] * static_cast<double>(kib))
                                : "");
        for (const auto& figure :
             {machine.memory_ns, machine.knee_gb_s, machine.p99_9_ns, machine.nearest_ns, machine.farthest_ns})
            cells.push_back(fixed(figure, 1));
        table.rows.push_back(std::move(cells));
    }
    return table;
}

} // namespace memtest

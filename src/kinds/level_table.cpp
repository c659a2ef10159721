#include "memtest/kinds/level_table.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memtest {
namespace {

/// "0.5 to 1.5": in the unit of the best size.
std::string range_in_unit(double low_kib, double high_kib, const std::string& best) {
    const auto unit = static_cast<double>(bytes_in_unit(best.substr(best.rfind(' ') + 1)).value_or(1));
    const auto number = [&](double size_kib) {
        return text_of(size_kib * static_cast<double>(kib) / unit, significant(3));
    };
    return fmt::format("{} to {}", number(low_kib), number(high_kib));
}

std::string size_of_kib(double size_kib) {
    return rounded_size(size_kib * static_cast<double>(kib));
}

std::string measured_capacity_of(const LevelRow& row) {
    if (!row.capacity_low_kib)
        return "not known";
    if (!row.capacity_high_kib)
        return "at least " + size_of_kib(*row.capacity_low_kib);
    if (row.capacity_best_kib) {
        const std::string best = size_of_kib(*row.capacity_best_kib);
        return *row.capacity_low_kib == *row.capacity_high_kib
                   ? best
                   : fmt::format("{} ({})", best, range_in_unit(*row.capacity_low_kib, *row.capacity_high_kib, best));
    }
    return size_range(*row.capacity_low_kib * kib, *row.capacity_high_kib * kib);
}

/// Whether the curve shows only a part of the reported capacity.
bool is_part_usable(const LevelRow& row) {
    if (!row.reported_kib || !row.is_shown() || !row.capacity_high_kib)
        return false;
    const auto reported_kib = static_cast<double>(*row.reported_kib);
    return row.capacity_best_kib != reported_kib && *row.capacity_high_kib <= reported_kib;
}

/// "32 MiB, 9 (6 to 12) usable" or "32 MiB, contested: 9 (6 to 12)": in the unit of the reported size where that is the
/// same.
std::string usable_part_of(const LevelRow& row, const std::string& reported) {
    std::string measured = measured_capacity_of(row);
    const std::string unit = reported.substr(reported.rfind(' '));
    if (const std::size_t at = measured.find(unit); at != std::string::npos)
        measured.erase(at, unit.size());
    return row.contested_to_kib ? fmt::format("{}, contested: {}", reported, measured)
                                : fmt::format("{}, {} usable", reported, measured);
}

/// The capacity that system and curve agree on, or both.
std::string known_capacity_of(const LevelRow& row) {
    if (!row.reported_kib)
        return measured_capacity_of(row);
    const auto reported_kib = static_cast<double>(*row.reported_kib);
    std::string reported = size_of_kib(reported_kib);
    if (!row.is_shown())
        return reported + ", not shown";
    if (row.capacity_best_kib == reported_kib)
        return reported;
    return is_part_usable(row) ? usable_part_of(row, reported)
                               : fmt::format("{}, reported {}", measured_capacity_of(row), reported);
}

std::string capacity_of(const LevelRow& row, bool has_report) {
    if (row.is_memory())
        return "";
    std::string capacity = known_capacity_of(row);
    if (has_report && !row.reported_kib)
        append(capacity, "not reported");
    if (row.contested_to_kib && !is_part_usable(row)) // else it is said already
        append(capacity, "contested");
    return capacity;
}

std::vector<std::string> cells_of(const LevelRow& row, bool has_report) {
    std::string sure(row.capacity_confidence ? word_of(*row.capacity_confidence) : "");
    append(sure, row.latency_confidence ? word_of(*row.latency_confidence) : "");
    return {row.is_memory() ? "Memory" : row.level, capacity_of(row, has_report), ns_text(row.latency_ns),
            row.latency_cycles ? three_digits(*row.latency_cycles) : "", sure};
}

} // namespace

TextTable level_table(std::span<const LevelReport> reports) {
    TextTable table{.rows = {{"Level", "Capacity", "Latency", "Cycles", "Confidence"}}, .right = "llrrl"};
    for (const LevelReport& report : reports) {
        for (const LevelRow& row : level_rows(report)) {
            std::vector<std::string> cells = cells_of(row, !report.reported.empty());
            if (reports.size() > 1)
                cells.front() += fmt::format(" thread {}", report.thread);
            table.rows.push_back(std::move(cells));
        }
    }
    if (table.rows.size() == 1)
        table.rows.clear();
    return table;
}

Answer answer_of_levels(const Result& sweep, bool translation_is_off) {
    const std::vector<LevelReport> reports = report_levels(sweep, translation_is_off);
    Answer answer{.table = level_table(reports)};
    for (const LevelReport& report : reports) {
        for (const Notice& remark : remarks_on(report)) {
            if (std::ranges::find(answer.notes, remark) == answer.notes.end())
                answer.notes.push_back(remark);
        }
    }
    return answer;
}

} // namespace memtest

#include "memtest/report/sweep_report.hpp"

#include "memtest/report/columns.hpp"
#include "memtest/report/description.hpp"
#include "memtest/report/json_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

namespace memtest {
namespace {

using Json = nlohmann::ordered_json;

Json notes_of(const Row& row) {
    Json words = Json::array();
    for (const Note note : row.notes)
        words.push_back(word_of(note));
    return words;
}

/// The counters of a row by their words, which in JSON have no dash.
Json counts_of(const Row& row, const std::vector<Counter>& counters) {
    Json counts = Json::object();
    for (std::size_t i = 0; i < counters.size(); ++i) {
        std::string name(word_of(counters[i]));
        std::ranges::replace(name, '-', '_');
        const auto& count = row.counts_per_access.at(i);
        counts[name] = count ? json_value(fmt::format("{:.6g}", *count)) : Json();
    }
    return counts;
}

Json visit_object(const Visit& visit) {
    Json batches = Json::array();
    for (const double ns : visit.batch_ns)
        batches.push_back(json_number(ns, 3));
    return {{"start_ms", json_number(static_cast<double>(visit.start_ns) * 1e-6, 3)},
            {"place_bytes", visit.place_bytes},
            {"core_ghz", json_number(visit.core_ghz, 3)},
            {"batches_ns", batches}};
}

Json row_object(const Row& row, const std::vector<Counter>& counters) {
    Json object;
    for (const Column& column : columns()) {
        object[std::string(column.member)] =
            column.member == notes_member ? notes_of(row) : json_value(column.text(row));
    }
    object[json_size_bytes] = row.size_bytes;
    object[json_counts] = counts_of(row, counters);
    Json& visits = object[json_visits] = Json::array();
    for (const Visit& visit : row.visits)
        visits.push_back(visit_object(visit));
    return object;
}

} // namespace

void SweepReport::open(const RunDescription& run) {
    begin(run, {}, headline(run), csv_header(columns_));
}

void SweepReport::row(const Row& row) {
    if (is_json())
        write_row(row_object(row, columns_.counters));
    else
        write_row(csv_line(row, columns_));
}

void SweepReport::close(const RunDescription& run, const std::vector<LevelReport>& levels) {
    if (is_json())
        return end(run, {}, levels_members(levels));
    KeyedLines lines;
    for (const LevelReport& report : levels)
        std::ranges::move(level_lines(report, levels.size() > 1), std::back_inserter(lines));
    end(run, lines, {});
}

} // namespace memtest

#include "memtest/report/json_report.hpp"

#include "memtest/report/columns.hpp"
#include "memtest/report/json_layout.hpp"
#include "memtest/report/json_text.hpp"
#include "memtest/report/levels_json.hpp"
#include "memtest/report/run_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

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
        batches.push_back(json_value(fmt::format("{:.3f}", ns)));
    return {{"start_ms", json_value(fmt::format("{:.3f}", static_cast<double>(visit.start_ns) * 1e-6))},
            {"place_bytes", visit.place_bytes},
            {"core_ghz", visit.core_ghz ? json_value(fmt::format("{:.3f}", *visit.core_ghz)) : Json()},
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

void JsonReport::open(const RunDescription& run) {
    output_.write(json_opening(run));
}

void JsonReport::row(const Row& row) {
    output_.write(json_row(row_object(row, counters_), first_row_));
    first_row_ = false;
}

void JsonReport::close(const RunDescription& run, const std::vector<LevelReport>& levels) {
    output_.write(json_closing(run, warnings_, levels_members(levels)));
}

} // namespace memtest

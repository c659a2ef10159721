#include "memtest/report/json_report.hpp"

#include "memtest/base/units.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

namespace memtest {
namespace {

/// A string of JSON (RFC 8259); bytes above 127 are passed through as the UTF-8 that they are.
std::string json_string(std::string_view text) {
    std::string json = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            json += fmt::format("\\{}", c);
        else if (static_cast<unsigned char>(c) < 0x20)
            json += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            json += c;
    }
    return json + '"';
}

std::string object(const Description& lines) {
    std::string json;
    for (const auto& [key, value] : lines)
        json += fmt::format("{}\n    {}: {}", json.empty() ? "" : ",", json_string(key), json_string(value));
    return "{" + json + "\n  }";
}

std::string number_or_null(std::optional<double> number, int digits) {
    return number ? fmt::format("{:.{}f}", *number, digits) : "null";
}

template<class Items, class Format>
std::string array(const Items& items, Format format) {
    std::string json;
    for (const auto& item : items)
        json += fmt::format("{}{}", json.empty() ? "" : ", ", format(item));
    return "[" + json + "]";
}

/// The counters of a row by their names; nothing where none were asked for.
std::string counts_member(const Row& row, const std::vector<Counter>& counters) {
    if (counters.empty())
        return "";
    std::string json;
    for (std::size_t i = 0; i < counters.size(); ++i) {
        const auto& count = row.counts_per_access.at(i);
        json += fmt::format("{}{}: {}", json.empty() ? "" : ", ", json_string(word_of(counters[i])),
                            count ? fmt::format("{:.6g}", *count) : "null");
    }
    return ", \"counts_per_access\": {" + json + "}";
}

std::string visit_object(const Visit& visit) {
    return fmt::format("{{\"start_ms\": {:.3f}, \"place_bytes\": {}, \"core_ghz\": {:.3f}, \"batches_ns\": {}}}",
                       static_cast<double>(visit.start_ns) * 1e-6, visit.place_bytes, visit.core_ghz,
                       array(visit.batch_ns, [](double ns) { return fmt::format("{:.3f}", ns); }));
}

std::string row_object(const Row& row, const std::vector<Counter>& counters) {
    const auto of_summary = [&row](double Summary::*figure, int digits) {
        return number_or_null(row.summary ? std::optional((*row.summary).*figure) : std::nullopt, digits);
    };
    return fmt::format("{{\"thread\": {}, \"size_bytes\": {}, \"size_mib\": {:.5f}, \"latency_ns\": {}, "
                       "\"latency_cycles\": {}, \"min_ns\": {}, \"median_ns\": {}, \"mean_ns\": {}, "
                       "\"spread_percent\": {}, \"visits_percent\": {}, \"notes\": {}, \"visits\": {}{}}}",
                       row.thread, row.size_bytes, static_cast<double>(row.size_bytes) / mib,
                       number_or_null(row.latency_ns, 3), number_or_null(row.latency_cycles, 2),
                       of_summary(&Summary::min, 3), of_summary(&Summary::median, 3), of_summary(&Summary::mean, 3),
                       of_summary(&Summary::spread_percent, 2), number_or_null(row.visits_percent, 2),
                       array(row.notes, [](Note note) { return json_string(word_of(note)); }),
                       array(row.visits, visit_object), counts_member(row, counters));
}

/// The figures that a cache and memory have alike.
std::string level_figures(const LevelReport& report, std::string_view name, double ns, double from_bytes,
                          double to_bytes) {
    const auto cycles = report.core_ghz ? std::optional(ns * *report.core_ghz) : std::nullopt;
    return fmt::format("\"level\": \"{}\", \"latency_ns\": {:.3f}, \"latency_cycles\": {}, \"from_mib\": {:.5f}, "
                       "\"to_mib\": {:.5f}",
                       name, ns, number_or_null(cycles, 2), from_bytes / mib, to_bytes / mib);
}

std::string cache_object(const LevelReport& report, std::size_t place) {
    const Level& level = report.hierarchy.caches[place];
    const CacheComparison* compared = place < report.compared.size() ? &report.compared[place] : nullptr;
    const bool is_reported = compared != nullptr && compared->reported;
    return fmt::format("{{{}, \"capacity_low_kib\": {:.10g}, \"capacity_high_kib\": {:.10g}, \"capacity_kib\": {:.0f}, "
                       "\"confidence\": \"{}\", \"reported_kib\": {}, \"much_smaller_than_reported\": {}}}",
                       level_figures(report, level_name(place), level.latency_ns, level.from_bytes, level.to_bytes),
                       level.capacity_low_bytes / kib, level.capacity_high_bytes / kib, level.capacity_bytes / kib,
                       word_of(level.confidence),
                       is_reported ? fmt::format("{}", compared->reported->size_bytes / 1024) : "null",
                       compared != nullptr && compared->much_smaller);
}

std::string hierarchy_object(const LevelReport& report) {
    std::vector<std::string> levels;
    for (std::size_t place = 0; place < report.hierarchy.caches.size(); ++place)
        levels.push_back(cache_object(report, place));
    if (const auto& memory = report.hierarchy.memory)
        levels.push_back(fmt::format(
            "{{{}}}", level_figures(report, "memory", memory->latency_ns, memory->from_bytes, memory->to_bytes)));
    return fmt::format("{{\"thread\": {}, \"levels\": {}, \"remarks\": {}}}", report.thread,
                       array(levels, [](const std::string& level) { return "\n      " + level; }),
                       array(report.hierarchy.remarks, [](Remark remark) { return json_string(sentence_on(remark)); }));
}

} // namespace

void JsonReport::open(const std::vector<std::string>& headline, const Description& description) {
    output_.write(fmt::format("{{\n  \"headline\": {},\n  \"description\": {},\n  \"rows\": [",
                              array(headline, [](const std::string& sentence) { return json_string(sentence); }),
                              object(description)));
}

void JsonReport::row(const Row& row) {
    output_.write(fmt::format("{}\n    {}", first_row_ ? "" : ",", row_object(row, counters_)));
    first_row_ = false;
}

void JsonReport::close(const Description& closing, const std::vector<LevelReport>& levels) {
    const std::string hierarchies =
        levels.empty() ? "null"
                       : array(levels, [](const LevelReport& report) { return "\n    " + hierarchy_object(report); });
    output_.write(fmt::format("\n  ],\n  \"closing\": {},\n  \"hierarchy\": {}\n}}\n", object(closing), hierarchies));
}

} // namespace memtest

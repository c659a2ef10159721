#include "memtest/report/report.hpp"

#include "memtest/report/json_text.hpp"
#include "memtest/report/run_keys.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace memtest {
namespace {

std::string members_of(const RunDescription& run, bool at_end, std::string_view indent) {
    std::string text;
    for (const RunKey& key : run_keys()) {
        if (key.at_end == at_end)
            text +=
                fmt::format("{}\n{}\"{}\": {}", text.empty() ? "" : ",", indent, key.member, json_line(key.json(run)));
    }
    return text;
}

} // namespace

void Report::begin(const RunDescription& run, std::string_view verb, const std::vector<std::string>& headline,
                   std::string_view header) {
    if (is_json())
        return output_.write(fmt::format("{{\n  \"{}\": {},\n{}  \"{}\": {{{}\n  }},\n  \"{}\": [", json_schema,
                                         schema_version,
                                         verb.empty() ? "" : fmt::format("  \"{}\": \"{}\",\n", json_verb, verb),
                                         json_run, members_of(run, false, "    "), json_rows));
    for (const std::string& sentence : headline)
        say(fmt::format("# {}\n", sentence));
    say(keyed_lines(run_lines(run, false)));
    output_.write(header);
}

void Report::warn(const std::string& sentence) {
    warnings_.push_back(sentence);
    say(keyed_line(warning_key, sentence));
}

void Report::write_row(const nlohmann::ordered_json& row) {
    output_.write(fmt::format("{}\n    {}", first_row_ ? "" : ",", json_line(row)));
    first_row_ = false;
}

void Report::end(const RunDescription& run, const KeyedLines& lines, std::string_view members) {
    if (is_json())
        return output_.write(fmt::format("\n  ],\n  \"{}\": {},\n{}{}{},\n  \"{}\": {}\n}}\n", json_warnings,
                                         json_line(warnings_), members, members.empty() ? "" : ",",
                                         members_of(run, true, "  "), json_complete, run.end && run.end->complete()));
    say(keyed_lines(lines));
    say(keyed_lines(run_lines(run, true)));
}

void Report::say(std::string_view lines) {
    if (!is_json() && !quiet_)
        output_.write(lines);
}

} // namespace memtest

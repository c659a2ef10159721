#include "memtest/report/run_json.hpp"

#include "memtest/base/text.hpp"
#include "memtest/report/json_layout.hpp"
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

std::optional<std::string> read_run_members(RunDescription& run, const nlohmann::ordered_json& members, bool at_end) {
    for (const RunKey& key : run_keys()) {
        const auto found = members.is_object() ? members.find(std::string(key.member)) : members.end();
        if (key.at_end != at_end || found == members.end() || found->is_null())
            continue;
        if (!key.read_json(run, *found) && key.setting)
            return fmt::format("{} is {}", key.member, in_quotes(csv_text(*found)));
    }
    return std::nullopt;
}

std::string json_opening(const RunDescription& run, std::string_view verb) {
    return fmt::format("{{\n  \"{}\": {},\n{}  \"{}\": {{{}\n  }},\n  \"{}\": [", json_schema, schema_version,
                       verb.empty() ? "" : fmt::format("  \"{}\": \"{}\",\n", json_verb, verb), json_run,
                       members_of(run, false, "    "), json_rows);
}

std::string json_row(const nlohmann::ordered_json& row, bool is_first) {
    return fmt::format("{}\n    {}", is_first ? "" : ",", json_line(row));
}

std::string json_closing(const RunDescription& run, const std::vector<std::string>& warnings,
                         std::string_view members) {
    return fmt::format("\n  ],\n  \"{}\": {},\n{}{}{},\n  \"{}\": {}\n}}\n", json_warnings, json_line(warnings),
                       members, members.empty() ? "" : ",", members_of(run, true, "  "), json_complete,
                       run.end && run.end->complete());
}

} // namespace memtest

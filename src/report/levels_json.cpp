#include "memtest/report/levels_json.hpp"

#include "memtest/report/json_layout.hpp"
#include "memtest/report/json_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstddef>

namespace memtest {
namespace {

using Json = nlohmann::ordered_json;

Json level_object(const LevelReport& report, std::size_t place) {
    Json object{{"thread", report.thread}};
    for (const LevelColumn& column : level_columns())
        object[std::string(column.member)] = json_value(column.text(report, place));
    return object;
}

std::string array_member(const char* name, std::span<const Json> objects, bool known) {
    std::string text;
    for (const Json& object : objects)
        text += fmt::format("{}\n    {}", text.empty() ? "" : ",", json_line(object));
    return fmt::format("  \"{}\": {}", name, known ? fmt::format("[{}{}]", text, text.empty() ? "" : "\n  ") : "null");
}

} // namespace

std::string levels_members(std::span<const LevelReport> reports) {
    std::vector<Json> levels;
    std::vector<Json> remarks;
    for (const LevelReport& report : reports) {
        for (std::size_t place = 0; place < count_levels(report); ++place)
            levels.push_back(level_object(report, place));
        for (const std::string& remark : remarks_on(report))
            remarks.push_back({{"thread", report.thread}, {"remark", remark}});
    }
    const bool known = !reports.empty();
    return fmt::format("{},\n{}", array_member(json_levels, levels, known), array_member(json_remarks, remarks, known));
}

std::string levels_json(std::span<const LevelReport> reports) {
    return fmt::format("{{\n  \"{}\": {},\n{}\n}}\n", json_schema, schema_version, levels_members(reports));
}

} // namespace memtest

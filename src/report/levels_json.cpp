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

} // namespace

std::string levels_members(std::span<const LevelReport> reports) {
    if (reports.empty())
        return json_members({{json_levels, nullptr}, {json_remarks, nullptr}});
    Json levels = Json::array();
    Json remarks = Json::array();
    for (const LevelReport& report : reports) {
        for (std::size_t place = 0; place < count_levels(report); ++place)
            levels.push_back(level_object(report, place));
        for (const std::string& remark : remarks_on(report))
            remarks.push_back({{"thread", report.thread}, {"remark", remark}});
    }
    return json_members({{json_levels, levels}, {json_remarks, remarks}});
}

std::string levels_json(std::span<const LevelReport> reports) {
    return fmt::format("{{\n  \"{}\": {},\n{}\n}}\n", json_schema, schema_version, levels_members(reports));
}

} // namespace memtest

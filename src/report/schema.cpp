#include "memtest/report/schema.hpp"

#include "memtest/report/notice.hpp"
#include "memtest/report/report_parts.hpp"
#include "memtest/report/result.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <utility>

namespace memtest {
namespace {

Json column_schema(const Column& column) {
    Json schema = Json::object();
    if (!column.meaning.empty())
        schema["description"] = column.meaning;
    if (column.is_number()) {
        const std::string_view type = column.type == Column::Type::count ? "integer" : "number";
        schema["type"] = column.needed ? Json(type) : Json{type, "null"};
        schema["minimum"] = column.lowest;
        schema["maximum"] = column.highest;
    } else if (column.type == Column::Type::word) {
        schema["type"] = Json{"string", "null"};
    } else if (column.type == Column::Type::words) {
        schema["type"] = "array";
        schema["items"] = {{"type", "string"}};
    }
    return schema;
}

Json run_schema(bool at_end) {
    Json properties = Json::object();
    for (const RunKey& key : run_keys()) {
        if ((key.is == Is::at_end) != at_end)
            continue;
        Json& schema = properties[std::string(key.member)] = key.schema();
        schema["description"] = key.meaning;
    }
    return properties;
}

/// A warning or a remark: a code with its values, and the sentence.
Json notice_schema() {
    Json codes = Json::array();
    for (const CodeText& code : code_texts())
        codes.push_back(code.word);
    return {{"type", "object"},
            {"required", {"code", "text"}},
            {"properties", {{"code", {{"enum", std::move(codes)}}}, {"text", {{"type", "string"}}}}}};
}

Json list_of_notices() {
    return list_schema({{"$ref", "#/$defs/notice"}});
}

/// With what every schema has.
Json titled(std::string_view title, std::string_view description, Json properties) {
    Json schema{
        {"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}, {"description", description}};
    schema.update(object_schema(std::move(properties)));
    return schema;
}

const Json& version_schema() {
    static const Json schema{{"description", "The version of this schema."}, {"const", schema_version}};
    return schema;
}

} // namespace

Json schema_of_row(const Kind& kind) {
    Json properties = Json::object();
    for (const Column& column : kind.columns()) {
        if (!column.member.empty())
            properties[std::string(column.member)] = column_schema(column);
    }
    return object_schema(std::move(properties));
}

Json schema_of_report() {
    Json parts = Json::object();
    Json kinds = Json::object();
    for (const auto& [pattern, kind] : patterns_of_parts()) {
        const std::string name(kind->facts.verb.empty() ? "sweep" : kind->facts.verb);
        parts[pattern] = {{"$ref", "#/$defs/" + name}};
        kinds[name] = schema_of(*kind);
        kinds[name].erase("$schema");
        kinds[name].erase("$defs");
    }
    kinds["notice"] = notice_schema();
    Json part_missing = object_schema({{"part", {{"type", "string"}}}, {"reason", {{"type", "string"}}}});
    Json schema = titled(
        "A report by memtest", "What memtest report writes: the results of other commands.",
        {{"schema", version_schema()},
         {"verb", {{"const", "report"}}},
         {"parts", {{"type", "object"}, {"patternProperties", std::move(parts)}, {"additionalProperties", false}}},
         {"missing", {{"type", "array"}, {"items", std::move(part_missing)}}}});
    schema["$defs"] = std::move(kinds);
    return schema;
}

Json schema_of(const Kind& kind) {
    const Kind::Facts& facts = kind.facts;
    Json properties{{"schema", version_schema()}};
    if (facts.measured && !facts.verb.empty())
        properties["verb"] = {{"const", facts.verb}};
    if (facts.measured)
        properties["run"] = object_schema(run_schema(false));
    properties[std::string(facts.rows)] = {{"type", "array"}, {"items", schema_of_row(kind)}};
    if (facts.measured)
        properties["warnings"] = list_of_notices();
    for (const FindingMember& finding : facts.findings) {
        properties[std::string(finding.name)] = finding.schema == nullptr ? list_of_notices()
                                                : finding.is_list         ? list_schema(finding.schema())
                                                                          : finding.schema();
    }
    if (facts.measured) {
        properties.update(run_schema(true));
        properties["complete"] = {{"type", "boolean"}};
    }
    Json schema = titled(facts.verb.empty() ? "A sweep by memtest" : fmt::format("A result of memtest {}", facts.verb),
                         "What --format json writes. What is not known is null.", std::move(properties));
    schema["$defs"] = {{"notice", notice_schema()}};
    return schema;
}

} // namespace memtest

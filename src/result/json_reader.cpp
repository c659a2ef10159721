#include "memtest/result/json_reader.hpp"

#include "memtest/base/text.hpp"
#include "memtest/result/json.hpp"
#include "memtest/result/result_taker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <string>
#include <utility>

namespace memtest {
namespace {

Value document_in(std::istream& in, const std::string& name) {
    try {
        return parse_json(in, name);
    } catch (const NoJson& at) {
        if (in.eof())
            throw usage_error(fmt::format("{}: is truncated: its JSON has no end, so none of it is read", name));
        throw usage_error(fmt::format("{}: is not valid JSON at byte {}", name, at.byte));
    }
}

Result result_in(const Value& document, std::string name, std::string part) {
    Result result{.name = std::move(name), .part = std::move(part)};
    ResultTaker(result).take_document(document);
    return result;
}

void take_parts(StoredFile& file, const Value& document) {
    if (!document["parts"].has_members())
        throw usage_error(fmt::format("{}: holds no `parts`, which a report has", file.name));
    for (const auto& [part, of_part] : document["parts"].members()) {
        const Kind* const kind = kind_of_part(part);
        if (kind == nullptr) // of a later version
            continue;
        Result result = result_in(of_part, fmt::format("{} ({})", file.name, part), part);
        check_rows(result);
        check_kind(result, *kind);
        file.results.push_back(std::move(result));
    }
    for (const Value& missing : document["missing"].list())
        file.missing.push_back({text_of(missing["part"]), text_of(missing["reason"])});
}

} // namespace

void read_json_document(StoredFile& file, std::istream& in) {
    const Value document = document_in(in, file.name);
    file.is_report = text_of(document["verb"]) == "report";
    if (!file.is_report)
        return file.results.push_back(result_in(document, file.name, ""));
    check_schema(document, file.name);
    take_parts(file, document);
}

} // namespace memtest

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

/// Refuses a part whose pages or chains are those of another part.
void check_part(const Result& part) {
    const auto& [pages, chains] = std::pair(part.run.pages, part.run.parallel);
    const bool wrong_pages = pages && ((part.part == "sweep" && pages != PageKind::base) ||
                                       (part.part == "huge" && pages == PageKind::base));
    const bool wrong_chains =
        chains && section_of_part(part.part) == "parallel" && part.part != fmt::format("parallel{}", *chains);
    if (wrong_pages || wrong_chains)
        throw usage_error(fmt::format("{}: contradicts itself: the part was measured with {}", part.name,
                                      wrong_pages ? fmt::format("--pages {}", word_of(*pages))
                                                  : fmt::format("--parallel {}", *chains)));
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
        check_part(result);
        file.results.push_back(std::move(result));
    }
    for (const Value& missing : document["missing"].list())
        file.missing.push_back({text_of(missing["part"]), text_of(missing["reason"])});
}

} // namespace

void read_json_document(StoredFile& file, std::istream& in) {
    const Value document = document_in(in, file.name);
    file.is_report = text_of(document["command"]) == "report";
    if (!file.is_report)
        return file.results.push_back(result_in(document, file.name, ""));
    check_schema(document, file.name);
    take_parts(file, document);
}

} // namespace memtest

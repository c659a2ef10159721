#include "memtest/result/stored_file.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"

#include <algorithm>

namespace memtest {
namespace {

bool is_called(const ReportPart& part, std::string_view name) {
    if (!part.is_numbered)
        return name == part.name;
    return name.starts_with(part.name) && parse_number<unsigned>(name.substr(part.name.size()));
}

/// Calls `take(part, kind)` for each part until it returns true.
template<class Take>
void for_parts(const Take& take) {
    for (const Kind* const kind : stored_kinds()) {
        for (const ReportPart& part : kind->facts.parts) {
            if (take(part, *kind))
                return;
        }
    }
}

} // namespace

const ReportPart* part_called(std::string_view name) {
    const ReportPart* found = nullptr;
    for_parts([&](const ReportPart& part, const Kind&) {
        found = is_called(part, name) ? &part : nullptr;
        return found != nullptr;
    });
    return found;
}

const Kind* kind_of_part(std::string_view name) {
    const Kind* found = nullptr;
    for_parts([&](const ReportPart& part, const Kind& kind) {
        found = is_called(part, name) ? &kind : nullptr;
        return found != nullptr;
    });
    return found;
}

std::string part_in_words(std::string_view name) {
    std::string_view words = name;
    for_parts([&](const ReportPart& part, const Kind&) {
        const bool is_it = is_called(part, name) || part.section == name;
        words = is_it ? part.words : name;
        return is_it;
    });
    return std::string(words);
}

std::vector<std::string_view> report_sections() {
    std::vector<std::string_view> words;
    for_parts([&](const ReportPart& part, const Kind&) {
        if (std::ranges::count(words, part.section) == 0)
            words.push_back(part.section);
        return false;
    });
    return words;
}

std::string_view section_of_part(std::string_view name) {
    const ReportPart* const part = part_called(name);
    require(part != nullptr, "a part of a report has a section");
    return part->section;
}

} // namespace memtest

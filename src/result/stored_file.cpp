#include "memtest/result/stored_file.hpp"

#include "memtest/base/text.hpp"

#include <algorithm>
#include <utility>

namespace memtest {
namespace {

bool is_called(const ReportPart& part, std::string_view name) {
    if (!part.is_numbered)
        return name == part.name;
    return name.starts_with(part.name) && parse_number<unsigned>(name.substr(part.name.size()));
}

/// The first part that is wanted, with its kind; null if there is none.
template<class IsWanted>
std::pair<const ReportPart*, const Kind*> first_part(const IsWanted& is_wanted) {
    for (const Kind* const kind : stored_kinds()) {
        const auto found = std::ranges::find_if(kind->facts.parts, is_wanted);
        if (found != kind->facts.parts.end())
            return {&*found, kind};
    }
    return {};
}

std::pair<const ReportPart*, const Kind*> found_part(std::string_view name) {
    return first_part([&](const ReportPart& part) { return is_called(part, name); });
}

} // namespace

const Result* find_part(std::span<const Result> parts, std::string_view name) {
    const auto found = std::ranges::find(parts, name, &Result::part);
    return found == parts.end() ? nullptr : &*found;
}

const ReportPart* part_called(std::string_view name) {
    return found_part(name).first;
}

const Kind* kind_of_part(std::string_view name) {
    return found_part(name).second;
}

std::string part_in_words(std::string_view name) {
    const auto found =
        first_part([&](const ReportPart& part) { return is_called(part, name) || part.section == name; });
    return std::string(found.first != nullptr ? found.first->words : name);
}

std::vector<std::string_view> report_sections() {
    std::vector<std::string_view> words;
    for (const Kind* const kind : stored_kinds()) {
        for (const ReportPart& part : kind->facts.parts) {
            if (std::ranges::count(words, part.section) == 0)
                words.push_back(part.section);
        }
    }
    return words;
}

std::string_view section_of_part(std::string_view name) {
    const ReportPart* const part = part_called(name);
    return part == nullptr ? "" : part->section;
}

} // namespace memtest

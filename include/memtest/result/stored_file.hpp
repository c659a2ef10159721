#pragma once

#include "memtest/result/result.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// A part of the report that could not be measured, or the plots.
struct MissingPart {
    std::string part; ///< its name
    std::string reason;

    bool operator==(const MissingPart&) const = default;
};

/// What a file holds: one result, or the parts of a report.
struct StoredFile {
    std::string name = {}; ///< for messages
    bool is_report = false;
    std::vector<Result> results = {};      ///< each has rows; a part is of the kind of its name
    std::vector<MissingPart> missing = {}; ///< of a report
};

/// The result that is this part; null if there is none.
[[nodiscard]] const Result* find_part(std::span<const Result> parts, std::string_view name);

/// The part with this name; null if there is none.
[[nodiscard]] const ReportPart* part_called(std::string_view name);

/// The kind of result of the part with this name; null if there is no such part.
[[nodiscard]] const Kind* kind_of_part(std::string_view name);

/// What the part, or the first of a section, measures, for people; the name if there is neither.
[[nodiscard]] std::string part_in_words(std::string_view name);

/// The words by which users choose parts, one for each section of the page: levels, kinds, parallel and so on.
[[nodiscard]] std::vector<std::string_view> report_sections();

/// The one that chooses this part; empty if there is no such part.
[[nodiscard]] std::string_view section_of_part(std::string_view name);

} // namespace memtest

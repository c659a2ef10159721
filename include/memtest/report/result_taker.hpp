#pragma once

#include "memtest/base/error.hpp"
#include "memtest/report/report_parts.hpp"
#include "memtest/report/result.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// The kinds of result that can be read.
[[nodiscard]] std::span<const Kind* const> stored_kinds();

/// The kind of a row or header, from the columns that are always there; null if none matches.
template<class Has>
[[nodiscard]] const Kind* kind_by(const Has& has) {
    const auto kinds = stored_kinds();
    const auto found = std::ranges::find_if(kinds, [&](const Kind* kind) {
        return std::ranges::all_of(kind->columns(), [&](const Column& c) { return !c.is_always_there() || has(c); });
    });
    return found == kinds.end() ? nullptr : *found;
}

/// The kind in words, with its article.
[[nodiscard]] std::string described(const Kind& kind);

/// The values that a column takes, in words.
[[nodiscard]] std::string what_is_wanted(const Column& column);

/// Refuses a result of another kind. @throws Error (usage)
void check_kind(const Result& result, const Kind& kind);

/// Refuses a result without rows. @throws Error (usage)
void check_rows(const Result& result);

/// Takes over what a file contains, in either format: members of the document and rows. Each function throws Error
/// (usage) for what no result holds.
class ResultTaker {
public:
    /// @param result must outlive it @param missing of a report; null for one of its parts
    explicit ResultTaker(Result& result, std::vector<MissingPart>* missing = nullptr)
        : result_(result), missing_(missing) {}

    /// Takes a complete member of the document.
    void take_member(std::string_view name, const Json& value);
    /// Takes a row, or an element of another member of the document.
    void take_element(std::string_view section, std::string_view name, const Json& element);
    /// A warning or a remark.
    static void add_notice(std::vector<Notice>& notices, const Json& element);

    void begin_row();
    /// @return whether the column of the last row takes the value
    bool set(std::size_t place, const Json& value);

    [[nodiscard]] bool has_schema() const { return has_schema_; }
    [[nodiscard]] bool is_report() const { return is_report_; }

    /// To throw, with the name of the file.
    [[nodiscard]] Error error(std::string_view what) const;

private:
    void take_run_member(std::string_view name, const Json& value, bool of_document);
    void take_schema(const Json& schema);
    void take_missing(const Json& part);
    void take_verb(std::string_view verb);
    void take_row_notes(const Json& of_row);
    void take_row(const Json& members);

    Result& result_;
    std::vector<MissingPart>* missing_;
    std::size_t rows_ = 0;
    bool has_schema_ = false;
    bool is_report_ = false;
};

} // namespace memtest

#pragma once

#include "memtest/base/error.hpp"
#include "memtest/result/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace memtest {

/// The kind in words, with its article.
[[nodiscard]] std::string described(const Kind& kind);

/// The values that a column takes, in words.
[[nodiscard]] std::string what_is_wanted(const Column& column);

/// Refuses a result of another kind. @throws Error (usage)
void check_kind(const Result& result, const Kind& kind);

/// Refuses a result without rows, and a sweep that has a size twice for one thread. @throws Error (usage)
void check_rows(const Result& result);

/// Refuses a document of another version. @param name of the file @throws Error (usage)
void check_schema(const Value& document, const std::string& name);

/// Takes over what a file contains, in either format. Each function throws Error (usage) for what no result holds.
class ResultTaker {
public:
    /// @param result must outlive it
    explicit ResultTaker(Result& result) : result_(result) {}

    /// A whole document.
    void take_document(const Value& document);
    /// What a document holds besides its rows. @pre the rows are there if it has notes of them
    void take_description(const Value& document);

    void begin_row();
    /// @return whether the column of the last row takes the value
    bool set(std::size_t place, const Value& value);

    /// To throw, with the name of the file.
    [[nodiscard]] Error error(std::string_view what) const;

private:
    void take_command(const Value& document);
    [[nodiscard]] const List& list_in(const Value& document, std::string_view name) const;
    void take_run(const Members& members, bool at_end);
    void take_row(const Value& members);
    void take_row_notes(const Value& of_row);

    Result& result_;
    std::size_t rows_ = 0;
};

} // namespace memtest

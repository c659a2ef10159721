#pragma once

#include "memtest/report/run_description.hpp"
#include "memtest/report/value.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// Of the JSON that is written. Version 1 differs in the notes of `memtest loaded`, a text with blanks between them.
inline constexpr std::uint64_t schema_version = 2;

/// What asks for a column in CSV. JSON has them all.
enum class ColumnGroup { always, cycles, stats, threads, writes };

/// A column of a kind of result.
struct Column {
    enum class Type { count, figure, word, words };

    std::string_view name;   ///< in the header of the CSV; empty where JSON alone has it
    std::string_view member; ///< of a row in JSON; empty where CSV alone has it
    Type type = Type::figure;
    Digits digits = decimals(3); ///< of a figure
    double lowest = 0;           ///< a number out of bounds cannot be: it is neither written nor read
    double highest = 1e12;
    ColumnGroup group = ColumnGroup::always;
    bool needed = false;          ///< known in every row
    std::uint64_t unit_bytes = 0; ///< of a size, which a table has in words

    [[nodiscard]] bool holds(double number) const { return number >= lowest && number <= highest; } // and is no NaN
};

/// What a kind of result may tell beside its rows, in JSON: a list, or else a single value.
struct FindingMember {
    std::string_view name;
    bool is_list = true;
};

/// A kind of result: what one verb makes. Every file of a measured kind has the columns that are always there.
struct Kind {
    std::string_view verb; ///< empty for a sweep
    std::span<const Column> columns;
    std::span<const FindingMember> findings = {};
    std::string_view rows = "rows"; ///< their member in JSON
    bool measured = true;           ///< it has a run, warnings and an end; else it is read off other results
    bool findings_first = false;    ///< in CSV, ahead of the rows
};

/// A row: a value for each column of its kind, then for each further column of its writer.
struct ResultRow {
    std::vector<Value> values; ///< those that are not known may be left out at the end
    Value::Members more = {};  ///< what JSON has besides

    [[nodiscard]] const Value& operator[](std::size_t column) const;
    /// Nothing where it is not known.
    [[nodiscard]] std::optional<double> number(std::size_t column) const { return (*this)[column].number(); }
    /// The words in a column of words.
    [[nodiscard]] std::vector<std::string> words(std::size_t column) const;
};

/// Something that the rows tell, made once for all who print it: a sentence for people, members for programs.
struct Finding {
    std::string key;             ///< of the line `# key: sentence`; empty for one that JSON alone has
    std::string sentence;        ///< empty then
    Value::Members members = {}; ///< of the document; the elements of a list are added to what is there
};

/// The key of a finding about what to read with care, and how to measure better.
inline constexpr std::string_view remark_key = "remark";

/// The key of what disturbed a run.
inline constexpr std::string_view warning_key = "warning";

[[nodiscard]] inline Finding remark(const std::string& sentence) {
    return {std::string(remark_key), sentence, {{"remarks", Value::List{sentence}}}};
}

/// What the rows of a result tell. Unless they were asked, lists are null rather than empty in JSON.
struct Findings {
    bool told = false;
    std::vector<Finding> list = {};
};

/// What a verb makes, as it is in a file.
struct Result {
    std::string name = {}; ///< of the file, for messages
    const Kind* kind = nullptr;
    RunDescription run = {};
    std::vector<ResultRow> rows = {};       ///< in the order of the file
    std::vector<std::string> warnings = {}; ///< what disturbed the run
    std::vector<std::string> remarks = {};  ///< of the file, on its rows; the other findings are read off the rows anew
    bool cut = false;                       ///< the file ends within a line, which is left out, or within its JSON
};

/// The findings as `# key: sentence` lines.
[[nodiscard]] std::string finding_lines(const Findings& findings);

/// A row as members of JSON.
[[nodiscard]] Value::Members row_members(const Kind& kind, const ResultRow& row);

/// Why rows may be missing, as the end of a sentence that begins with the file's name: it is cut, the run was
/// interrupted or failed, the rows are not as many as its end says, or nothing says how it ended. Nothing for a whole
/// result, and for one that says nothing of itself (of the classic tool, or of --quiet).
[[nodiscard]] std::optional<std::string> why_incomplete(const Result& result);

} // namespace memtest

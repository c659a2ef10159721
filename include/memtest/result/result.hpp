#pragma once

#include "memtest/result/kind.hpp"
#include "memtest/result/notice.hpp"
#include "memtest/result/run_description.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace memtest {

/// The version of JSON output, and of the `# data:` lines of CSV.
inline constexpr std::uint64_t schema_version = 3;

/// Something that the rows show, made once for every output.
struct Finding {
    std::string key;        ///< of the line `# key: sentence`; empty if only JSON has it
    Notice notice{};        ///< makes the sentence
    Members members{};      ///< of the document, besides `remarks`; elements of a list are added to what is there
    bool is_remark = false; ///< about what to read with care, and how to measure better
};

/// @param prefix of the key `remark` if there are several threads
[[nodiscard]] Finding remark(const Notice& notice, std::string_view prefix = "");

/// What the rows of a result show. Lists that were not looked for (`told` is false) are null in JSON, not empty.
struct Findings {
    bool told = false;
    std::vector<Finding> list = {};

    [[nodiscard]] std::vector<Notice> remarks() const;
};

/// What a command produces, as it is in a file.
struct Result {
    std::string name = {}; ///< of the file, for messages
    std::string part = {}; ///< its name in the report that holds it; empty if it has a file of its own
    const Kind* kind = nullptr;
    RunDescription run = {};
    Rows rows = {};
    std::vector<Notice> warnings = {}; ///< what disturbed the run
    std::vector<Notice> remarks = {};  ///< from the file, about its rows; other findings are made anew from the rows
    std::optional<double> resolution_ns = std::nullopt; ///< of the counter that timed single loads, if the file says
    bool cut = false; ///< the file ends within a line, which is left out, or lacks its line of data

    /// @pre the kind is that of these rows
    template<class RowType>
    [[nodiscard]] const std::vector<RowType>& rows_of() const {
        return std::get<std::vector<RowType>>(rows);
    }
    [[nodiscard]] std::size_t row_count() const {
        return std::visit([](const auto& all) { return all.size(); }, rows);
    }
};

/// The CPU model of all results; empty if they differ in it. @pre there is one
[[nodiscard]] std::string shared_cpu_model(const std::vector<Result>& results);

/// Whether a row has the figure that its kind is about.
[[nodiscard]] bool has_figure(const Result& result);

/// `# warning[code]: sentence`, with its line end. @param key of the line, before the code
[[nodiscard]] std::string notice_line(std::string_view key, const Notice& notice, std::string_view sentence);

/// The findings as `# key: sentence` lines, and remarks as `# remark[code]: sentence`.
[[nodiscard]] std::string finding_lines(const Findings& findings);

/// The members that these findings add to a document of this kind, each once.
[[nodiscard]] Members finding_members(const Findings& findings, const Kind& kind);

/// Whether rows are missing that the run planned, so that what they show by themselves is no claim.
[[nodiscard]] bool is_cut_short(const Result& result);

/// Why rows may be missing, as the end of a sentence that begins with the file's name: it is truncated, the run was
/// interrupted or failed, the number of rows is not the one its end states, or no end is given. std::nullopt for a
/// complete result, and for one without a description (of the classic tool, or of --quiet).
[[nodiscard]] std::optional<std::string> why_incomplete(const Result& result);

} // namespace memtest

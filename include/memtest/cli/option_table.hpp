#pragma once

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/words.hpp"
#include "memtest/result/csv_reader.hpp"
#include "memtest/result/output_file.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// An option that was given, and its value.
struct GivenOption {
    std::string name{}; ///< long, without dashes
    std::string value{};
};

/// The error (usage) for an invalid value. @param accepted what the option takes
[[nodiscard]] Error refused(const GivenOption& argument, std::string_view accepted);

/// A size in bytes from "4096", "64K", "1.5M", "2GiB". A suffix is K, M, G or T, each also with B or iB, or B alone, in
/// either case, for powers of 1024. Without one the number is in the option's unit. Fractions of a byte are cut off,
/// but "64.5" bytes are refused. @throws Error (usage) for anything else, zero, and sizes beyond std::size_t
[[nodiscard]] std::size_t parse_size(const GivenOption& argument, std::size_t unit_bytes);

/// A whole number from `smallest` to `largest`. @throws Error (usage) for anything else
[[nodiscard]] std::uint64_t parse_count(const GivenOption& argument, std::uint64_t smallest, std::uint64_t largest);

/// A number above zero and at most `largest`, fractions allowed. @param what it is, for messages
/// @throws Error (usage) for anything else
[[nodiscard]] double parse_above_0(const GivenOption& argument, double largest, std::string_view what);
[[nodiscard]] double parse_percent(const GivenOption& argument, double largest);

/// The error (usage) for a value that is none of these words.
[[nodiscard]] Error not_one_of(const GivenOption& argument, const std::vector<std::string_view>& accepted);

/// The words of a list with commas between. @throws Error (usage) for one that is none of the accepted
[[nodiscard]] std::vector<std::string_view> parse_words(const GivenOption& argument,
                                                        const std::vector<std::string_view>& accepted);

/// One of an enumeration's words. @throws Error (usage) that lists them
template<class Enum>
[[nodiscard]] Enum parse_choice(const GivenOption& argument) {
    if (const auto chosen = value_of<Enum>(argument.value))
        return *chosen;
    throw not_one_of(argument, all_words<Enum>());
}

/// An option's names and texts, for parsing, help text, man page and shell completions.
struct OptionText {
    std::string_view group{};    ///< heading under which the help lists it
    char short_name = 0;         ///< 0 for none
    std::string_view name{};     ///< long, without dashes
    std::string_view argument{}; ///< what its value is, FILE for a file; empty for a flag
    std::string_view help{};
    std::string_view preset{}; ///< the default, as text; empty for none

    /// The words to choose the value from, or those of a LIST; null for other values.
    std::vector<std::string_view> (*words)() = nullptr;

    bool repeats = false; ///< may be given several times; the order counts
};

/// One option of a command.
template<class Target>
struct Option : OptionText {
    std::function<void(Target&, const GivenOption&)> set; ///< checks the value and stores it; throws Error (usage)

    /// The same option of a command whose options derive from these.
    template<class Derived>
    operator Option<Derived>() const { // NOLINT(google-explicit-constructor): tables list both kinds
        const OptionText& text = *this;
        return {text, set};
    }
};

/// The texts of a table: a container of `Option`.
template<class Table>
[[nodiscard]] std::vector<OptionText> texts_of(const Table& table) {
    return {table.begin(), table.end()};
}

/// What users ask of commands that read results, each of which has some of these options.
struct ReadingOptions {
    std::optional<Format> format = std::nullopt; ///< none: the command's own
    std::optional<std::string> part = std::nullopt;
    std::vector<std::string> parts = {};                ///< of reports, or words for several; empty: all
    std::optional<TableColumns> columns = std::nullopt; ///< of tables of other programs
    double tolerance_percent = 5;
    bool all = false;
    bool quiet = false;
};

/// @param preset in words
[[nodiscard]] inline Option<ReadingOptions> format_option(std::string_view preset) {
    return {{"Options", 0, "format", "F", "csv, json or table", preset, all_words<Format>},
            [](auto& o, auto& a) { o.format = parse_choice<Format>(a); }};
}

/// For commands that read one result. @param preset in words
[[nodiscard]] inline Option<ReadingOptions>
part_option(std::string_view preset = "the sweep that its page takes the levels from, else the only part that fits") {
    return {
        {"Options", 0, "part", "NAME", "of a file of 'memtest report', take this part, such as huge or tail", preset},
        [](auto& o, auto& a) { o.part = a.value; }};
}

/// How tables of other programs are read.
[[nodiscard]] inline Option<ReadingOptions> columns_option() {
    return {{"Options", 0, "columns", "LIST",
             "read a table of another program: KiB,ns for lines of a size and a latency; - for another field",
             "none; lat_mem_rd needs none"},
            [](auto& o, auto& a) {
                o.columns = table_columns_in(a.value);
                if (!o.columns)
                    throw refused(a, "a unit of the size, ns and - for fields to skip, such as KiB,ns");
            }};
}

/// For commands that read reports. @param preset in words
[[nodiscard]] inline Option<ReadingOptions> parts_option(std::string_view preset) {
    return {{"Options", 0, "part", "LIST",
             "of files of 'memtest report', take these parts, such as huge,tlb, or those of a word of report --only",
             preset},
            [](auto& o, auto& a) {
                const auto names = split_fields(a.value);
                o.parts.assign(names.begin(), names.end());
            }};
}

/// For commands whose exit status is an answer.
[[nodiscard]] inline Option<ReadingOptions> status_option() {
    return {{"Options", 0, "status", "", "print nothing: the exit status is the verdict"},
            [](auto& o, auto&) { o.quiet = true; }};
}

struct CommandLine {
    std::vector<std::string> arguments{}; ///< all of it, as given
    std::vector<GivenOption> options{};   ///< in the order given; only those that repeat occur twice
    std::vector<std::string> operands{};
    OutputFile* output = nullptr; ///< takes what is measured, in place of a file; null for a line that a user gave

    /// The option of this name; null if it was not given.
    [[nodiscard]] const GivenOption* given(std::string_view name) const;
};

/// Splits arguments (without the program's name) into options and operands. Understands `--name value`,
/// `--name=value`, `-n value`, `-nvalue` and joined flags. Long names match exactly. @throws Error (usage) for an
/// unknown option, one given twice that does not repeat, a missing value, or a value for a flag
/// @param command whose --help lists the options, for messages
/// @param advice for an option that is unknown, by its name without dashes; empty if there is none
[[nodiscard]] CommandLine split_command_line(const std::vector<OptionText>& table,
                                             const std::vector<std::string>& arguments, std::string_view command,
                                             const std::function<std::string(std::string_view)>& advice = nullptr);

/// The line that gives these options of a command.
[[nodiscard]] CommandLine line_with(std::vector<GivenOption> options);

/// The target with the given options set. @param line split by this table @throws Error (usage) for a value that an
/// option does not take
template<class Target, class Table>
[[nodiscard]] Target with_options(Target target, const Table& table, const CommandLine& line) {
    for (const GivenOption& option : line.options)
        std::ranges::find(table, option.name, &OptionText::name)->set(target, option);
    return target;
}

/// The word that was probably meant: one that begins with what was written, else the nearest one. std::nullopt if that
/// takes more edits (letters added, dropped, replaced or swapped with their neighbour) than a third of the letters.
/// Capitals count as small letters. @param words in small letters
[[nodiscard]] std::optional<std::string_view> suggestion_for(std::string_view written,
                                                             std::span<const std::string_view> words);

/// The options under their groups, wrapped to a terminal's usual width.
[[nodiscard]] std::string help_text(const std::vector<OptionText>& table);

} // namespace memtest

#include "memtest/cli/manual.hpp"

#include "memtest/base/error.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/option_table.hpp"
#include "memtest/report/comparison.hpp"
#include "memtest/report/figure_table.hpp"
#include "memtest/report/fleet.hpp"
#include "memtest/report/levels.hpp"
#include "memtest/report/loaded.hpp"
#include "memtest/report/matrix.hpp"
#include "memtest/report/prefetch.hpp"
#include "memtest/report/run_description.hpp"
#include "memtest/report/schema.hpp"
#include "memtest/report/sweep.hpp"
#include "memtest/report/tail.hpp"
#include "memtest/report/translation.hpp"
#include "memtest/version.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstddef>
#include <vector>

namespace memtest {
namespace {

/// Escapes text for roff: no character is a command, and a dash can be copied.
std::string roff(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '\\')
            escaped += "\\e";
        else if (c == '-')
            escaped += "\\-";
        else
            escaped += c;
    }
    return escaped.starts_with('.') || escaped.starts_with('\'') ? "\\&" + escaped : escaped;
}

std::string section(std::string_view title, std::string_view text) {
    return fmt::format(".SH {}\n{}", title, text);
}

std::string options_section(const std::vector<OptionText>& table, bool with_groups) {
    std::string text;
    std::string_view group;
    for (const OptionText& option : table) {
        if (with_groups && option.group != group) {
            group = option.group;
            text += fmt::format(".SS {}\n", roff(group));
        }
        const std::string short_form = option.short_name == 0 ? "" : fmt::format("\\fB\\-{}\\fR, ", option.short_name);
        const std::string argument = option.argument.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(option.argument));
        const std::string preset = option.preset.empty() ? "" : fmt::format(" Default: {}.", roff(option.preset));
        text += fmt::format(".TP\n{}\\fB\\-\\-{}\\fR{}\n{}.{}\n", short_form, roff(option.name), argument,
                            roff(option.help), preset);
    }
    return text;
}

std::string keys_section() {
    std::string text = ".SS Keys of a run\n";
    for (const RunKey& key : run_keys())
        text += fmt::format(".TP\n.B {} ({})\n{}\n", key.key, key.member, roff(key.meaning));
    return text;
}

/// The columns of a kind of result, with their names in JSON.
std::string columns_section(const Kind& kind) {
    std::string text;
    for (const Column& column : kind.columns()) {
        if (!column.name.empty())
            text += fmt::format(".TP\n.B {}\n{}{}\n", roff(column.name), roff(column.meaning),
                                column.member.empty() ? "" : fmt::format(" ({} in JSON)", column.member));
    }
    return text;
}

/// The codes of warnings, remarks and findings, with the names of their values.
std::string codes_section() {
    std::string text;
    for (const auto& [word, values] : code_texts())
        text += fmt::format(".TP\n.B {}\n{}\n", word, values.empty() ? "no values" : values);
    return text;
}

std::string upper_case(std::string_view text) {
    std::string upper;
    for (const char c : text)
        upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return upper;
}

std::string synopsis() {
    std::string text;
    for (const Command& command : commands())
        text += fmt::format("{}.B memtest{}{}\n[\\fIoptions\\fR] \\fI{}\\fR\n", text.empty() ? "" : ".br\n",
                            command.name.empty() ? "" : " ", command.name, roff(command.operands));
    return text;
}

std::string options_of_commands() {
    std::string text;
    for (const Command& command : commands()) {
        if (command.options().empty())
            continue; // --help is its only option
        text += command.name.empty() ? section("OPTIONS", options_section(options_of(command), true))
                                     : section(fmt::format("OPTIONS OF {}", upper_case(command.name)),
                                               options_section(options_of(command), false));
    }
    return text;
}

void fill_in(std::string& page, std::string_view place, std::string_view text) {
    const std::size_t begin = page.find(place);
    require(begin != std::string::npos, "the manual's text has every place to fill");
    page.replace(begin, place.size(), text);
}

std::vector<const Kind*> kinds() {
    return {&sweep_kind,   &tlb_kind,     &loaded_kind,   &tail_kind,   &tail_histogram_kind,
            &cores_kind,   &nodes_kind,   &prefetch_kind, &levels_kind, &translation_kind,
            &compare_kind, &figures_kind, &fleet_kind};
}

} // namespace

std::string json_schema(std::string_view verb) {
    if (verb == report_command.name)
        return schema_of_report().dump(2) + "\n";
    for (const Kind* kind : kinds()) {
        if (kind->facts.verb == verb)
            return schema_of(*kind).dump(2) + "\n";
    }
    return "";
}

std::string man_page(std::string_view text) {
    std::string page(text);
    fill_in(page, "@VERSION@", version);
    fill_in(page, "@SYNOPSIS@\n", synopsis());
    fill_in(page, "@OPTIONS@\n", options_of_commands());
    fill_in(page, "@KEYS@\n", keys_section());
    fill_in(page, "@CODES@\n", codes_section());
    for (const Kind* kind : kinds())
        fill_in(page, fmt::format("@COLUMNS{}{}@\n", kind->facts.verb.empty() ? "" : " ", kind->facts.verb),
                columns_section(*kind));
    return page;
}

} // namespace memtest

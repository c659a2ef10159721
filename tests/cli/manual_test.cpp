#include "memtest/cli/manual.hpp"

#include "memtest/base/error.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/options.hpp"
#include "memtest/insight/figure_change.hpp"
#include "memtest/result/code_entry.hpp"
#include "memtest/result/kind.hpp"
#include "memtest/result/run_description.hpp"
#include "support/test.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <sstream>

namespace memtest {
namespace {

std::string text_of_file(const char* name) {
    std::ifstream file(name);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string page_called(const std::string& name) {
    return man_page(text_of_file((MANUAL_TEXTS "/" + name + ".in").c_str()));
}

std::string page_of(const Command& command) {
    return page_called(fmt::format("memtest{}{}.1", command.name.empty() ? "" : "-", command.name));
}

/// The commands that have a page, which all with options have. That of the sweep is memtest(1).
std::vector<Command> commands_with_page() {
    std::vector<Command> with_page;
    for (const Command& command : commands()) {
        if (!command.options().empty())
            with_page.push_back(command);
    }
    return with_page;
}

std::string all_pages() {
    std::string all = page_called("memtest-output.5");
    for (const Command& command : commands_with_page())
        all += page_of(command);
    return all;
}

std::string with_roff_dashes(std::string_view name) {
    std::string text;
    for (const char c : name)
        text += c == '-' ? "\\-" : std::string(1, c);
    return text;
}

std::string with_each_replaced(std::string text, std::string_view what, std::string_view by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

/// The arguments of each command that begins with this text, to the end of its line or a sign of the shell.
std::vector<std::vector<std::string>> commands_in(const std::string& text, std::string_view program) {
    std::vector<std::vector<std::string>> commands;
    for (std::size_t at = text.find(program); at != std::string::npos; at = text.find(program, at + 1)) {
        const std::size_t begin = at + program.size();
        std::istringstream words(text.substr(begin, text.find_first_of("\n;|>&#", begin) - begin));
        commands.emplace_back(std::istream_iterator<std::string>(words), std::istream_iterator<std::string>());
    }
    return commands;
}

void expect_to_parse(std::vector<std::string> arguments) {
    const auto named = commands().subspan(1);
    const auto found = arguments.empty() ? named.end() : std::ranges::find(named, arguments.front(), &Command::name);
    const Command& command = found == named.end() ? commands().front() : *found;
    if (found != named.end())
        arguments.erase(arguments.begin());
    const std::string all = fmt::format("{} {}", command.name, fmt::join(arguments, " "));
    EXPECT_NO_THROW({
        const CommandLine line = line_for(command, arguments);
        if (command.name.empty())
            static_cast<void>(options_of_sweep(line));
    }) << all;
}

TEST(Manual, EveryCommandOfThePagesHasKnownOptionsAndValues) {
    const std::string text =
        with_each_replaced(with_each_replaced(all_pages(), "\\-", "-"), "; memtest ", "\n.B memtest ");
    const auto commands = commands_in(with_each_replaced(text, "   memtest ", "\n.B memtest "), "\n.B memtest ");
    EXPECT_GT(commands.size(), 50U);
    for (const auto& command : commands)
        expect_to_parse(command);
}

TEST(Manual, EveryCommandOfTheReadmeHasKnownOptionsAndValues) {
    const std::string readme = with_each_replaced(text_of_file(README_TEXT), "$kind", "4k");
    const auto commands =
        commands_in(with_each_replaced(with_each_replaced(readme, "`memtest ", "./memtest "), "`", "\n"), "./memtest ");
    EXPECT_GT(commands.size(), 18U);
    for (const auto& command : commands)
        expect_to_parse(command);
}

TEST(Manual, APageBeginsAsItsCommandIsCalledAndEndsWithWhereElseToRead) {
    for (const Command& command : commands_with_page()) {
        const std::string page = page_of(command);
        std::size_t before = 0;
        for (const std::string_view title : {"NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "OPTIONS", "SEE ALSO"}) {
            const std::size_t at = page.find(fmt::format("\n.SH {}\n", title));
            ASSERT_NE(at, std::string::npos) << command.name << title;
            EXPECT_GT(at, before) << command.name << title;
            before = at;
        }
        EXPECT_EQ(page.find("\n.SH ", before + 1), std::string::npos) << command.name;
        const std::size_t named = page.find("\n.SH NAME\nmemtest");
        EXPECT_TRUE(
            page.substr(named + 17).starts_with(command.name.empty() ? " " : fmt::format("\\-{} ", command.name)))
            << command.name;
    }
}

TEST(Manual, TheSynopsisHasALineForEachCommandWithItsOperands) {
    const std::string page = page_called("memtest.1");
    const std::size_t begin = page.find("\n.SH SYNOPSIS\n");
    const std::string synopsis = page.substr(begin, page.find("\n.SH ", begin + 1) - begin);
    EXPECT_TRUE(synopsis.starts_with("\n.SH SYNOPSIS\n.B memtest\n[\\fIoptions\\fR] "));
    EXPECT_NE(synopsis.find("\n.br\n.B memtest compare\n[\\fIoptions\\fR] \\fIBASE... NEW\\fR\n"), std::string::npos);
    std::size_t lines = 0;
    for (std::size_t at = 0; (at = synopsis.find("\n.br\n.B memtest ", at)) != std::string::npos; ++at)
        ++lines;
    EXPECT_EQ(lines + 1, commands().size()) << synopsis;
}

TEST(Manual, ThePageOfTheSweepNamesThePagesOfTheOtherCommands) {
    const std::string page = page_called("memtest.1");
    for (const std::string_view name : command_names()) {
        if (name != "help") {
            EXPECT_NE(page.find(fmt::format("\n.BR memtest\\-{} (1)\n", name)), std::string::npos) << name;
        }
    }
}

TEST(Manual, ThePageOfACommandHasEachOfItsOptions) {
    for (const Command& command : commands_with_page()) {
        const std::string page = page_of(command);
        for (const OptionText& option : command.options())
            EXPECT_NE(page.find("\\fB\\-\\-" + with_roff_dashes(option.name) + "\\fR"), std::string::npos)
                << command.name << option.name;
    }
}

TEST(Manual, AnOptionHasItsNamesArgumentHelpAndDefaultBelowItsGroup) {
    const std::string page = page_called("memtest.1");
    for (const std::string_view text :
         {"\n.SH OPTIONS\n.SS What is measured\n.TP\n\\fB\\-l\\fR, \\fB\\-\\-line\\-size\\fR \\fIB\\fR\n"
          "distance between neighbouring elements of the chain, usually the cache line size. Default: 64.\n.TP\n",
          "\n.TP\n\\fB\\-\\-min\\-size\\fR \\fIB\\fR\n"
          "smallest tested size (default: 512, or the stride if that is larger).\n.TP\n",
          "\n.TP\n\\fB\\-r\\fR, \\fB\\-\\-random\\fR\nvisit all lines in one random order: "})
        EXPECT_NE(page.find(text), std::string::npos) << text;
}

TEST(Manual, AnOptionAsOfTheSweepIsNotExplainedAgainButItsDefaultIsNamed) {
    const std::string page = page_called("memtest-tlb.1");
    EXPECT_NE(page.find("\n\\fB\\-\\-pages\\fR \\fIKIND\\fR (4k, whose translation costs most),\n"), std::string::npos)
        << page;
    EXPECT_EQ(page.find("the system\\(aqs policy"), std::string::npos);
    EXPECT_NE(page.find("\n.SH OPTIONS\n.TP\n\\fB\\-m\\fR, \\fB\\-\\-max\\-size\\fR \\fIMiB\\fR\n"), std::string::npos);
}

TEST(Manual, ThePageOfTheOutputNamesEveryColumn) {
    const std::string page = page_called("memtest-output.5");
    for (const Kind* kind : all_kinds()) {
        for (const Column& column : kind->columns()) {
            if (!column.name.empty()) {
                EXPECT_NE(page.find(fmt::format("\n.B {}\n", with_roff_dashes(column.name))), std::string::npos)
                    << column.name;
            }
        }
    }
}

TEST(Manual, ThePageOfTheOutputExplainsEveryNoteOfARow) {
    const std::string page = page_called("memtest-output.5");
    for (const std::string_view word : all_words<Note>())
        EXPECT_NE(page.find(fmt::format("\n.B {}\n", word)), std::string::npos) << word;
    const std::string of_loads = page.substr(page.find("\n.SS memtest loaded\n"));
    for (const std::string_view word : all_words<LoadNote>())
        EXPECT_NE(of_loads.find(fmt::format("\n.B {}\n", word)), std::string::npos) << word;
}

TEST(Manual, ThePageOfTheOutputNamesEveryKeyOfARunWithItsNameInJson) {
    const std::string page = page_called("memtest-output.5");
    for (const RunKey& key : run_keys())
        EXPECT_NE(page.find(fmt::format("\n.B {} ({})\n", key.key, key.member)), std::string::npos) << key.key;
}

TEST(Manual, ThePageOfTheOutputNamesEveryCodeWithItsValues) {
    const std::string page = page_called("memtest-output.5");
    for (const CodeEntry& entry : code_entries())
        EXPECT_NE(page.find(fmt::format("\n.B {}\n{}", entry.word,
                                        entry.values.empty() ? "." : fmt::format("({})\n", entry.values))),
                  std::string::npos)
            << entry.word;
}

TEST(Manual, ThePageOfCompareExplainsEveryVerdict) {
    const std::string page = page_called("memtest-compare.1");
    for (const std::string_view word : all_words<Verdict>())
        EXPECT_NE(page.find(fmt::format("\\fB{}\\fR", word)), std::string::npos) << word;
}

TEST(Manual, APageHasTheMarkupOfItsTextInRoff) {
    EXPECT_EQ(man_page("a `b-c` d_e *f g_h*.i\n"), "a \\fBb\\-c\\fR d_e \\fIf g_h\\fR.i\n");
    EXPECT_EQ(man_page("* `a: b`: `c`: d\n2. e\n"), ".TP\n.B a: b\n\\fBc\\fR: d\n.IP 2. 4\ne\n");
    EXPECT_EQ(man_page("* `a \"b c\"`: d\n"), ".TP\n.B a \\(dqb c\\(dq\nd\n") << "else .B takes the quotes away";
    EXPECT_EQ(man_page("a\n    `b`\n     *c* -d\ne\n"), "a\n.PP\n.nf\n`b`\n *c* \\-d\n.fi\ne\n");
}

TEST(Manual, ALineThatStandsForNoTextIsRefused) {
    EXPECT_THROW(static_cast<void>(man_page("@COLUMNS nothing@\n")), Error);
    EXPECT_THROW(static_cast<void>(man_page("@\n")), Error);
}

TEST(Manual, NoLineOfThePagesIsAnUnknownRequest) {
    std::size_t begin = 0;
    const std::string page = all_pages();
    for (std::size_t end = page.find('\n'); end != std::string::npos; begin = end + 1, end = page.find('\n', begin)) {
        const std::string line = page.substr(begin, end - begin);
        if (line.starts_with('.')) {
            EXPECT_TRUE(line.starts_with(".TH ") || line.starts_with(".SH ") || line.starts_with(".SS ") ||
                        line == ".TP" || line == ".TP 25" || line == ".TQ" || line == ".PD" || line == ".PD 0" ||
                        line == ".PP" || line == ".br" || line == ".nf" || line == ".fi" || line == ".nh" ||
                        line == ".ad l" || line.starts_with(".B ") || line.starts_with(".BR ") ||
                        line.starts_with(".I ") || line.starts_with(".IR ") || line.starts_with(".IP "))
                << line;
        }
        EXPECT_FALSE(line.starts_with('\'')) << line;
    }
}

} // namespace
} // namespace memtest

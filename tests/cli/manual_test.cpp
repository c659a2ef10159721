#include "memtest/cli/manual.hpp"

#include "memtest/cli/verbs/verbs.hpp"
#include "memtest/report/comparison.hpp"
#include "memtest/report/levels.hpp"
#include "memtest/report/loaded.hpp"
#include "memtest/report/matrix.hpp"
#include "memtest/report/run_description.hpp"
#include "memtest/report/tail.hpp"
#include "memtest/report/translation.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {
namespace {

std::string whole_page() {
    std::ifstream file(MANUAL_TEXT);
    return man_page(std::string(std::istreambuf_iterator<char>(file), {}));
}

std::vector<OptionText> all_options() {
    std::vector<OptionText> all;
    for (const Command& command : commands()) {
        for (const OptionText& option : options_of(command))
            all.push_back(option);
    }
    return all;
}

std::string with_roff_dashes(std::string_view name) {
    std::string text;
    for (const char c : name)
        text += c == '-' ? "\\-" : std::string(1, c);
    return text;
}

TEST(Manual, TheManPageHasEveryOptionOfEveryVerb) {
    const std::string page = whole_page();
    for (const OptionText& option : all_options())
        EXPECT_NE(page.find("\\fB\\-\\-" + with_roff_dashes(option.name)), std::string::npos) << option.name;
}

TEST(Manual, TheManPageNamesEveryColumnOfTheVerbs) {
    const std::string page = whole_page();
    for (const Kind* kind : {&levels_kind, &compare_kind, &translation_kind, &tlb_kind, &cores_kind, &nodes_kind,
                             &loaded_kind, &tail_kind, &tail_histogram_kind}) {
        for (const Column& column : kind->columns)
            EXPECT_NE(page.find(column.name), std::string::npos) << column.name;
    }
}

TEST(Manual, TheManPageExplainsEveryNoteOfARow) {
    const std::string page = whole_page();
    for (const std::string_view word : all_words<Note>())
        EXPECT_NE(page.find(fmt::format("\n.B {}\n", word)), std::string::npos) << word;
    const std::string of_loads = page.substr(page.find("\n.SS memtest loaded\n"));
    for (const std::string_view word : all_words<LoadNote>())
        EXPECT_NE(of_loads.find(fmt::format("\n.B {}\n", word)), std::string::npos) << word;
}

TEST(Manual, TheManPageNamesEveryKeyOfARunWithItsNameInJson) {
    const std::string page = whole_page();
    for (const RunKey& key : run_keys())
        EXPECT_NE(page.find(fmt::format("\n.B {} ({})\n", key.key, key.member)), std::string::npos) << key.key;
}

TEST(Manual, TheManPageExplainsEveryVerdict) {
    const std::string page = whole_page();
    for (const std::string_view word : all_words<Verdict>())
        EXPECT_NE(page.find(fmt::format("\n.B {}\n", word)), std::string::npos) << word;
}

TEST(Manual, TheManPageShowsHowJqAndPandasLoadTheRowsInOneLineEach) {
    const std::string page = whole_page();
    const std::string examples = page.substr(page.find("\n.SH EXAMPLES\n"));
    EXPECT_NE(examples.find("\\-\\-format json | jq \\-c '.rows[] | [.size_bytes, .latency_ns]'\n"), std::string::npos);
    EXPECT_NE(examples.find("pandas.json_normalize(json.load(open(\"sweep.json\"))[\"rows\"])"), std::string::npos);
}

TEST(Manual, NoLineOfTheManPageIsAnUnknownRequest) {
    std::size_t begin = 0;
    const std::string page = whole_page();
    for (std::size_t end = page.find('\n'); end != std::string::npos; begin = end + 1, end = page.find('\n', begin)) {
        const std::string line = page.substr(begin, end - begin);
        if (line.starts_with('.')) {
            EXPECT_TRUE(line.starts_with(".TH ") || line.starts_with(".SH ") || line.starts_with(".SS ") ||
                        line == ".TP" || line == ".PP" || line == ".br" || line.starts_with(".B ") ||
                        line.starts_with(".I ") || line.starts_with(".IR ") || line.starts_with(".IP "))
                << line;
        }
        EXPECT_FALSE(line.starts_with('\'')) << line;
    }
}

} // namespace
} // namespace memtest

#include "memtest/cli/manual.hpp"

#include "memtest/cli/verbs/verbs.hpp"
#include "memtest/report/compare_report.hpp"
#include "memtest/report/levels_report.hpp"
#include "memtest/report/load_report.hpp"
#include "memtest/report/matrix_file.hpp"
#include "memtest/report/run_keys.hpp"
#include "memtest/report/tlb_report.hpp"
#include "memtest/report/translation_report.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>
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
    for (const Verb& verb : verbs()) {
        for (const OptionText& option : options_of(verb))
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
    for (const std::string& csv :
         {levels_csv({}), comparison_csv({}), translation_csv({}, true), table_header(tlb_table),
          table_header(cores_table), table_header(nodes_table), table_header(load_table_with_stats)}) {
        std::istringstream header(csv.substr(0, csv.find('\n')));
        for (std::string column; std::getline(header >> std::ws, column, ',');)
            EXPECT_NE(page.find(column), std::string::npos) << column;
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
    for (const Verdict verdict : all_values<Verdict>()) {
        Comparison comparison;
        comparison.verdict = verdict;
        const std::string csv = comparison_csv(comparison);
        const std::string key = "# verdict: ";
        const std::size_t begin = csv.find(key) + key.size();
        const std::string word = csv.substr(begin, csv.find('\n', begin) - begin);
        EXPECT_NE(page.find("\n.B " + word + "\n"), std::string::npos) << word;
    }
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
                        line.starts_with(".I ") || line.starts_with(".IR "))
                << line;
        }
        EXPECT_FALSE(line.starts_with('\'')) << line;
    }
}

} // namespace
} // namespace memtest

#include "memtest/cli/option_table.hpp"

#include "support/refusal.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

const std::vector<OptionText> table{{.short_name = 'f', .name = "forward"},
                                    {.short_name = 'm', .name = "max-size", .argument = "MiB"},
                                    {.name = "stats"},
                                    {.short_name = 's', .name = "stride", .argument = "B"},
                                    {.short_name = 'o', .name = "output", .argument = "FILE"},
                                    {.name = "min-size", .argument = "B"}};

using Words = std::vector<std::string>;

/// What was given, as "name=value" or "name", then the operands.
Words split(const Words& arguments) {
    const CommandLine line = split_command_line(table, arguments, "memtest");
    Words words;
    for (const GivenOption& given : line.options)
        words.push_back(std::string(given.name) + (given.value.empty() ? "" : "=" + given.value));
    words.insert(words.end(), line.operands.begin(), line.operands.end());
    return words;
}

std::string refusal(const Words& arguments) {
    return refusal_of([&] { static_cast<void>(split(arguments)); });
}

TEST(CommandLine, TakesTheFormsOfOptionsApart) {
    EXPECT_EQ(split({"--forward", "--max-size", "2", "--min-size=8"}), (Words{"forward", "max-size=2", "min-size=8"}));
    EXPECT_EQ(split({"-f", "-m", "2"}), (Words{"forward", "max-size=2"}));
    EXPECT_EQ(split({"-fm2"}), (Words{"forward", "max-size=2"}));
    EXPECT_EQ(split({"-fm", "2"}), (Words{"forward", "max-size=2"}));
    EXPECT_EQ(split({"-fm1.5"}), (Words{"forward", "max-size=1.5"}));
}

TEST(CommandLine, AValueMayBeginWithADashHoldAnyCharacterOrBeEmpty) {
    for (const char* value : {"-5", "-f", "-fm1.5", "=1", "a=b", "a\nb", "./x"}) {
        const Words expected{"max-size=" + std::string(value)};
        EXPECT_EQ(split({"-m", value}), expected);
        EXPECT_EQ(split({"-m" + std::string(value)}), expected);
        EXPECT_EQ(split({"--max-size", value}), expected);
        EXPECT_EQ(split({"--max-size=" + std::string(value)}), expected);
    }
    EXPECT_EQ(split({"--max-size="}), Words{"max-size"});
}

TEST(CommandLine, WhatIsNoOptionIsAnOperandAsIsAllBehindTwoDashes) {
    EXPECT_EQ(split({"a", "-f", "-", ""}), (Words{"forward", "a", "-", ""}));
    EXPECT_EQ(split({"--", "-f", "--", "x"}), (Words{"-f", "--", "x"}));
}

TEST(CommandLine, NamesMatchExactlyAndANearMissIsAskedFor) {
    EXPECT_TRUE(mentions(refusal({"--forwrad"}), {"--forwrad", "--forward"}));
    EXPECT_TRUE(mentions(refusal({"--max=2"}), {"--max", "--max-size"}));
    EXPECT_TRUE(mentions(refusal({"--nothing"}), {"--nothing", "'memtest --help'"}));
    EXPECT_TRUE(mentions(refusal({"-fz"}), {"-z", "'memtest --help'"}));
    EXPECT_TRUE(mentions(refusal({"-f=1"}), {"-=", "'memtest --help'"}));
    EXPECT_TRUE(mentions(refusal({"-.5"}), {"-.5", "'memtest --help'"}));
}

TEST(CommandLine, OneDashInPlaceOfTwoIsRefusedWithTheOptionThatWasMeant) {
    for (const auto& [written, meant] : {std::pair("-forward", "--forward"),
                                         {"-forw", "--forward"},
                                         {"-output=x.csv", "--output"},
                                         {"-outptu=x.csv", "--output"},
                                         {"-stats", "--stats"},
                                         {"-min-size", "--min-size"},
                                         {"-max=2", "--max-size"}})
        EXPECT_TRUE(mentions(refusal({written}), {written, meant})) << refusal({written});
    EXPECT_EQ(split({"-fo", "x"}), (Words{"forward", "output=x"})) << "two letters are two options";
    EXPECT_EQ(split({"-oresult.csv"}), Words{"output=result.csv"});
    EXPECT_EQ(split({"-fo./x"}), (Words{"forward", "output=./x"}));
}

TEST(CommandLine, AFileIsNotWhatHardlyWasMeantAsOne) {
    EXPECT_TRUE(mentions(refusal({"-fobad"}), {"-fobad", "-o bad"}));
    EXPECT_TRUE(mentions(refusal({"-o=x.csv"}), {"-o x.csv", "--output=x.csv"}));
    EXPECT_TRUE(mentions(refusal({"-ou=x.csv"}), {"-ou=x.csv", "-o x.csv"})) << "out, and a letter was forgotten";
    EXPECT_EQ(split({"-ounit=2.csv"}), Words{"output=unit=2.csv"});
    EXPECT_TRUE(mentions(refusal({"-o", "--stats"}), {"--output --stats", "./--stats"}));
    EXPECT_TRUE(mentions(refusal({"--output", "-f"}), {"--output -f"}));
    EXPECT_EQ(split({"-o", "-"}), Words{"output=-"});
}

TEST(CommandLine, RefusesAMissingValueAValueForAFlagAndAnOptionGivenTwice) {
    EXPECT_TRUE(mentions(refusal({"-f", "--max-size"}), {"--max-size", "MiB"}));
    EXPECT_TRUE(mentions(refusal({"-m"}), {"--max-size"}));
    EXPECT_TRUE(mentions(refusal({"-fm"}), {"--max-size"}));
    EXPECT_TRUE(mentions(refusal({"-m", "--", "2"}), {"--max-size"})) << "options end at two dashes";
    EXPECT_TRUE(mentions(refusal({"--forward="}), {"--forward"}));
    EXPECT_TRUE(mentions(refusal({"--forward=\x01"}), {"--forward=\\x01"}));
    EXPECT_TRUE(mentions(refusal({"-m1", "--max-size=2"}), {"--max-size"}));
}

TEST(CommandLine, RefusesAnArgumentLongerThanAnySensibleOne) {
    EXPECT_EQ(split({"--max-size=" + std::string(8181, '1')}).size(), 1U);
    EXPECT_TRUE(
        mentions(refusal({"--max-size=" + std::string(8182, '1')}), {"'--max-size=111111111...'", "8193", "8192"}));
    EXPECT_TRUE(mentions(refusal({"--", std::string(9000, 'x')}), {"9000", "8192"}));
}

constexpr std::array<std::string_view, 5> known{"random", "max-size", "min-size", "tlb", "levels"};

TEST(Suggestion, IsAWordThatIsNearlyWhatWasWritten) {
    EXPECT_EQ(suggestion_for("randon", known), "random") << "replaced";
    EXPECT_EQ(suggestion_for("rndom", known), "random") << "dropped";
    EXPECT_EQ(suggestion_for("randomm", known), "random") << "added";
    EXPECT_EQ(suggestion_for("tbl", known), "tlb") << "exchanged";
    EXPECT_EQ(suggestion_for("maxsize", known), "max-size");
    EXPECT_EQ(suggestion_for("minsize", known), "min-size") << "the nearest, not the first";
}

TEST(Suggestion, IsAWordAsFewEditsAwayAsAThirdOfTheLettersWhereverTheyAre) {
    const std::array<std::string_view, 3> words{"local", "locality", "threads"};
    for (const std::string word : {"local", "locality"}) {
        for (std::size_t at = 0; at < word.size(); ++at) {
            std::string edited = word;
            edited[at] = 'z';
            EXPECT_EQ(suggestion_for(edited, words), word) << edited;
            EXPECT_EQ(suggestion_for(std::string(word).insert(at, "z"), words), word);
            if (at + 1 < word.size()) {
                edited = word;
                std::swap(edited[at], edited[at + 1]);
                EXPECT_EQ(suggestion_for(edited, words), word) << edited;
                edited[(at + 3) % word.size()] = 'z';
                EXPECT_EQ(suggestion_for(edited, words).has_value(), word == "locality") << edited;
            }
        }
    }
    EXPECT_EQ(suggestion_for("lzczlztz", words), std::nullopt);
    EXPECT_EQ(suggestion_for("zlocality", words), "locality");
    EXPECT_EQ(suggestion_for("zzlocality", words), "locality");
    EXPECT_EQ(suggestion_for("localtiyzz", words), "locality");
    EXPECT_EQ(suggestion_for("localtiyzzz", words), std::nullopt);
}

TEST(Suggestion, TakesCapitalsForSmallLetters) {
    EXPECT_EQ(suggestion_for("TLB", known), "tlb");
    EXPECT_EQ(suggestion_for("Levels", known), "levels");
}

TEST(Suggestion, IsAWordThatBeginsWithWhatWasWritten) {
    EXPECT_EQ(suggestion_for("lev", known), "levels");
    EXPECT_EQ(suggestion_for("m", known), std::nullopt) << "one letter tells nothing";
}

TEST(Suggestion, IsNoneWhereNothingIsNear) {
    EXPECT_EQ(suggestion_for("frobnicate", known), std::nullopt);
    EXPECT_EQ(suggestion_for("xyb", known), std::nullopt);
    EXPECT_EQ(suggestion_for("", known), std::nullopt);
    EXPECT_EQ(suggestion_for("random", {}), std::nullopt);
    const std::string longest(64, 'x');
    const std::array<std::string_view, 1> long_word{longest};
    EXPECT_EQ(suggestion_for(longest, long_word), longest);
    EXPECT_EQ(suggestion_for(longest + 'x', long_word), std::nullopt);
    EXPECT_EQ(suggestion_for(std::string(100'000, 'x'), known), std::nullopt);
}

} // namespace
} // namespace memtest

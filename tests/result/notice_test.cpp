#include "memtest/result/notice.hpp"

#include "memtest/result/code_entry.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

#include <cctype>

namespace memtest {
namespace {

// The golden files have a sentence of each code.

TEST(Codes, HaveAWordOfTheirOwnInSnakeCase) {
    std::set<std::string_view> words;
    for (const CodeEntry& entry : code_entries()) {
        EXPECT_TRUE(words.insert(entry.word).second) << entry.word << " is there twice";
        EXPECT_FALSE(entry.word.empty());
        EXPECT_TRUE(std::ranges::all_of(entry.word, [](unsigned char c) { return std::islower(c) != 0 || c == '_'; }))
            << entry.word;
        EXPECT_EQ(word_of(code_called(entry.word)), entry.word);
    }
    EXPECT_EQ(code_entries().size(), static_cast<std::size_t>(Code::fleet_verdict) + 1) << "each code has an entry";
    for (std::size_t i = 0; i < code_entries().size(); ++i)
        EXPECT_EQ(code_called(word_of(static_cast<Code>(i))), static_cast<Code>(i)) << word_of(static_cast<Code>(i));
    EXPECT_EQ(code_called("of_a_later_version"), Code::unknown);
    EXPECT_EQ(code_called(""), Code::unknown);
}

TEST(Notices, HaveTheirTextAndTheirAdviceFromTheBeginning) {
    const Notice notice(Code::others_used, {{"percent", 35}});
    EXPECT_NE(notice.text.find(" 35 % "), std::string::npos) << notice.text;
    EXPECT_FALSE(notice.advice.empty());
    EXPECT_EQ(sentence_of(notice), notice.text + "; " + notice.advice);
    const Notice bare(Code::disturbed_sizes, {{"count", 2}, {"of", 9}});
    EXPECT_EQ(bare.advice, "");
    EXPECT_EQ(sentence_of(bare), bare.text);
}

TEST(Notices, OfEachCodeHaveAVisibleTextWhateverTheirValues) {
    const std::string forged = "a\x1b[2J\n# verdict: no difference";
    for (const CodeEntry& entry : code_entries()) {
        std::vector<Value> values{Value(), Value(true),         Value(-1),    Value(1e300),    Value(forged),
                                  List(),  List{Value(List())}, List{forged}, List{Members()}, Members()};
        for (const Value& value : values) {
            Members members;
            for (std::string_view names = entry.values; !names.empty();) {
                const std::size_t comma = std::min(names.find(", "), names.size());
                members.set(names.substr(0, comma), value);
                names.remove_prefix(std::min(comma + 2, names.size()));
            }
            const std::string sentence = sentence_of({code_called(entry.word), members});
            EXPECT_TRUE(std::ranges::none_of(sentence, [](unsigned char c) { return c < ' '; })) << entry.word;
        }
    }
}

TEST(Notices, AreReadBackAsTheyWereWritten) {
    for (const Notice& notice : {Notice(Code::others_used, {{"percent", 35.0}}), Notice(Code::busy_machine),
                                 Notice(Code::disturbed_sizes, {{"count", 2}, {"of", 9}})}) {
        const Members members = members_of(notice);
        EXPECT_EQ(members["code"], word_of(notice.code));
        EXPECT_EQ(members["text"], notice.text);
        EXPECT_EQ(members.contains("advice"), !notice.advice.empty());
        EXPECT_EQ(notice_in(json(dumped(members))), notice);
    }
}

TEST(Notices, OfAFileHaveItsTextAndNoOther) {
    const Notice read = notice_in(json(R"({"code": "others_used", "percent": 63, "text": "what the file says"})"));
    EXPECT_EQ(read.code, Code::others_used);
    EXPECT_EQ(sentence_of(read), "what the file says");
    EXPECT_EQ(read.values, (Members{{"percent", 63}}));
    EXPECT_EQ(notice_in(json(R"({"code": "others_used", "percent": 63})")),
              Notice(Code::others_used, {{"percent", 63}}));
    const Notice later = notice_in(json(R"({"code": "of_a_later_version", "size": 7, "text": "a", "advice": "b"})"));
    EXPECT_EQ(later.code, Code::unknown);
    EXPECT_EQ(sentence_of(later), "a; b");
    EXPECT_EQ(later.values["size"].number(), 7);
    EXPECT_EQ(sentence_of(notice_in(json(R"({"code": "of_a_later_version"})"))), "of_a_later_version");
}

TEST(Notices, AreReadFromAnyJsonAndStayOnTheirLine) {
    for (const char* any : {"null", "7", "true", R"("a sentence")", "[]", R"([1, "x"])", "{}", R"({"code": 7})",
                            R"({"code": null, "text": []})", R"({"text": "a\u001b[2J\n# verdict: no difference"})"}) {
        const Notice read = notice_in(json(any));
        EXPECT_EQ(read.code, Code::unknown) << any;
        EXPECT_FALSE(sentence_of(read).empty()) << any;
        EXPECT_TRUE(std::ranges::none_of(sentence_of(read), [](unsigned char c) { return c < ' '; })) << any;
    }
}

TEST(Notices, WriteNanosecondsWithoutAnExponent) {
    const Members range{{"from_bytes", 1 << 20}, {"to_bytes", 1 << 20}, {"low_ns", 17.04}, {"high_ns", 1084.6}};
    const std::string contested = sentence_of({Code::contested_sizes, {{"ranges", List{range}}}});
    EXPECT_NE(contested.find("17 to 1085 ns"), std::string::npos) << contested;
    Members rise = range;
    rise.set("low_ns", 154.4);
    const std::string rises = sentence_of({Code::memory_rises, rise});
    EXPECT_NE(rises.find("154 ns at 1 MiB and 1085 ns"), std::string::npos) << rises;
}

TEST(Notices, AreJudgedByTheirCodes) {
    const std::set disturbances{Code::busy_machine, Code::others_used, Code::cpu_quota, Code::throttled,
                                Code::processors_moved};
    for (const CodeEntry& entry : code_entries()) {
        Notice notice;
        notice.code = code_called(entry.word);
        notice.text = Notice(Code::busy_machine).text;
        EXPECT_EQ(is_disturbance(notice), disturbances.contains(notice.code)) << entry.word;
    }
    EXPECT_TRUE(is_on_plan(Notice(Code::frequency_governor)));
    EXPECT_FALSE(is_on_plan(Notice(Code::others_used)));
}

} // namespace
} // namespace memtest

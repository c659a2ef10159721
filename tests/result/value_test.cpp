#include "memtest/result/value.hpp"

#include "memtest/measure/row.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

#include <fmt/format.h>

#include <limits>

namespace memtest {
namespace {

TEST(Values, HaveANumberInCsvAndJsonWithItsDigits) {
    struct Case {
        double number;
        Digits digits;
        const char* csv;
        const char* json;
    };
    for (const Case& c : {Case{1.2345, decimals(3), "1.234", "1.234"}, Case{2, decimals(3), "2.000", "2.0"},
                          Case{1.5004, decimals(3), "1.500", "1.5"}, Case{-0.0001, decimals(3), "0.000", "0.0"},
                          Case{-0.001, decimals(3), "-0.001", "-0.001"}, Case{32, decimals(0), "32", "32.0"},
                          Case{1e-7, significant(6), "0.0000001", "1e-07"}, Case{24, significant(10), "24", "24.0"},
                          Case{0, significant(6), "0", "0.0"}, Case{1234567, significant(3), "1234567", "1234567.0"},
                          Case{1e300, decimals(3), nullptr, "1e+300"}, Case{0.1 + 0.2, exact, nullptr, nullptr},
                          Case{2.5, {}, "2.5", "2.5"}}) {
        if (c.csv != nullptr) {
            EXPECT_EQ(text_of(c.number, c.digits), c.csv);
            EXPECT_EQ(text_of(Value(c.number), c.digits), c.csv);
        }
        if (c.json != nullptr)
            EXPECT_EQ(dumped(figure(c.number, c.digits)), c.json);
        else
            EXPECT_EQ(figure(c.number, c.digits).number(), c.number);
    }
    EXPECT_EQ(dumped(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615") << "a count is exact";
    EXPECT_EQ(dumped(-3), "-3.0");
}

TEST(Values, OfEveryNumberOfAColumnAreWhatItsTextSays) {
    for (int i = 0; i < 20'000; ++i) {
        const double number = i * 0.12345 + 0.0004;
        for (const Digits digits : {decimals(3), decimals(5), significant(6)})
            EXPECT_EQ(figure(number, digits).number(), std::stod(text_of(number, digits))) << number;
    }
}

TEST(Values, ThatAreNotKnownAreEmptyInCsvAndNull) {
    for (const std::optional<double> unknown :
         {std::optional<double>(), std::optional(std::numeric_limits<double>::infinity()),
          std::optional(std::numeric_limits<double>::quiet_NaN())}) {
        for (const Value& value : {figure(unknown), Value(unknown)}) {
            EXPECT_TRUE(value.is_null());
            EXPECT_EQ(text_of(value), "");
            EXPECT_EQ(value.number(), std::nullopt);
        }
    }
}

TEST(Values, AreTextInCsvWhateverTheirType) {
    EXPECT_EQ(text_of(Value("7")), "7");
    EXPECT_EQ(text_of(Value(7)), "7");
    EXPECT_EQ(text_of(Value(true)), "true");
    EXPECT_EQ(text_of(Value(List{"few", "limit"})), "few limit");
    EXPECT_EQ(text_of(Value(List())), "");
    EXPECT_EQ(dumped(Members{{"b", 1}, {"a", List()}}), R"({"b":1,"a":[]})") << "in the order given";
}

TEST(Values, FindTheirElementsAndMembersOrNull) {
    const Value value = Members{{"a", 1}, {"b", "x"}, {"c", List{7, 8}}};
    EXPECT_EQ(value["a"].number(), 1);
    EXPECT_EQ(value["b"].number(), std::nullopt) << "a text is no number";
    EXPECT_EQ(value["c"][1].count(), 8U);
    for (const Value& none : {value["d"], value["c"][2], value["a"]["a"], value["b"][0], Value()["a"]})
        EXPECT_TRUE(none.is_null());
    EXPECT_EQ(value["c"], (List{7.0, 8.0})) << "a file has 7 or 7.0";
    EXPECT_NE(value["c"], (List{7, 9}));
    EXPECT_NE(Value("1"), Value(1));
}

TEST(Values, OfMembersAreSetInTheirPlaceOrAtTheEnd) {
    Members members{{"a", 1}, {"b", 2}};
    members.set("a", 3);
    members.set({{"c", 4}, {"b", 5}});
    EXPECT_EQ(dumped(members), R"({"a":3,"b":5,"c":4})");
    members.erase("b");
    EXPECT_FALSE(members.contains("b"));
    EXPECT_TRUE(members["b"].is_null());
    EXPECT_EQ(members.size(), 2U);
}

TEST(Json, IsOnePrintableLineOfAnyBytes) {
    const std::string any = "a \"quoted\" \\ name\twith\n\x01, \xc2\xb5, \xf0\x9f\x98\x80 and \xff\xc3";
    const std::string line = dumped(any);
    EXPECT_TRUE(std::ranges::none_of(line, [](unsigned char c) { return c < ' '; })) << line;
    EXPECT_EQ(json(line), any.substr(0, any.size() - 2) + "\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(Json, IsReadAsItWasWritten) {
    const std::string text = R"({"a":[1,2.5,-3.0,true,null,"x\"y"],"b":{"c":{},"d":[]},"e":18446744073709551615})";
    EXPECT_EQ(dumped(json(text)), text);
    EXPECT_EQ(dumped(parse_json("  " + text + "\n", "file:")), text);
    EXPECT_EQ(dumped(json(R"({"a": 1, "b": 2, "a": 3})")), R"({"a":3,"b":2})") << "the last of a name counts";
}

TEST(Json, ThatIsNoneIsRefusedWithItsPlace) {
    for (const auto& [text, byte] : {std::pair("{x}", 2), {"[1, 2] 3", 8}, {"{\"a\": ", 0}, {"", 0}, {"nan", 2}}) {
        const std::string refused = refusal_of([&] { static_cast<void>(json(text)); });
        EXPECT_TRUE(mentions(refused, {"test: ", byte == 0 ? "truncated" : fmt::format("byte {}", byte)})) << refused;
    }
}

TEST(Json, OfMoreThanAnyResultIsRefusedBeforeItFillsTheMemory) {
    const auto refused = [](const std::string& text) {
        return refusal_of([&] { static_cast<void>(parse_json(text, "file:")); });
    };
    const auto nested = [](std::size_t lists) { return std::string(lists, '[') + std::string(lists, ']'); };
    EXPECT_EQ(refused(nested(16)), "");
    EXPECT_TRUE(mentions(refused(nested(17)), {"file: ", "nested"}));
    EXPECT_TRUE(mentions(refused(std::string(1'000'000, '[')), {"file: ", "nested"}));
    std::string members = "{\"0\": 0";
    for (int i = 1; i < 200; ++i)
        members += ",\"" + std::to_string(i) + "\": 0";
    EXPECT_EQ(refused(members + "}"), "");
    EXPECT_TRUE(mentions(refused(members + R"(, "200": 0})"), {"file: ", "members"}));
    EXPECT_TRUE(mentions(refused("[1e999]"), {"file: ", "too large"}));
}

// How values of the program become members, and how they are read back.

struct Part {
    std::string name;
    std::uint64_t bytes = 0;
    std::optional<double> ns = std::nullopt;
    std::vector<int> ids = {};

    bool operator==(const Part&) const = default;
};

} // namespace

template<>
constexpr std::tuple member_fields<Part>{MemberField{"name", &Part::name}, MemberField{"bytes", &Part::bytes, true},
                                         MemberField{"ns", &Part::ns}, MemberField{"ids", &Part::ids}};

namespace {

TEST(MemberFields, AreWrittenInTheirOrderAndNullWhereNotKnown) {
    EXPECT_EQ(dumped(as_value(Part{.name = "a", .bytes = 7, .ns = 1.23456, .ids = {1, 2}})),
              R"({"name":"a","bytes":7,"ns":1.235,"ids":[1,2]})");
    EXPECT_EQ(dumped(as_value(Part{})), R"({"name":null,"bytes":0,"ns":null,"ids":[]})") << "0 is needed, and known";
}

TEST(MemberFields, AreReadBack) {
    const Part part{.name = "a", .bytes = 7, .ns = 1.5, .ids = {1, 2}};
    Part read;
    EXPECT_TRUE(read_value(json(dumped(as_value(part))), read));
    EXPECT_EQ(read, part);
}

TEST(MemberFields, OfTheWrongTypeAreLeftOutUnlessTheyAreNeeded) {
    Part read{.name = "before"};
    EXPECT_TRUE(read_value(json(R"({"name": 7, "bytes": 1, "ns": "x", "ids": [-1]})"), read));
    EXPECT_EQ(read, (Part{.name = "before", .bytes = 1}));
    for (const char* wrong :
         {"null", "1", "{}", R"({"bytes": -1})", R"({"bytes": 1.5})", R"({"bytes": "1"})", R"({"bytes": null})"})
        EXPECT_FALSE(read_value(json(wrong), read)) << wrong;
}

TEST(Values, AreReadFromTheirOwnTypeAndRangeAlone) {
    int number = 0;
    EXPECT_TRUE(read_value(Value(2147483647U), number));
    EXPECT_FALSE(read_value(Value(2147483648U), number)) << "more than it holds";
    EXPECT_FALSE(read_value(Value(-1), number));
    EXPECT_FALSE(read_value(Value(1.0), number));
    bool flag = false;
    EXPECT_TRUE(read_value(Value(true), flag) && flag);
    EXPECT_FALSE(read_value(Value(1), flag));
    double figure_read = 0;
    EXPECT_TRUE(read_value(Value(2), figure_read));
    EXPECT_FALSE(read_value(Value("2"), figure_read));
}

TEST(Values, OfAnEnumerationAreWordsAndUnknownWordsOfAListAreSkipped) {
    EXPECT_EQ(dumped(as_value(std::vector{Note::preempted, Note::limit})), R"(["preempted","limit"])");
    std::vector<Note> notes;
    EXPECT_TRUE(read_value(List{"preempted", "of a later version", "limit"}, notes));
    EXPECT_EQ(notes, (std::vector{Note::preempted, Note::limit}));
    Note note{};
    EXPECT_FALSE(read_value(Value("of a later version"), note));
    notes.clear();
    EXPECT_FALSE(read_value(List{"preempted", 7}, notes)) << "a number is no word";
}

} // namespace
} // namespace memtest

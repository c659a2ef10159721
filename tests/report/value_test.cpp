#include "memtest/report/json.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>

namespace memtest {
namespace {

using List = Value::List;
using Members = Value::Members;

TEST(Value, HasANumberInCsvAndJsonWithItsDigits) {
    struct Case {
        double number;
        Digits digits;
        const char* csv;
        const char* json;
    };
    for (const Case& c : {Case{1.2345, decimals(3), "1.234", "1.234"}, Case{2, decimals(3), "2.000", "2.0"},
                          Case{1.5004, decimals(3), "1.500", "1.5"}, Case{-0.0001, decimals(3), "0.000", "0.0"},
                          Case{-0.001, decimals(3), "-0.001", "-0.001"}, Case{32, decimals(0), "32", "32"},
                          Case{1e-7, significant(6), "1e-07", "1e-07"}, Case{24, significant(10), "24", "24"},
                          Case{2.5, {}, "2.5", "2.5"}}) {
        EXPECT_EQ(Value(c.number, c.digits).text(), c.csv);
        EXPECT_EQ(Value(c.number, c.digits).json(), c.json);
    }
    EXPECT_EQ(Value(std::numeric_limits<std::uint64_t>::max()).json(), "18446744073709551615") << "a count is exact";
}

TEST(Value, ThatIsNotKnownIsEmptyInCsvAndNullInJson) {
    for (const Value& unknown : {Value(), Value(std::optional<double>(), decimals(3))}) {
        EXPECT_FALSE(unknown.is_known());
        EXPECT_EQ(unknown.text(), "");
        EXPECT_EQ(unknown.json(), "null");
        EXPECT_EQ(unknown.number(), std::nullopt);
    }
    EXPECT_EQ(Value(std::numeric_limits<double>::infinity()).json(), "null") << "JSON has no such number";
}

TEST(Value, IsTypedInJson) {
    EXPECT_EQ(Value(true).json(), "true");
    EXPECT_EQ(Value("7").json(), "\"7\"");
    EXPECT_EQ(Value(List{"a", 1, Value()}).json(), R"(["a",1,null])");
    EXPECT_EQ(Value(Members{{"b", 1}, {"a", List{}}}).json(), R"({"b":1,"a":[]})") << "in the order given";
    EXPECT_EQ(Value(List{"few", "limit"}).text(), "few limit");
}

TEST(Value, FindsItsMembers) {
    const Value value(Members{{"a", 1}, {"b", "x"}});
    EXPECT_EQ(value["a"].number(), 1);
    EXPECT_FALSE(value["c"].is_known());
    EXPECT_FALSE(Value(7)["a"].is_known());
}

TEST(Value, TakesAnyBytesAsText) {
    EXPECT_EQ(json_string("a \"quoted\" \\ name\twith\n\x01, \xc2\xb5, \xf0\x9f\x98\x80 and \xff\xc3"),
              R"("a \"quoted\" \\ name\twith\n\u0001, )"
              "\xc2\xb5, \xf0\x9f\x98\x80 and \xef\xbf\xbd\xef\xbf\xbd\"");
}

TEST(Value, LinesOfMembersHaveOneForEachElementWhereAskedTo) {
    const Members members{{"a", 1}, {"b", List{1, 2}}, {"c", List{}}};
    EXPECT_EQ(member_lines(members, "  "), "  \"a\": 1,\n  \"b\": [1,2],\n  \"c\": []");
    EXPECT_EQ(member_lines(members, "  ", true), "  \"a\": 1,\n  \"b\": [\n    1,\n    2\n  ],\n  \"c\": []");
}

} // namespace
} // namespace memtest

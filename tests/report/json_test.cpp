#include "memtest/report/json.hpp"

#include "memtest/measure/row.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace memtest {
namespace {

TEST(Json, HasANumberInCsvAndJsonWithItsDigits) {
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
                          Case{2.5, {}, "2.5", "2.5"}}) {
        EXPECT_EQ(text_of(c.number, c.digits), c.csv);
        EXPECT_EQ(text_of(Json(c.number), c.digits), c.csv);
        EXPECT_EQ(dumped(figure(c.number, c.digits)), c.json);
    }
    EXPECT_EQ(dumped(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615") << "a count is exact";
}

TEST(Json, ThatIsNotKnownIsEmptyInCsvAndNull) {
    for (const std::optional<double> unknown :
         {std::optional<double>(), std::optional(std::numeric_limits<double>::infinity()),
          std::optional(std::numeric_limits<double>::quiet_NaN())}) {
        EXPECT_TRUE(figure(unknown).is_null());
        EXPECT_EQ(text_of(figure(unknown)), "");
        EXPECT_EQ(number_in(figure(unknown)), std::nullopt);
    }
}

TEST(Json, IsTextInCsvWhateverItsType) {
    EXPECT_EQ(text_of(Json("7")), "7");
    EXPECT_EQ(text_of(Json(true)), "true");
    EXPECT_EQ(text_of(Json{"few", "limit"}), "few limit");
    EXPECT_EQ(text_of(Json::array()), "");
    EXPECT_EQ(text_of(Json{{"b", 1}, {"a", Json::array()}}), R"({"b":1,"a":[]})") << "in the order given";
}

TEST(Json, FindsItsMembers) {
    const Json value{{"a", 1}, {"b", "x"}};
    EXPECT_EQ(number_in(member(value, "a")), 1);
    EXPECT_EQ(number_in(member(value, "b")), std::nullopt) << "a text is no number";
    EXPECT_TRUE(member(value, "c").is_null());
    EXPECT_TRUE(member(Json(7), "a").is_null());
    EXPECT_TRUE(member(Json(), "a").is_null());
}

TEST(Json, IsOnePrintableLineOfAnyBytes) {
    const std::string any = "a \"quoted\" \\ name\twith\n\x01, \xc2\xb5, \xf0\x9f\x98\x80 and \xff\xc3";
    const std::string line = dumped(any);
    EXPECT_TRUE(std::ranges::none_of(line, [](unsigned char c) { return c < ' '; })) << line;
    EXPECT_EQ(Json::parse(line), any.substr(0, any.size() - 2) + "\xef\xbf\xbd\xef\xbf\xbd");
}

// How values of the program become JSON, and how they are read back.

struct JsonThing {
    std::string name;
    std::uint64_t bytes = 0;
    std::optional<double> ns = std::nullopt;
    std::vector<int> ids = {};

    bool operator==(const JsonThing&) const = default;
};

} // namespace

template<>
constexpr std::tuple json_fields<JsonThing>{JsonField{"name", &JsonThing::name},
                                            JsonField{"bytes", &JsonThing::bytes, true},
                                            JsonField{"ns", &JsonThing::ns}, JsonField{"ids", &JsonThing::ids}};

namespace {

TEST(JsonFields, AreWrittenInTheirOrderAndNullWhereNotKnown) {
    EXPECT_EQ(dumped(json_of(JsonThing{.name = "a", .bytes = 7, .ns = 1.23456, .ids = {1, 2}})),
              R"({"name":"a","bytes":7,"ns":1.235,"ids":[1,2]})");
    EXPECT_EQ(dumped(json_of(JsonThing{})), R"({"name":null,"bytes":0,"ns":null,"ids":[]})")
        << "0 is needed, and known";
}

TEST(JsonFields, AreReadBack) {
    const JsonThing thing{.name = "a", .bytes = 7, .ns = 1.5, .ids = {1, 2}};
    JsonThing read;
    EXPECT_TRUE(read_json(Json::parse(dumped(json_of(thing))), read));
    EXPECT_EQ(read, thing);
}

TEST(JsonFields, OfTheWrongTypeAreLeftOutUnlessTheyAreNeeded) {
    JsonThing read{.name = "before"};
    EXPECT_TRUE(read_json(Json{{"name", 7}, {"bytes", 1U}, {"ns", "x"}, {"ids", {-1}}}, read));
    EXPECT_EQ(read, (JsonThing{.name = "before", .bytes = 1}));
    for (const Json& wrong : {Json(), Json(1), Json::object(), Json{{"bytes", -1}}, Json{{"bytes", 1.5}},
                              Json{{"bytes", "1"}}, Json{{"bytes", nullptr}}})
        EXPECT_FALSE(read_json(wrong, read)) << dumped(wrong);
}

TEST(JsonValues, AreReadFromTheirOwnTypeAndRangeAlone) {
    int number = 0;
    EXPECT_TRUE(read_json(Json(2147483647U), number));
    EXPECT_FALSE(read_json(Json(2147483648U), number)) << "more than it holds";
    EXPECT_FALSE(read_json(Json(-1), number));
    EXPECT_FALSE(read_json(Json(1.0), number));
    bool flag = false;
    EXPECT_TRUE(read_json(Json(true), flag) && flag);
    EXPECT_FALSE(read_json(Json(1), flag));
    double figure_read = 0;
    EXPECT_TRUE(read_json(Json(2), figure_read));
    EXPECT_FALSE(read_json(Json("2"), figure_read));
}

TEST(JsonValues, OfAnEnumerationAreWordsAndUnknownWordsOfAListAreSkipped) {
    EXPECT_EQ(dumped(json_of(std::vector{Note::preempted, Note::limit})), R"(["preempted","limit"])");
    std::vector<Note> notes;
    EXPECT_TRUE(read_json(Json{"preempted", "of a later version", "limit"}, notes));
    EXPECT_EQ(notes, (std::vector{Note::preempted, Note::limit}));
    Note note{};
    EXPECT_FALSE(read_json(Json("of a later version"), note));
    notes.clear();
    EXPECT_FALSE(read_json(Json{"preempted", 7}, notes)) << "a number is no word";
}

} // namespace
} // namespace memtest

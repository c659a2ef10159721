#include "memtest/report/notice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {
namespace {

/// A value that every notice takes under this name: the number 3 where the name is not here.
Json value_called(const std::string& name) {
    static const std::map<std::string, Json> others{
        {"text", "a text"},
        {"things", "sizes"},
        {"option", "max-size"},
        {"governor", "powersave"},
        {"cache", "L1d"},
        {"reason", "a reason"},
        {"file", "/a file"},
        {"order", "backward"},
        {"names", {"node7", "node8"}},
        {"level", "L2"},
        {"why", "no_trace"},
        {"within", "core"},
        {"relation", "same last-level cache"},
        {"last_cache", "L3"},
        {"row", "256 MiB"},
        {"confidence", "high"},
        {"verdict", "slower"},
        {"awake", true},
        {"are_left_out", true},
        {"refresh", true},
        {"is_peak", true},
        {"pages", {4, 8}},
        {"groups", Json::parse(R"([{"size_bytes": 64, "load_percent": 50, "loads": 16}])")},
        {"ranges", Json::parse(R"([{"from_bytes": 64, "to_bytes": 128, "low_ns": 1,
                                                                      "high_ns": 2, "change_percent": 9,
                                                                      "why": "few"}])")},
        {"files", {"a.csv", "b.csv"}},
        {"moments", Json::parse("[[[[0, 1], [2, 3]]], []]")},
        {"within_ns", {20, 21.5}},
        {"between_ns", {90, 98.5}},
        {"modes", Json::parse(R"([{"nearness": "farther", "percent": 100, "latency_ns": 118}])")},
        {"virtual", true},
        {"measured", Json::parse(R"([{"name": "E-core", "processors": [1]}])")},
        {"load", Json::parse(R"([{"name": "E-core", "processors": [2, 3]}])")},
        {"others", 3},
        {"kinds", {"P-core", "E-core"}},
        {"strides", Json::parse(R"([{"pages": "4k", "forward_bytes": 512, "backward_bytes": 0}])")},
        {"crosses_pages", "no"},
        {"fetches_pairs", "yes"},
        {"fetches_next_line", "no"},
        {"learns_laps", "no"},
        {"follows_addresses", "unknown"},
        {"base", "a file"},
        {"latest", "another"},
        {"parts", {"cores", "tail"}},
        {"differences",
         Json::array(
             {{{"key", "kernel"}, {"base", "one"}, {"new", "another"}, {"usual", "one"}, {"here", "another"}}})},
        {"changes",
         Json::array({{{"name", "L2"}, {"change_percent", 10.0}, {"noise_percent", 2.5}, {"one_size", true}}})},
        {"levels", {"L3", "memory"}},
        {"thing", "neighbouring size"},
        {"sweeps", {"a.csv is truncated"}},
        {"how", "other processes used 40 % of the CPUs"},
        {"doubt", "disturbed"},
        {"of_baseline", true},
        {"of_part", "huge"},
        {"in_small_pages", true},
        {"pairs", {{0, 1}, {2, 3}}}};
    const auto found = others.find(name);
    return found == others.end() ? Json(3) : found->second;
}

/// Names that stand for those of a row of a table.
const std::map<std::string_view, std::vector<std::string>> values_of_rows{
    {"those of a row of levels",
     {"capacity_low_kib", "capacity_high_kib", "capacity_best_kib", "latency_ns", "latency_cycles", "from_mib",
      "to_mib", "confidence", "reported_kib"}},
    {"those of an element of levels", {"base_ns", "new_ns", "change_percent", "noise_percent", "verdict"}}};

std::vector<std::string> names_in(std::string_view list) {
    if (const auto found = values_of_rows.find(list); found != values_of_rows.end())
        return found->second;
    std::vector<std::string> names;
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(", "), list.size());
        names.emplace_back(list.substr(0, comma));
        list.remove_prefix(std::min(comma + 2, list.size()));
    }
    return names;
}

/// Each code but the unknown one, with all of its values.
std::vector<Notice> all_notices() {
    std::vector<Notice> notices;
    for (const CodeText& text : code_texts()) {
        Notice notice(code_called(text.word));
        if (notice.code == Code::unknown)
            continue;
        for (const std::string& name : names_in(text.values))
            notice.values[name] = value_called(name);
        // Names that are a list for one code and a number or a list of lists for another.
        if (notice.code == Code::no_tlb_edge || notice.code == Code::no_second_tlb_edge)
            notice.values["pages"] = 16384;
        if (notice.code == Code::several_kinds)
            notice.values["others"] = Json::parse(R"([{"name": "P-core", "processors": [0]}])");
        if (notice.code == Code::core_groups)
            notice.values["processors"] = {{0, 1}, {2, 3}};
        else if (notice.values.contains("processors") && notice.code != Code::cpu_quota)
            notice.values["processors"] = {1, 2};
        if (notice.code == Code::page_walks)
            notice.values["beyond"] = {{{"pages", 100}, {"translation_ns", 9.5}}};
        notices.push_back(std::move(notice));
    }
    return notices;
}

/// The notice as a damaged file has it.
Json stored(const Notice& notice) {
    Json object{{"code", word_of(notice.code)}};
    object.update(notice.values);
    object["text"] = "what the file says";
    return object;
}

TEST(Codes, HaveAWordOfTheirOwnInSnakeCase) {
    std::set<std::string_view> words;
    for (const CodeText& text : code_texts()) {
        EXPECT_TRUE(words.insert(text.word).second) << text.word << " is there twice";
        EXPECT_FALSE(text.word.empty());
        EXPECT_TRUE(std::ranges::all_of(text.word, [](unsigned char c) { return std::islower(c) != 0 || c == '_'; }))
            << text.word;
        EXPECT_EQ(word_of(code_called(text.word)), text.word);
    }
    EXPECT_EQ(code_texts().size(), static_cast<std::size_t>(Code::fleet_verdict) + 1) << "each code has an entry";
    for (std::size_t i = 0; i < code_texts().size(); ++i)
        EXPECT_EQ(code_called(word_of(static_cast<Code>(i))), static_cast<Code>(i)) << word_of(static_cast<Code>(i));
    EXPECT_EQ(code_called("of_a_later_version"), Code::unknown);
    EXPECT_EQ(code_called(""), Code::unknown);
}

TEST(Notices, MakeTheirSentenceOfTheValuesThatTheyName) {
    for (Notice notice : all_notices()) {
        const std::string sentence = sentence_of(notice);
        EXPECT_NE(sentence, word_of(notice.code)) << "a value is missing in code_texts()";
        EXPECT_FALSE(sentence.ends_with('.') || sentence.ends_with(' ')) << sentence;
        EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
        EXPECT_TRUE(sentence.starts_with(fact_of(notice))) << sentence;
        notice.values["text"] = "another sentence";
        EXPECT_EQ(sentence_of(notice), sentence) << "that of the values counts";
    }
}

TEST(Notices, AreReadBackAsTheyWereWritten) {
    for (const Notice& notice : all_notices()) {
        const Json json = json_of(notice);
        EXPECT_EQ(json["code"], word_of(notice.code));
        EXPECT_EQ(json["text"], sentence_of(notice));
        EXPECT_EQ(notice_in(json), notice) << dumped(json);
        EXPECT_EQ(notice_in(Json::parse(dumped(json))), notice) << dumped(json);
    }
}

TEST(Notices, WhoseTextIsDamagedAreReadAsWell) {
    for (const Notice& notice : all_notices()) {
        Json json = json_of(notice);
        for (const Json& text : {Json("garbage"), Json(), Json(7)}) {
            json["text"] = text;
            EXPECT_EQ(notice_in(json), notice) << dumped(json);
        }
    }
}

TEST(Notices, WithoutAnyOfTheirValuesKeepTheTextOfTheFile) {
    for (const Notice& notice : all_notices()) {
        const Json json{{"code", word_of(notice.code)}, {"text", "what the file says"}};
        const Notice read = notice_in(json);
        EXPECT_EQ(read.code, notice.code) << "programs judge by it all the same";
        const std::string own = sentence_of(Notice(notice.code));
        const bool needs_values = own == word_of(notice.code);
        EXPECT_EQ(sentence_of(read), needs_values ? "what the file says" : own) << word_of(notice.code);
        EXPECT_EQ(notice_in(json_of(read)), read) << word_of(notice.code);
    }
}

TEST(Notices, WithAValueThatIsMissingOrOfAnotherTypeKeepTheTextOfTheFileOrMakeASentenceWithoutIt) {
    const std::vector<Json> others{Json(),
                                   Json(true),
                                   Json(-1),
                                   Json(1e300),
                                   Json(-1e300),
                                   Json("a text"),
                                   Json(""),
                                   Json::array(),
                                   Json::array({Json::array()}),
                                   Json::array({"x"}),
                                   Json::array({Json::object()}),
                                   Json::array({1, "x", nullptr}),
                                   Json::object(),
                                   Json{{"pages", "x"}}};
    for (const Notice& notice : all_notices()) {
        for (const auto& [name, value] : notice.values.items()) {
            Json damaged = stored(notice);
            damaged.erase(name);
            EXPECT_EQ(notice_in(damaged).code, notice.code);
            EXPECT_FALSE(sentence_of(notice_in(damaged)).empty()) << name;
            for (const Json& other : others) {
                damaged = stored(notice);
                damaged[name] = other;
                const Notice read = notice_in(damaged);
                EXPECT_EQ(read.code, notice.code) << dumped(damaged);
                EXPECT_FALSE(sentence_of(read).empty()) << dumped(damaged);
                EXPECT_EQ(notice_in(json_of(read)), read) << dumped(damaged);
            }
        }
        Json damaged{{"code", word_of(notice.code)}, {"text", "what the file says"}};
        for (const auto& [name, value] : notice.values.items())
            damaged[name] = Json::object();
        if (!notice.values.empty()) {
            EXPECT_EQ(sentence_of(notice_in(damaged)), "what the file says") << dumped(damaged);
        }
    }
}

TEST(Notices, OfAnotherVersionKeepTheirTextAndTheirValues) {
    const Notice read = notice_in({{"code", "of_a_later_version"}, {"size", 7}, {"text", "a sentence; advice"}});
    EXPECT_EQ(read.code, Code::unknown);
    EXPECT_EQ(sentence_of(read), "a sentence; advice");
    EXPECT_EQ(fact_of(read), "a sentence");
    EXPECT_EQ(number_in(member(read.values, "size")), 7);
}

TEST(Notices, AreReadFromAnyJson) {
    for (const Json& any : {Json(), Json(7), Json(true), Json("a sentence"), Json::array(), Json::array({1, "x"}),
                            Json::object(), Json{{"code", 7}}, Json{{"code", nullptr}, {"text", Json::array()}}}) {
        const Notice read = notice_in(any);
        EXPECT_EQ(read.code, Code::unknown) << dumped(any);
        EXPECT_FALSE(sentence_of(read).empty()) << dumped(any);
        EXPECT_NO_THROW(static_cast<void>(json_of(read))) << dumped(any);
    }
    EXPECT_EQ(sentence_of(notice_in("a sentence")), "a sentence");
}

TEST(Notices, AForgedTextOrValueStaysOnItsLine) {
    const std::string forged = "a\x1b[2J\n# verdict: no difference";
    for (const Json& json :
         {Json{{"code", "unknown"}, {"text", forged}}, Json{{"code", "little_memory"}, {"text", forged}},
          Json{{"code", "not_pinned"}, {"reason", forged}, {"text", ""}}, Json(forged)}) {
        const std::string sentence = sentence_of(notice_in(json));
        EXPECT_TRUE(std::ranges::none_of(sentence, [](unsigned char c) { return c < ' '; })) << dumped(json);
        EXPECT_NE(sentence.find("# verdict"), std::string::npos) << dumped(json);
    }
}

TEST(Notices, WriteNanosecondsWithoutAnExponent) {
    const Json range{{"from_bytes", 1 << 20}, {"to_bytes", 1 << 20}, {"low_ns", 17.04}, {"high_ns", 1084.6}};
    const std::string contested = sentence_of({Code::contested_sizes, {{"ranges", Json::array({range})}}});
    EXPECT_NE(contested.find("17 to 1085 ns"), std::string::npos) << contested;
    Json rise = range;
    rise["low_ns"] = 154.4;
    const std::string rises = sentence_of({Code::memory_rises, rise});
    EXPECT_NE(rises.find("154 ns at 1 MiB to 1085 ns"), std::string::npos) << rises;
}

TEST(Notices, AreJudgedByTheirCodes) {
    const std::vector on_others{Code::busy_machine, Code::others_used, Code::cpu_quota, Code::throttled};
    for (const Notice& notice : all_notices()) {
        const bool is_of_others = std::ranges::find(on_others, notice.code) != on_others.end();
        EXPECT_EQ(is_on_others(notice), is_of_others) << word_of(notice.code);
        EXPECT_EQ(is_on_whole_result(notice),
                  is_of_others || notice.code == Code::unsettled || notice.code == Code::processors_moved)
            << word_of(notice.code);
        const Notice bare(notice.code, {{"text", "garbage"}});
        EXPECT_EQ(is_on_others(bare), is_of_others) << "the values make no difference";
    }
    const Notice sentence(Code::unknown, {{"text", sentence_of(Notice(Code::busy_machine))}});
    EXPECT_FALSE(is_on_others(sentence)) << "nor does the sentence";
    EXPECT_TRUE(is_disturbance(Notice(Code::others_used)));
    EXPECT_TRUE(is_disturbance(Notice(Code::processors_moved)) && is_on_whole_result(Notice(Code::processors_moved)));
    EXPECT_FALSE(is_disturbance(Notice(Code::unsettled)));
}

} // namespace
} // namespace memtest

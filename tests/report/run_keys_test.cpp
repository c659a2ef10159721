#include "memtest/report/run_keys.hpp"

#include "support/described_run.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

namespace memtest {
namespace {

using Json = nlohmann::ordered_json;

const RunKey& key_called(std::string_view name) {
    return *std::ranges::find(run_keys(), name, &RunKey::key);
}

TEST(RunKeys, AreOfOneNameEachAndSnakeCaseInJson) {
    std::set<std::string_view> keys;
    std::set<std::string_view> members;
    for (const RunKey& key : run_keys()) {
        keys.insert(key.key);
        members.insert(key.member);
        EXPECT_TRUE(std::ranges::all_of(key.member, [](unsigned char c) { return std::islower(c) != 0 || c == '_'; }))
            << key.member;
        EXPECT_FALSE(key.meaning.empty()) << key.key;
    }
    EXPECT_EQ(keys.size(), run_keys().size());
    EXPECT_EQ(members.size(), run_keys().size());
}

TEST(RunKeys, WriteInTextWhatTheyReadBack) {
    const RunDescription run = described_run();
    RunDescription read;
    for (const RunKey& key : run_keys()) {
        const auto text = key.text(run);
        ASSERT_TRUE(text.has_value()) << key.key << " is left out of described_run()";
        EXPECT_EQ(text->find('\n'), std::string::npos) << key.key;
        if (key.read_text == nullptr)
            continue;
        EXPECT_TRUE(key.read_text(read, *text)) << key.key << ": " << *text;
        EXPECT_FALSE(key.differ(run, read)) << key.key << ": " << *text;
    }
    EXPECT_EQ(read, described_run_read_back());
}

TEST(RunKeys, WriteInJsonWhatTheyReadBack) {
    const RunDescription run = described_run();
    RunDescription read;
    for (const RunKey& key : run_keys()) {
        const Json json = Json::parse(key.json(run).dump());
        EXPECT_FALSE(json.is_null()) << key.key;
        if (key.read_json == nullptr)
            continue;
        EXPECT_TRUE(key.read_json(read, json)) << key.key << ": " << json;
        EXPECT_FALSE(key.differ(run, read)) << key.key << ": " << json;
    }
    EXPECT_EQ(read, described_run_read_back());
}

TEST(RunKeys, WhatIsNotKnownIsNoLineAndNull) {
    for (const RunKey& key : run_keys()) {
        EXPECT_EQ(key.text({}), std::nullopt) << key.key;
        EXPECT_TRUE(key.json({}).is_null()) << key.key;
        EXPECT_TRUE(key.differ({}, described_run())) << key.key;
    }
}

TEST(RunKeys, AreReadFromNothingElse) {
    for (const RunKey& key : run_keys()) {
        if (key.read_text == nullptr)
            continue;
        RunDescription read;
        for (const Json& wrong : {Json(), Json(-1), Json(1e308), Json::array({Json::array()}), Json::object()}) {
            EXPECT_FALSE(key.read_json(read, wrong) && wrong.is_null()) << key.key << ": " << wrong;
        }
        if (key.key != "version" && key.key != "start" && key.key != "cpu" && key.key != "kernel" &&
            key.key != "transparent huge pages") {
            RunDescription other;
            EXPECT_FALSE(key.read_text(other, "nonsense")) << key.key;
            EXPECT_EQ(other, RunDescription{}) << key.key;
        }
    }
}

TEST(RunKeys, HaveTheirTextInTheFormThatFilesHave) {
    const RunDescription run = described_run();
    EXPECT_EQ(key_called("arguments").text(run), "-s 4K -o 'a file'\\''s name' ''");
    EXPECT_EQ(key_called("max size").text(run), "lowered from 1024 MiB to 581 MiB: 600 MiB are available");
    EXPECT_EQ(key_called("warmup").text(run), "3, at most 10 ms");
    EXPECT_EQ(key_called("counters").text(run), "cycles, l1d-misses");
    EXPECT_EQ(key_called("node").text(run), "1,0 (verified)");
    EXPECT_EQ(key_called("processors").text(run), "0,2 (same core)");
    EXPECT_EQ(key_called("core clock").text(run), "3.500 GHz");
    EXPECT_EQ(key_called("core clock range").text(run), "3.490 to 3.512 GHz");
    EXPECT_EQ(key_called("end").text(run), "20 of 41 sizes, interrupted");
}

TEST(RunKeys, SayWhyThreadsAreNotPinnedAndNodesNotVerified) {
    RunDescription run;
    run.processors = ProcessorsUsed{.ids = {0, 1}, .relation = "", .not_pinned = "Operation not permitted"};
    run.nodes = NodesUsed{.ids = {2}, .verified = false};
    for (const auto& [name, text] : {std::pair{"processors", "0,1 (not pinned: Operation not permitted)"},
                                     std::pair{"node", "2 (not verified: the kernel does not tell where memory is)"}}) {
        const RunKey& key = key_called(name);
        RunDescription read;
        EXPECT_EQ(key.text(run), text);
        EXPECT_TRUE(key.read_text(read, text));
        EXPECT_FALSE(key.differ(run, read)) << name;
    }
}

TEST(RunKeys, PutNoControlCharacterIntoALine) {
    RunDescription run;
    run.arguments = {"a\nb", "\x1b[2J"};
    EXPECT_EQ(key_called("arguments").text(run), "'a?b' '?[2J'");
}

TEST(RunKeys, TheFirstOfSeveralLinesCounts) {
    RunDescription run;
    EXPECT_TRUE(key_called("line").read_text(run, "64"));
    EXPECT_TRUE(key_called("line").read_text(run, "128"));
    EXPECT_EQ(run.line_bytes, 64U);
}

TEST(RunEnd, IsCompleteWithAllSizesOfARunThatWasNotInterrupted) {
    EXPECT_TRUE((RunEnd{41, 41, false}).complete());
    EXPECT_FALSE((RunEnd{40, 41, false}).complete());
    EXPECT_FALSE((RunEnd{41, 41, true}).complete());
}

} // namespace
} // namespace memtest

#include "memtest/insight/settings.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace memtest {
namespace {

using Description = std::vector<std::pair<std::string, std::string>>;

const Description full{{"order", "backward"},  {"link", "pointer"}, {"line", "64"},      {"stride", "512"},
                       {"threads", "1"},       {"parallel", "1"},   {"estimate", "min"}, {"pages", "default"},
                       {"pages got", "4 KiB"}, {"cpu", "AMD EPYC"}};

Description with(Description description, const std::string& key, const std::string& value) {
    for (auto& entry : description)
        if (entry.first == key)
            entry.second = value;
    return description;
}

TEST(Settings, EverySettingThatDiffersIsNamed) {
    for (const std::string key :
         {"order", "link", "line", "stride", "threads", "parallel", "estimate", "pages", "pages got"}) {
        const auto differences = settings_differences(full, with(full, key, "other"));
        ASSERT_EQ(differences.size(), 1U) << key;
        EXPECT_EQ(differences[0].setting, key);
        EXPECT_EQ(differences[0].latest, "other");
    }
    EXPECT_EQ(settings_differences(full, with(with(full, "order", "random"), "threads", "2")).size(), 2U);
}

TEST(Settings, BothValuesAreGiven) {
    const auto differences = settings_differences(full, with(full, "line", "128"));
    ASSERT_EQ(differences.size(), 1U);
    EXPECT_EQ(differences[0].base, "64");
    EXPECT_EQ(differences[0].latest, "128");
}

TEST(Settings, AnotherMachineIsNoOtherSetting) {
    EXPECT_TRUE(settings_differences(full, full).empty());
    EXPECT_TRUE(settings_differences(full, with(full, "cpu", "Intel Xeon")).empty());
}

TEST(Settings, WhatOneFileDoesNotSayIsNoDifference) {
    EXPECT_TRUE(settings_differences({}, full).empty());
    EXPECT_TRUE(settings_differences(full, {}).empty());
    EXPECT_TRUE(settings_differences(full, Description{{"order", "backward"}}).empty());
}

TEST(Settings, TlbLocalityIsADifferenceWhereTheOtherFileWouldHaveSaidIt) {
    const Description confined{{"order", "random"}, {"tlb locality", "262144"}};
    const auto differences = settings_differences(Description{{"order", "random"}}, confined);
    ASSERT_EQ(differences.size(), 1U);
    EXPECT_EQ(differences[0].setting, "tlb locality");
    EXPECT_EQ(differences[0].base, "none");
    EXPECT_EQ(differences[0].latest, "262144");
    EXPECT_TRUE(settings_differences({}, confined).empty());
}

} // namespace
} // namespace memtest

// Commands that a signal asks to end before they have a row.
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/machine/processors.hpp"
#include "support/test.hpp"
#include "support/text_file.hpp"
#include "support/values.hpp"

#include <unistd.h>

#include <csignal>
#include <filesystem>

namespace memtest {
namespace {

/// What the command leaves in JSON. It runs in a process of its own: what has come stays noted.
Value left_by(const Command& command, std::vector<std::string> arguments) {
    const std::string path = testing::TempDir() + "memtest-interrupted-" + std::to_string(getpid());
    arguments.insert(arguments.end(), {"--format", "json", "--output", path});
    EXPECT_EXIT(
        {
            std::signal(SIGTERM, SIG_DFL);
            const Interruption interruption;
            std::raise(SIGTERM);
            run_command(command, arguments);
            _exit(0);
        },
        testing::ExitedWithCode(0), "");
    const std::string text = read_text(path + ".partial");
    std::filesystem::remove(path + ".partial");
    return json_or_null(text);
}

TEST(InterruptedCommand, CoresConcludesNothing) {
    if (allowed_processors().size() < 2 || refusal_to_pin())
        GTEST_SKIP() << "two processors are needed";
    const auto left = left_by(cores_command, {"--smt"});
    ASSERT_TRUE(left.has_members());
    EXPECT_TRUE(left["rows"].is_list() && left["rows"].list().empty()) << dumped(left);
    EXPECT_EQ(left["complete"], false);
    for (const char* member : {"groups", "moved", "bimodal", "remarks"})
        EXPECT_TRUE(left.members().contains(member) && left[member].is_null()) << member << dumped(left);
}

TEST(InterruptedCommand, NodesMeasuresNoPair) {
    if (refusal_to_pin())
        GTEST_SKIP() << "threads cannot be bound to processors";
    const auto left = left_by(nodes_command, {"--size", "1"});
    ASSERT_TRUE(left.has_members());
    EXPECT_TRUE(left["rows"].is_list() && left["rows"].list().empty()) << dumped(left);
    EXPECT_EQ(left["complete"], false);
}

} // namespace
} // namespace memtest

#include "memtest/machine/system_files.hpp"

#include "support/fake_system.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

TEST(SystemFiles, ReadsWhatIsThereAndNothingWhereThereIsNothing) {
    const FakeSystem system;
    system.add("/sys/size", "32768\n");
    system.add("/sys/limit", "max\n");
    EXPECT_EQ(system.files().text("/sys/size"), "32768\n");
    EXPECT_EQ(system.files().line("/sys/size"), "32768");
    EXPECT_EQ(system.files().number("/sys/size"), 32768U);
    EXPECT_EQ(system.files().number("/sys/limit"), std::nullopt);
    EXPECT_EQ(system.files().text("/sys/nothing"), std::nullopt);
    EXPECT_EQ(system.files().number("/sys/nothing"), std::nullopt);
    EXPECT_EQ(system.files().text("/sys"), std::nullopt) << "a directory has no text";
}

TEST(SystemFiles, FindsAFieldByItsWholeKey) {
    const FakeSystem system;
    system.add("/proc/meminfo", "MemTotal:   100 kB\nMemAvailableSoon: 7 kB\nMemAvailable:    42 kB\n");
    EXPECT_EQ(system.files().field("/proc/meminfo", "MemAvailable"), "42 kB");
    EXPECT_EQ(system.files().field("/proc/meminfo", "Mem"), std::nullopt);
}

TEST(SystemFiles, GivesAFieldOfKibInBytes) {
    const FakeSystem system;
    system.add("/proc/meminfo", "MemTotal: 9000000 kB\nMemFree: none\n");
    EXPECT_EQ(system.files().bytes("/proc/meminfo", "MemTotal"), std::uint64_t{9000000} * 1024);
    EXPECT_EQ(system.files().bytes("/proc/meminfo", "MemFree"), std::nullopt);
    EXPECT_EQ(system.files().bytes("/proc/meminfo", "Mem"), std::nullopt);
}

TEST(SystemFiles, SaysWhereALinkLeads) {
    const FakeSystem system;
    system.add("/sys/file", "");
    std::filesystem::create_symlink("../bus/dax", system.root() / "sys/link");
    EXPECT_EQ(system.files().link("/sys/link"), "../bus/dax");
    EXPECT_EQ(system.files().link("/sys/file"), std::nullopt);
}

TEST(SystemFiles, ListsADirectorySorted) {
    const FakeSystem system;
    const std::string letters = "qwertyuiopasdfghjklzxcvbnm"; // so many that no file system has them in order by chance
    for (const char letter : letters)
        system.add(std::string("/sys/cache/") + letter + "/size", "");
    const auto names = system.files().names("/sys/cache");
    EXPECT_EQ(names.size(), letters.size());
    EXPECT_TRUE(std::ranges::is_sorted(names));
    EXPECT_TRUE(system.files().names("/sys/nothing").empty());
}

} // namespace
} // namespace memtest

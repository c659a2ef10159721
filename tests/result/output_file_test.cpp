#include "memtest/result/output_file.hpp"

#include "memtest/base/error.hpp"
#include "support/refusal.hpp"
#include "support/system_limit.hpp"
#include "support/terminal.hpp"
#include "support/test.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace memtest {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test.
class OutputFiles : public testing::Test {
protected:
    OutputFiles() {
        std::string name = (fs::temp_directory_path() / "memtest-output-XXXXXX").string();
        folder_ = mkdtemp(name.data());
        umask(022);
    }
    ~OutputFiles() override { fs::remove_all(folder_); }

    [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
    void put(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
    [[nodiscard]] std::string text(const std::string& name) const {
        std::ifstream file(path(name));
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }
    [[nodiscard]] fs::perms mode(const std::string& name) const { return fs::status(path(name)).permissions(); }
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder_))
            names.push_back(entry.path().filename());
        std::ranges::sort(names);
        return names;
    }

private:
    fs::path folder_;
};

using Names = std::vector<std::string>;

TEST_F(OutputFiles, KeepTheOldResultUntilTheNewOneIsWhole) {
    put("r.csv", "old");
    OutputFile file(path("r.csv"));
    file.write("new");
    EXPECT_EQ(text("r.csv"), "old");
    file.commit();
    EXPECT_EQ(text("r.csv"), "new");
    EXPECT_EQ(names(), Names{"r.csv"});
}

TEST_F(OutputFiles, AreWrittenWithStandardInputClosed) { // so that the next descriptor to be opened is 0
    put("r.csv", "old");
    {
        const Redirected closed(STDIN_FILENO);
        OutputFile file(path("r.csv"));
        file.write("new");
        file.commit();
    }
    {
        const Redirected closed(STDIN_FILENO);
        OutputFile null("/dev/null");
        null.write("row");
        null.commit();
    }
    {
        const Redirected closed(STDIN_FILENO);
        OutputFile file(path("p.csv"));
        file.write("half");
        EXPECT_EQ(file.keep_partial(), path("p.csv.partial"));
    }
    EXPECT_EQ(text("r.csv"), "new");
}

TEST_F(OutputFiles, LeaveNoDescriptorOpen) {
    const auto open_files = [] {
        return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
    };
    put("log", "old");
    const auto before = open_files();
    const int log = open(path("log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    for (const std::string& name : {path("r.csv"), std::string("/dev/null"), "/dev/fd/" + std::to_string(log)}) {
        OutputFile file(name);
        file.write("row");
        file.commit();
    }
    OutputFile(path("r.csv")).write("half");
    close(log);
    EXPECT_EQ(open_files(), before);
}

TEST_F(OutputFiles, HaveWritesOnDiskBeforeTheyAreWhole) {
    const OutputFile empty(path("empty.csv"));
    OutputFile file(path("r.csv"));
    file.write("row");
    EXPECT_EQ(names(), (Names{"empty.csv.partial", "r.csv.partial"}));
    EXPECT_EQ(text("r.csv.partial"), "row");
}

TEST_F(OutputFiles, AreRefusedWhileAnotherRunWritesThem) {
    OutputFile first(path("r.csv"));
    first.write("first");
    EXPECT_THROW(OutputFile(path("r.csv")), Error);
    first.commit();
    EXPECT_EQ(text("r.csv"), "first");
    OutputFile(path("r.csv")).write("next");
}

TEST_F(OutputFiles, AreLostWhereAnotherFileTookTheirPlace) {
    OutputFile file(path("r.csv"));
    file.write("row");
    fs::remove(path("r.csv.partial"));
    put("r.csv.partial", "other");
    EXPECT_THROW(file.commit(), Error);
    EXPECT_EQ(file.keep_partial(), "");
    EXPECT_EQ(text("r.csv.partial"), "other");
}

TEST_F(OutputFiles, LeaveWhatIsNotWholeBesideTheOldResult) {
    put("r.csv", "old");
    {
        OutputFile file(path("r.csv"));
        file.write("half");
        EXPECT_EQ(file.keep_partial(), path("r.csv.partial"));
        EXPECT_EQ(file.keep_partial(), std::nullopt) << "it is named once";
    }
    EXPECT_EQ(text("r.csv"), "old");
    EXPECT_EQ(text("r.csv.partial"), "half");
    EXPECT_EQ(names(), (Names{"r.csv", "r.csv.partial"}));
}

TEST_F(OutputFiles, ReplaceAnEarlierPartialResult) {
    put("r.csv.partial", "of an earlier run");
    OutputFile file(path("r.csv"));
    file.write("half");
    EXPECT_EQ(file.keep_partial(), path("r.csv.partial"));
    EXPECT_EQ(text("r.csv.partial"), "half");
}

TEST_F(OutputFiles, SayThatWhatTheyHeldIsLostWithItsFolder) {
    fs::create_directory(path("data"));
    OutputFile file(path("data/r.csv"));
    file.write("half");
    fs::remove_all(path("data"));
    EXPECT_EQ(file.keep_partial(), "");
}

TEST_F(OutputFiles, LeaveNothingWhereNothingWasWritten) {
    put("r.csv", "old");
    {
        OutputFile file(path("r.csv"));
        EXPECT_EQ(file.keep_partial(), std::nullopt);
    }
    EXPECT_EQ(text("r.csv"), "old");
    EXPECT_EQ(names(), Names{"r.csv"});
}

TEST_F(OutputFiles, LeaveNothingWhereNobodyKeepsIt) {
    { OutputFile(path("r.csv")).write("half"); }
    EXPECT_EQ(names(), Names{});
}

TEST_F(OutputFiles, TakeAWholeTextOrNoneOfItWhereTheDiskIsFull) {
    const SystemLimit limit(RLIMIT_FSIZE, 12);
    OutputFile file(path("r.csv"));
    file.write("0, 1\n");
    EXPECT_THROW(file.write("0, 1234567890\n"), Error);
    file.write("# end\n");
    EXPECT_EQ(file.keep_partial(), path("r.csv.partial"));
    EXPECT_EQ(text("r.csv.partial"), "0, 1\n# end\n");
    OutputFile other(path("o.csv"));
    EXPECT_THROW(other.write("0, 1234567890\n"), Error);
    EXPECT_EQ(other.keep_partial(), std::nullopt) << "it holds nothing";
}

TEST_F(OutputFiles, FollowNoLinkThatLiesWhereThePartialResultGoes) {
    put("victim", "precious");
    fs::create_symlink("victim", path("r.csv.partial"));
    OutputFile file(path("r.csv"));
    file.write("half");
    EXPECT_EQ(file.keep_partial(), path("r.csv.partial"));
    EXPECT_EQ(text("victim"), "precious");
    EXPECT_FALSE(fs::is_symlink(path("r.csv.partial")));
}

TEST_F(OutputFiles, ReplaceWhatASymbolicLinkLeadsTo) {
    fs::create_directory(path("data"));
    put("data/r.csv", "old");
    fs::create_symlink("data/r.csv", path("link.csv"));
    OutputFile file(path("link.csv"));
    file.write("new");
    file.commit();
    EXPECT_TRUE(fs::is_symlink(path("link.csv")));
    EXPECT_EQ(text("data/r.csv"), "new");
    EXPECT_EQ(names(), (Names{"data", "link.csv"}));
}

TEST_F(OutputFiles, AreCreatedThroughALinkThatLeadsNowhereYet) {
    fs::create_symlink("r.csv", path("link.csv"));
    OutputFile file(path("link.csv"));
    file.write("new");
    EXPECT_FALSE(fs::exists(path("r.csv"))) << "it is not complete";
    file.commit();
    EXPECT_TRUE(fs::is_symlink(path("link.csv")));
    EXPECT_EQ(text("r.csv"), "new");
}

TEST_F(OutputFiles, HaveTheModeOfTheOldOneOrTheUsualOne) {
    put("old.csv", "old");
    fs::permissions(path("old.csv"), fs::perms(0604));
    OutputFile replacing(path("old.csv"));
    replacing.commit();
    EXPECT_EQ(mode("old.csv"), fs::perms(0604));
    umask(027);
    OutputFile creating(path("new.csv"));
    creating.commit();
    EXPECT_EQ(mode("new.csv"), fs::perms(0640));
}

TEST_F(OutputFiles, AreRefusedAtOnceWhereTheyCannotBeWritten) {
    const auto message_of = [](const std::string& file) {
        try {
            const OutputFile refused(file);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("taken");
    };
    const auto reason = [](int error) { return ": " + std::generic_category().message(error); };
    EXPECT_TRUE(mentions(message_of(path("none/r.csv")), {path("none/r.csv"), reason(ENOENT)}));
    const std::string long_name = path(std::string(300, 'x'));
    EXPECT_TRUE(mentions(message_of(long_name), {long_name, reason(ENAMETOOLONG)}));
    fs::create_directory(path("folder"));
    EXPECT_TRUE(mentions(message_of(path("folder")), {path("folder"), reason(EISDIR)}));
    const std::string full(250, 'x'); // there is no longer name for the new file beside it
    put(full, "old");
    EXPECT_TRUE(mentions(message_of(path(full)), {path(full) + ": ", reason(ENAMETOOLONG)}));
    EXPECT_EQ(names(), (Names{"folder", full}));
}

TEST_F(OutputFiles, ThatAreDevicesAreWrittenDirectly) {
    OutputFile file("/dev/null");
    file.write("row");
    EXPECT_EQ(file.keep_partial(), std::nullopt);
    file.commit();
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(TerminalColumns, AreThoseOfItsWindowOrUsual) {
    const Terminal terminal;
    if (terminal.path().empty())
        GTEST_SKIP() << "the system gives no terminal";
    for (const auto& [set, columns] : {std::pair(0, 80U), {1, 1U}, {132, 132U}}) {
        winsize window{};
        window.ws_col = static_cast<unsigned short>(set);
        ioctl(terminal.descriptor(), TIOCSWINSZ, &window);
        EXPECT_EQ(terminal_columns(terminal.descriptor()), columns);
    }
    EXPECT_EQ(terminal_columns(-1), 80U);
}

TEST_F(OutputFiles, WithoutANameKeepWhatIsWrittenInMemory) {
    OutputFile file("");
    EXPECT_FALSE(file.is_file() || file.is_terminal());
    file.write("row");
    file.write(", row");
    file.commit();
    EXPECT_EQ(file.text(), "row, row");
    EXPECT_EQ(names(), Names{});
}

/// A descriptor that appends to a file.
class Appending {
public:
    explicit Appending(const std::string& path)
        : number_(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {}
    ~Appending() { close(number_); }

    Appending(const Appending&) = delete;
    Appending& operator=(const Appending&) = delete;
    Appending(Appending&&) = delete;
    Appending& operator=(Appending&&) = delete;

    [[nodiscard]] int number() const { return number_; }

private:
    int number_;
};

TEST_F(OutputFiles, ThatAreOpenDescriptorsOfTheProcessAreWrittenDirectly) {
    for (const std::string folder : {"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"}) {
        put("log", "old\n");
        const Appending log(path("log"));
        fs::create_symlink(folder + std::to_string(log.number()), path("link"));
        for (const std::string& name : {folder + std::to_string(log.number()), path("link")}) {
            OutputFile file(name);
            EXPECT_FALSE(file.is_file()) << name;
            file.write("row\n");
            file.commit();
        }
        EXPECT_EQ(text("log"), "old\nrow\nrow\n") << folder;
        EXPECT_EQ(names(), (Names{"link", "log"})) << "nothing may replace the file";
        fs::remove(path("link"));
    }
}

TEST_F(OutputFiles, ThatAreDescriptorsOfAFileWithoutANameAreWrittenDirectly) {
    const Appending log(path("log"));
    fs::remove(path("log"));
    OutputFile file("/dev/fd/" + std::to_string(log.number()));
    file.write("row");
    file.commit();
    struct stat there {};
    fstat(log.number(), &there);
    EXPECT_EQ(there.st_size, 3);
    EXPECT_EQ(names(), Names{});
}

TEST_F(OutputFiles, ThatAreOpenFilesOfAnotherProcessAreWrittenDirectly) {
    put("log", "old");
    const Appending log(path("log"));
    const pid_t other = fork();
    if (other == 0) {
        pause();
        _exit(0);
    }
    OutputFile("/proc/" + std::to_string(other) + "/fd/" + std::to_string(log.number())).write("new");
    kill(other, SIGKILL);
    waitpid(other, nullptr, 0);
    EXPECT_EQ(text("log"), "new");
    EXPECT_EQ(names(), Names{"log"});
}

TEST_F(OutputFiles, ThatAreDescriptorsNotOpenForWritingAreRefused) {
    put("log", "old");
    const int reads = open(path("log").c_str(), O_RDONLY | O_CLOEXEC);
    EXPECT_THROW(OutputFile("/dev/fd/" + std::to_string(reads)), Error);
    EXPECT_THROW(OutputFile("/proc/self/fd/987654"), Error);
    close(reads);
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    EXPECT_THROW(OutputFile("/dev/fd/" + std::to_string(ends[0])), Error) << "it has no flags at all";
    for (const int end : ends)
        close(end);
    EXPECT_EQ(text("log"), "old");
}

TEST_F(OutputFiles, AreRefusedWhereLinksLeadInACircle) {
    fs::create_symlink("b", path("a"));
    fs::create_symlink("a", path("b"));
    EXPECT_THROW(OutputFile(path("a")), Error);
}

TEST_F(OutputFiles, ThatAreFifosWaitForTheirReaderUnlessInterrupted) {
    ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
    const std::atomic<bool> interrupted = true;
    EXPECT_THROW(OutputFile(path("fifo"), interrupted), Error);
}

TEST_F(OutputFiles, WaitForAReaderThatTakesNothingUnlessInterrupted) {
    ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
    const std::fstream reader(path("fifo")); // for both, so that it need not wait for a writer
    const std::atomic<bool> interrupted = true;
    OutputFile file(path("fifo"), interrupted);
    file.write("what there is room for");
    EXPECT_THROW(file.write(std::string(std::size_t{1} << 22U, 'x')), Error);
}

} // namespace
} // namespace memtest

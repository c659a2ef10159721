#include "memtest/machine/arena.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"
#include "memtest/machine/descriptor.hpp"
#include "memtest/machine/disturbances.hpp"
#include "support/fake_system.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <mutex>
#include <system_error>
#include <tuple>

#ifndef MADV_POPULATE_WRITE // in headers older than Linux 5.14
#define MADV_POPULATE_WRITE 23
#endif

namespace {

int refused_advice = 0;
int refused_with = 0;                        // the error number; 0 where nothing is refused
std::atomic<bool>* interrupted_by = nullptr; // set by the first advice to fill memory

} // namespace

namespace {

int room_refusal = 0;                                // the error number; 0 where files get what they ask for
int room_refusals = -1;                              // so many times; negative for ever
std::vector<std::pair<off_t, off_t>> room_asked_for; // offset and bytes
std::mutex room_in_use;                              // threads of other tests ask for room as well

} // namespace

/// Takes the place of the C library's, for the tests of full file systems.
extern "C" int fallocate(int file, int mode, off_t offset, off_t bytes) {
    const std::scoped_lock lock(room_in_use);
    room_asked_for.emplace_back(offset, bytes);
    if (room_refusal == 0 || room_refusals == 0) {
        errno = mode == 0 ? posix_fallocate(file, offset, bytes) : EINVAL;
        return errno == 0 ? 0 : -1;
    }
    --room_refusals;
    errno = room_refusal;
    return -1;
}

/// Takes the place of the C library's, for the tests of kernels that refuse an advice.
extern "C" int madvise(void* memory, std::size_t bytes, int advice) noexcept {
    if (advice == MADV_POPULATE_WRITE && interrupted_by != nullptr)
        *std::exchange(interrupted_by, nullptr) = true;
    if (refused_with == 0 || advice != refused_advice)
        return static_cast<int>(syscall(SYS_madvise, memory, bytes, advice));
    errno = refused_with;
    return -1;
}

namespace memtest {
namespace {

std::size_t resident_bytes(std::span<std::byte> memory) {
    std::vector<unsigned char> pages(memory.size() / base_page_bytes());
    EXPECT_EQ(mincore(memory.data(), memory.size(), pages.data()), 0);
    return static_cast<std::size_t>(std::ranges::count_if(pages, [](unsigned char p) { return (p & 1U) != 0; })) *
           base_page_bytes();
}

TEST(Arena, GivesZeroedMemoryOfTheSizeAskedForAlignedToAPage) {
    const SystemFiles files;
    const Arena arena(3 * mib + 5, PageKind::system_default, files);
    EXPECT_EQ(arena.memory().size(), 3 * mib + 5);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arena.memory().data()) % base_page_bytes(), 0U);
    EXPECT_TRUE(std::ranges::all_of(arena.memory(), [](std::byte b) { return b == std::byte{0}; }));
}

TEST(Arena, GivesItsMemoryBack) {
    void* first = nullptr;
    unsigned char there = 0;
    {
        const Arena arena(base_page_bytes(), PageKind::base, SystemFiles());
        first = arena.memory().data();
        ASSERT_EQ(mincore(first, base_page_bytes(), &there), 0);
    }
    EXPECT_NE(mincore(first, base_page_bytes(), &there), 0);
    EXPECT_EQ(errno, ENOMEM) << "nothing is mapped there";
}

TEST(Arena, BeginsWhereATransparentHugePageCan) {
    const SystemFiles files;
    for (const PageKind kind : {PageKind::system_default, PageKind::base}) {
        for (int time = 0; time < 4; ++time) { // it may lie there by chance
            const Arena arena(5 * mib, kind, files);
            const auto begin = reinterpret_cast<std::uintptr_t>(arena.memory().data());
            EXPECT_EQ(begin % page_bytes_of(PageKind::transparent_huge, files), 0U);
        }
    }
}

TEST(Arena, HasEveryPageThereBeforeItIsFirstUsed) {
#ifdef MEMTEST_SANITIZED
    GTEST_SKIP() << "a sanitizer's own memory faults beside this";
#endif
    const SystemFiles files;
    std::uint64_t fewest_faults = 8 * mib / base_page_bytes();
    for (int attempt = 0; attempt < 5; ++attempt) { // the program's own pages fault now and then
        const Arena arena(8 * mib, PageKind::base, files);
        const std::uint64_t before = read_disturbances().faults;
        for (std::size_t at = 0; at < arena.memory().size(); at += base_page_bytes())
            arena.memory()[at] = std::byte{1};
        fewest_faults = std::min(fewest_faults, read_disturbances().faults - before);
    }
    EXPECT_EQ(fewest_faults, 0U);
}

TEST(Arena, OfBasePagesHasNoTransparentHugePages) {
    const SystemFiles files;
    const Arena arena(8 * mib, PageKind::base, files);
    const GrantedPages granted = arena.granted(files);
    EXPECT_EQ(granted.page_bytes, base_page_bytes());
    EXPECT_EQ(granted.transparent_bytes.value_or(0), 0U);
    EXPECT_EQ(granted.total_bytes, 8 * mib) << "no neighbour was joined to it";
    EXPECT_EQ(granted.transparent_page_bytes, page_bytes_of(PageKind::transparent_huge, files));
}

TEST(Arena, OfTransparentHugePagesSaysHowManyItGot) {
    const SystemFiles files;
    const std::string enabled = files.text("/sys/kernel/mm/transparent_hugepage/enabled").value_or("[never]");
    if (enabled.find("[never]") != std::string::npos)
        GTEST_SKIP() << "this system gives no transparent huge pages";
    const Arena arena(mib, PageKind::transparent_huge, files);
    const GrantedPages granted = arena.granted(files);
    ASSERT_TRUE(granted.transparent_bytes.has_value());
    EXPECT_LE(*granted.transparent_bytes, granted.total_bytes);
    EXPECT_EQ(granted.total_bytes % granted.transparent_page_bytes, 0U) << "whole huge pages, even for a small area";
}

/// Keeps other runs of the tests from what the whole system shares, while it lives.
class FileLock {
public:
    FileLock()
        : file_(open((std::filesystem::temp_directory_path() / "memtest-tests.lock").c_str(),
                     O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
        flock(file_.number(), LOCK_EX);
    }

private:
    Descriptor file_;
};

/// Huge pages that root reserves, as many as the system has beyond those that it had, and gives back at the end.
class ReservedHugePages {
public:
    explicit ReservedHugePages(std::uint64_t pages) : before_(reserved()) { reserve(before_ + pages); }
    ~ReservedHugePages() { reserve(before_); }

    ReservedHugePages(const ReservedHugePages&) = delete;
    ReservedHugePages& operator=(const ReservedHugePages&) = delete;
    ReservedHugePages(ReservedHugePages&&) = delete;
    ReservedHugePages& operator=(ReservedHugePages&&) = delete;

    [[nodiscard]] std::uint64_t got() const { return reserved() - before_; }

private:
    static constexpr const char* file = "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages";

    static std::uint64_t reserved() { return SystemFiles().number(file).value_or(0); }
    static void reserve(std::uint64_t pages) { std::ofstream(file) << pages; }

    std::uint64_t before_;
};

// One test, as others at the same time would find the pages that this one reserves.
TEST(Arena, OfReservedHugePagesIsInThemOrAnErrorWhereThereAreTooFew) {
    const FileLock lock;
    const SystemFiles files;
    if (files.number("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages").value_or(0) > 0)
        GTEST_SKIP() << "this system has reserved some";
    EXPECT_THROW(Arena(mib, PageKind::huge_2m, files), Error);
    const ReservedHugePages pages(2);
    if (pages.got() < 2)
        GTEST_SKIP() << "no huge pages can be reserved here";
    const Arena arena(3 * mib, PageKind::huge_2m, files);
    EXPECT_EQ(arena.memory().size(), 3 * mib);
    EXPECT_EQ(arena.granted(files).page_bytes, 2 * mib);
    EXPECT_EQ(arena.granted(files).total_bytes, 4 * mib);
    EXPECT_EQ(files.number("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages"), 0U) << "all are filled";
    EXPECT_THROW(Arena(mib, PageKind::huge_2m, files), Error);
}

class RefusedAdvice : public testing::Test {
protected:
    static void refuse(int advice, int error) {
        refused_advice = advice;
        refused_with = error;
    }
    ~RefusedAdvice() override { refused_with = 0; }
};

TEST_F(RefusedAdvice, ToFillMemoryIsFollowedByTouchingEveryPage) {
    for (const int error : {EINVAL, EPERM}) { // of a kernel before 5.14, of a filter
        refuse(MADV_POPULATE_WRITE, error);
        constexpr std::size_t bytes = 40 * mib; // filled in more than one portion
        const Arena arena(bytes, PageKind::base, SystemFiles());
        EXPECT_EQ(resident_bytes(arena.memory()), bytes);
        EXPECT_EQ(arena.memory().front(), std::byte{0});
    }
}

TEST_F(RefusedAdvice, ForLackOfMemoryIsAnErrorThatSaysSo) {
    for (const int error : {ENOMEM, EFAULT, EHWPOISON}) {
        refuse(MADV_POPULATE_WRITE, error);
        EXPECT_THROW(Arena(mib, PageKind::base, SystemFiles()), Error) << error;
    }
}

TEST_F(RefusedAdvice, OnHugePagesIsAnErrorUnlessThereAreNoneToAvoid) {
    refuse(MADV_NOHUGEPAGE, EPERM);
    EXPECT_THROW(Arena(mib, PageKind::base, SystemFiles()), Error);
    EXPECT_NO_THROW(Arena(mib, PageKind::system_default, SystemFiles()));
    refuse(MADV_NOHUGEPAGE, EINVAL);
    EXPECT_NO_THROW(Arena(mib, PageKind::base, SystemFiles()));
    refuse(MADV_HUGEPAGE, EINVAL);
    EXPECT_THROW(Arena(mib, PageKind::transparent_huge, SystemFiles()), Error);
}

TEST(Arena, LargerThanTheAddressSpaceIsAnErrorThatSaysWhatToDo) {
    const SystemFiles files;
    constexpr std::size_t bytes = std::numeric_limits<std::size_t>::max() / 4;
    try {
        const Arena arena(bytes, PageKind::system_default, files);
        FAIL() << "that much memory was given";
    } catch (const Error& error) {
        const std::size_t mapped_mib = bytes / mib + 1 + 2 * page_bytes_of(PageKind::transparent_huge, files) / mib;
        EXPECT_TRUE(mentions(error.what(), {fmt::format("{}.0 MiB", mapped_mib), "--max-size"}));
    }
}

class ArenaInAFile : public testing::Test {
protected:
    ArenaInAFile() {
        folder.add("/area", "");
        std::filesystem::resize_file(path, 8 * mib);
    }
    ~ArenaInAFile() override { room_refusal = refused_with = 0; }

    static void refuse_room(int error, int times) {
        room_refusal = error;
        room_refusals = times;
    }

    [[nodiscard]] MappedFile part(std::uint64_t offset) const {
        return {.path = path,
                .offset = offset,
                .page_bytes = base_page_bytes(),
                .file = std::make_shared<const Descriptor>(open(path.c_str(), O_RDWR | O_CLOEXEC))};
    }

    [[nodiscard]] char held_at(std::streamoff offset) const {
        std::ifstream file(path);
        file.seekg(offset);
        return static_cast<char>(file.get());
    }

    FakeSystem folder;
    std::string path = folder.root() / "area";
    SystemFiles files;
};

TEST_F(ArenaInAFile, IsThePartThatWasAskedFor) {
    {
        const Arena arena(2 * mib + 5, part(4 * mib), files);
        EXPECT_EQ(arena.memory().size(), 2 * mib + 5);
        arena.memory().front() = std::byte{'a'};
        arena.memory().back() = std::byte{'z'};
        EXPECT_EQ(arena.granted(files).total_bytes, 2 * mib + base_page_bytes()) << "no neighbour was joined to it";
    }
    EXPECT_EQ(held_at(4 * mib), 'a');
    EXPECT_EQ(held_at(6 * mib + 4), 'z');
    EXPECT_EQ(held_at(4 * mib - 1), 0);
}

TEST_F(ArenaInAFile, BeginsWhereAHugePageOfTheFileCan) {
    const std::size_t huge = page_bytes_of(PageKind::transparent_huge, files);
    for (const std::size_t offset : {std::size_t{0}, base_page_bytes(), 2 * mib}) {
        for (int time = 0; time < 4; ++time) { // it may lie there by chance
            const Arena arena(mib, part(offset), files);
            EXPECT_EQ((reinterpret_cast<std::uintptr_t>(arena.memory().data()) - offset) % huge, 0U) << offset;
        }
    }
}

TEST_F(ArenaInAFile, AsksForAllItsBlocksInPortionsBetweenWhichItMayBeInterrupted) {
    std::filesystem::resize_file(path, 41 * mib);
    room_asked_for.clear();
    const Arena arena(40 * mib, part(mib), files);
    EXPECT_EQ(room_asked_for,
              (std::vector<std::pair<off_t, off_t>>{{mib, 16 * mib}, {17 * mib, 16 * mib}, {33 * mib, 8 * mib}}));
}

TEST_F(ArenaInAFile, HasAllItsBlocksSoThatAWriteNeverFindsAFullFileSystem) {
    const Arena arena(4 * mib, part(mib), files);
    struct stat status {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_GE(static_cast<std::size_t>(status.st_blocks) * 512, 4 * mib);
}

TEST_F(ArenaInAFile, WithoutRoomIsAnErrorThatSaysWhatHelps) {
    const auto failure = [&](int error, Backing backing) {
        refuse_room(error, -1);
        MappedFile refused = part(0);
        refused.backing = backing;
        try {
            const Arena arena(4 * mib, refused, files);
        } catch (const Error& failed) {
            EXPECT_EQ(failed.status(), ExitStatus::failure);
            return std::string(failed.what());
        }
        return std::string("none");
    };
    for (const auto& [error, backing, remedy] : {std::tuple(ENOSPC, Backing::page_cache, "file system"),
                                                 {EDQUOT, Backing::page_cache, "file system"},
                                                 {ENOSPC, Backing::huge_pages, "huge pages"},
                                                 {ENOMEM, Backing::huge_pages, "huge pages"},
                                                 {ENOMEM, Backing::free_memory, "ulimit -v"}})
        EXPECT_TRUE(mentions(failure(error, backing), {"4.0 MiB", path, std::generic_category().message(error),
                                                       "--max-size", "--size", remedy}));
    const std::string other = failure(EIO, Backing::huge_pages);
    EXPECT_TRUE(mentions(other, {"4.0 MiB", path, std::generic_category().message(EIO)}));
    EXPECT_FALSE(mentions(other, {"--max-size"})) << "no size helps";
}

TEST_F(ArenaInAFile, OfASystemThatAllocatesNoBlocksIsFilledAllTheSame) {
    for (const int error : {EOPNOTSUPP, ENODEV, ENOSYS}) {
        refuse_room(error, -1);
        EXPECT_EQ(resident_bytes(Arena(mib, part(0), files).memory()), mib) << error;
    }
}

TEST_F(ArenaInAFile, ThatCannotBeFilledIsAnErrorThatNamesIt) {
    refused_advice = MADV_POPULATE_WRITE;
    refused_with = EFAULT;
    try {
        const Arena arena(mib, part(0), files);
        ADD_FAILURE() << "it was filled";
    } catch (const Error& error) {
        EXPECT_TRUE(mentions(error.what(), {"1.0 MiB", path}));
    }
}

TEST_F(ArenaInAFile, ASignalThatEndsTheAllocationEarlyIsNoFailure) {
    refuse_room(EINTR, 3);
    EXPECT_NO_THROW(Arena(mib, part(0), files));
    EXPECT_EQ(room_refusals, 0);
}

TEST_F(ArenaInAFile, ThatIsGoneIsAnError) {
    std::filesystem::remove(path);
    EXPECT_THROW(Arena(mib, part(0), files), Error);
}

class TruncatedFileDeathTest : public ArenaInAFile {
protected:
    void touch_a_lost_page(std::size_t place = 0) {
        const Arena arena(8 * mib, part(0), files);
        std::filesystem::resize_file(path, 0);
        const_cast<volatile std::byte&>(arena.memory()[place]) = std::byte{1};
    }
};

TEST_F(TruncatedFileDeathTest, EndsWithASentenceAndWithoutASignal) {
    for (const std::size_t place : {std::size_t{0}, std::size_t{8 * mib - 1}})
        EXPECT_EXIT(touch_a_lost_page(place), testing::ExitedWithCode(1), "^memtest: --memory: ");
}

TEST_F(TruncatedFileDeathTest, ASignalThatAnotherProcessSentEndsTheProgramAsEver) {
    const auto send_the_signal = [&] {
        const Arena arena(8 * mib, part(0), files);
        siginfo_t sent{};
        sent.si_signo = SIGBUS;
        sent.si_code = SI_QUEUE;
        sent.si_addr = &arena.memory().back();
        syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGBUS, &sent);
    };
    EXPECT_EXIT(send_the_signal(), testing::KilledBySignal(SIGBUS), "");
}

/// As the kernel does where an address has lost its page. Ends with status 7 where that is left to the system.
void signal_a_fault_at(std::byte* address) {
    siginfo_t fault{};
    fault.si_signo = SIGBUS;
    fault.si_code = BUS_ADRERR;
    fault.si_addr = address;
    syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGBUS, &fault);
    _exit(7); // it was left to the system, which would repeat a true one
}

TEST_F(TruncatedFileDeathTest, WatchesItsOwnMemoryAloneAsLongAsItIsThere) {
    const auto fault_at = [&](std::ptrdiff_t place) {
        const Arena arena(mib, part(0), files);
        { const Arena other(mib, PageKind::base, files); }
        signal_a_fault_at(arena.memory().data() + place);
    };
    EXPECT_EXIT(fault_at(0), testing::ExitedWithCode(1), "^memtest: --memory: ");
    EXPECT_EXIT(fault_at(mib - 1), testing::ExitedWithCode(1), "^memtest: --memory: ");
    EXPECT_EXIT(fault_at(mib), testing::ExitedWithCode(7), "");
    EXPECT_EXIT(fault_at(-1), testing::ExitedWithCode(7), "");
    const auto fault_where_it_was = [&] {
        std::byte* first = Arena(mib, part(0), files).memory().data();
        signal_a_fault_at(first);
    };
    EXPECT_EXIT(fault_where_it_was(), testing::ExitedWithCode(7), "");
}

TEST_F(TruncatedFileDeathTest, ALinkThatLeadsAnywhereEndsItWithTheSentenceToo) {
    const auto follow_an_overwritten_link = [&](bool has_file) {
        const std::optional<Arena> arena =
            has_file ? std::optional<Arena>(std::in_place, mib, part(0), files) : std::nullopt;
        static_cast<void>(
            *static_cast<volatile std::byte*>(mmap(nullptr, mib, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)));
    };
    EXPECT_EXIT(follow_an_overwritten_link(true), testing::ExitedWithCode(1), "^memtest: --memory: ");
#ifndef MEMTEST_SANITIZED // which takes the signal
    EXPECT_EXIT(follow_an_overwritten_link(false), testing::KilledBySignal(SIGSEGV), "");
#endif
}

TEST_F(TruncatedFileDeathTest, OtherMappingsEndTheProgramAsEver) {
    const auto touch_a_lost_page = [&] {
        const Arena arena(4 * mib, part(0), files);
        const auto file = part(0).file;
        void* other = mmap(nullptr, mib, PROT_READ | PROT_WRITE, MAP_SHARED, file->number(), 4 * mib);
        std::filesystem::resize_file(path, 4 * mib);
        *static_cast<volatile std::byte*>(other) = std::byte{1};
    };
    EXPECT_EXIT(touch_a_lost_page(), testing::KilledBySignal(SIGBUS), "");
}

TEST(Arena, InterruptedIsNotFilled) {
    const std::atomic<bool> interrupted{true};
    const Arena arena(8 * mib, PageKind::base, SystemFiles(), std::nullopt, interrupted);
    EXPECT_EQ(resident_bytes(arena.memory()), 0U);
    EXPECT_EQ(resident_bytes(Arena(8 * mib, PageKind::base, SystemFiles()).memory()), 8 * mib) << "else it is";
}

TEST(Arena, IsInterruptedWhileItIsFilled) {
    std::atomic<bool> interrupted{false};
    interrupted_by = &interrupted;
    const Arena arena(128 * mib, PageKind::base, SystemFiles(), std::nullopt, interrupted);
    EXPECT_TRUE(interrupted);
    const std::size_t filled = resident_bytes(arena.memory());
    EXPECT_TRUE(filled > 0 && filled < 128 * mib) << filled;
}

} // namespace
} // namespace memtest

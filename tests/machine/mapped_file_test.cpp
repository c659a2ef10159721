#include "memtest/machine/mapped_file.hpp"

#include "memtest/base/units.hpp"
#include "memtest/machine/pages.hpp"
#include "support/fake_system.hpp"
#include "support/refusal.hpp"
#include "support/terminal.hpp"
#include "support/test.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <filesystem>

namespace memtest {
namespace {

/// A file of the kernel's memory, all holes, which has a path while it is open.
class NamelessFile {
public:
    NamelessFile(std::uint64_t bytes, unsigned flags) : descriptor_(memfd_create("area", MFD_CLOEXEC | flags)) {
        EXPECT_TRUE(descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(bytes)) == 0);
    }
    ~NamelessFile() { close(descriptor_); }

    NamelessFile(const NamelessFile&) = delete;
    NamelessFile& operator=(const NamelessFile&) = delete;
    NamelessFile(NamelessFile&&) = delete;
    NamelessFile& operator=(NamelessFile&&) = delete;

    [[nodiscard]] bool is_there() const { return descriptor_ >= 0; }
    [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
    [[nodiscard]] int descriptor() const { return descriptor_; }

private:
    int descriptor_;
};

std::uint32_t file_system_of(const std::string& path) {
    struct statfs system {};
    return statfs(path.c_str(), &system) == 0 ? static_cast<std::uint32_t>(system.f_type) : 0;
}

class MemoryByName : public testing::Test {
protected:
    /// A file of this size, all holes but for the text at its begin.
    std::string file(std::uintmax_t bytes, const std::string& text = "") {
        system.add("/area", text);
        std::filesystem::resize_file(system.root() / "area", bytes);
        return system.root() / "area";
    }

    std::string refusal(const std::string& path, bool overwrite = true) {
        return refusal_of([&] { static_cast<void>(read_mapped_file(path, overwrite, system.files())); });
    }

    FakeSystem system;
};

TEST_F(MemoryByName, IsAsLargeAsTheFileInPagesOfItsFileSystem) {
    const MappedFile mapped = read_mapped_file(file(3 * mib), false, system.files());
    EXPECT_EQ(mapped.path, system.root() / "area");
    EXPECT_EQ(mapped.bytes, 3 * mib);
    EXPECT_EQ(mapped.page_bytes, base_page_bytes());
    EXPECT_FALSE(mapped.is_device);
}

TEST_F(MemoryByName, OfTmpfsIsFreeMemoryButForWhatItHolds) {
    const NamelessFile area(mib, 0);
    EXPECT_EQ(read_mapped_file(area.path(), false, system.files()).held_bytes, 0U) << "holes alone";
    ASSERT_EQ(posix_fallocate(area.descriptor(), 0, 100'000), 0);
    const MappedFile mapped = read_mapped_file(area.path(), false, system.files());
    EXPECT_GE(mapped.held_bytes, 100'000U) << "blocks without data";
    EXPECT_LT(mapped.held_bytes, 200'000U);
    EXPECT_EQ(mapped.backing, Backing::free_memory);
    EXPECT_EQ(mapped.part(0, 1).backing, Backing::free_memory);
    EXPECT_TRUE(mapped.takes_free_memory());
    EXPECT_FALSE(is_on_disk(area.path()));
}

TEST_F(MemoryByName, OfHugetlbfsIsReservedPagesOfItsSizeAndEmptyWithoutBlocks) {
    const NamelessFile area(4 * mib, MFD_HUGETLB);
    if (!area.is_there() || file_system_of(area.path()) != HUGETLBFS_MAGIC)
        GTEST_SKIP() << "no huge pages here";
    const MappedFile mapped = read_mapped_file(area.path(), false, system.files());
    EXPECT_EQ(mapped.backing, Backing::huge_pages);
    EXPECT_GT(mapped.page_bytes, base_page_bytes());
    EXPECT_EQ(mapped.page_bytes % (64 * kib), 0U);
    EXPECT_FALSE(mapped.takes_free_memory());
    EXPECT_FALSE(is_on_disk(area.path()));
}

TEST_F(MemoryByName, OnADiskTakesFreeMemoryAndHoldsNone) {
    const std::string path = file(mib, std::string(100'000, 'x'));
    if (file_system_of(path) == TMPFS_MAGIC)
        GTEST_SKIP() << "the folder for temporary files is on no disk";
    const MappedFile mapped = read_mapped_file(path, true, system.files());
    EXPECT_EQ(mapped.backing, Backing::page_cache);
    EXPECT_TRUE(mapped.takes_free_memory());
    EXPECT_EQ(mapped.held_bytes, 0U) << "what the page cache has counts as free";
    EXPECT_TRUE(is_on_disk(path));
    EXPECT_FALSE(is_on_disk(path + ".none"));
    EXPECT_FALSE(is_on_disk(system.root()));
}

TEST_F(MemoryByName, IsSharedOutInWholePages) {
    const MappedFile mapped{.path = "F", .bytes = 100 * kib + 5, .page_bytes = 4 * kib};
    EXPECT_EQ(mapped.share_bytes(1), 100 * kib);
    EXPECT_EQ(mapped.share_bytes(3), 32 * kib);
    const MappedFile last = mapped.part(2, 3);
    EXPECT_EQ(last.path, "F");
    EXPECT_EQ(last.offset, 64 * kib);
    EXPECT_EQ(last.bytes, 32 * kib);
    EXPECT_EQ(last.page_bytes, 4 * kib);
}

TEST_F(MemoryByName, ThatHoldsDataIsOverwrittenOnlyWhenThatIsAskedFor) {
    const std::string path = file(mib, "data");
    EXPECT_TRUE(mentions(refusal(path, false), {"--memory " + path + ": ", "--overwrite"}));
    EXPECT_EQ(refusal(path, true), "");
}

TEST_F(MemoryByName, ThatIsMeasuredElsewhereIsRefusedUntilThatEnds) {
    const std::string path = file(mib);
    std::optional<MappedFile> first = read_mapped_file(path, false, system.files());
    EXPECT_TRUE(mentions(refusal(path, false), {"--memory " + path + ": ", "another process"}));
    first.reset();
    EXPECT_EQ(refusal(path, false), "");
}

TEST_F(MemoryByName, ThatCannotBeMappedIsRefused) {
    const std::string root = system.root();
    EXPECT_TRUE(mentions(refusal(root + "/none"), {"--memory " + root + "/none: ", "truncate"}));
    EXPECT_TRUE(mentions(refusal(root), {"--memory " + root + ": ", "directory"}));
    ASSERT_EQ(mkfifo((root + "/pipe").c_str(), 0600), 0);
    EXPECT_TRUE(mentions(refusal(root + "/pipe"), {"--memory " + root + "/pipe: ", "DAX"}));
    EXPECT_TRUE(mentions(refusal("/dev/null"), {"--memory /dev/null: ", "DAX"}));
    const std::string name = "/proc/self/comm"; // not writable where /proc is mounted read-only
    EXPECT_TRUE(
        mentions(refusal(name), {"--memory " + name + ": ", access(name.c_str(), W_OK) == 0 ? "mapped" : "writing"}));
    const std::string online = "/sys/devices/system/cpu/online";
    if (file_system_of(online) == SYSFS_MAGIC) {
        EXPECT_TRUE(mentions(refusal(online), {"--memory " + online + ": ", "sysfs,"}));
    }
}

TEST_F(MemoryByName, ThatCannotBeWrittenIsRefused) {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe"); // for root, too, while it runs
    EXPECT_TRUE(mentions(refusal(program), {"--memory " + program + ": ", "writing"}));
}

TEST_F(MemoryByName, ThatIsSealedAgainstWritingIsRefused) {
    const NamelessFile area(mib, MFD_ALLOW_SEALING);
    EXPECT_EQ(refusal(area.path()), "");
    ASSERT_EQ(fcntl(area.descriptor(), F_ADD_SEALS, F_SEAL_WRITE), 0);
    EXPECT_TRUE(refusal(area.path()).starts_with("--memory " + area.path() + ": "));
}

TEST_F(MemoryByName, ThatIsStandardOutputIsRefused) {
    const std::string path = file(mib);
    system.add("/beside", std::string(4096, ' '));
    const int output = open(path.c_str(), O_WRONLY | O_APPEND);
    {
        const Redirected standard_output(STDOUT_FILENO, output);
        close(output);
        EXPECT_TRUE(refusal(path).starts_with("--memory " + path + ": "));
        EXPECT_EQ(refusal(system.root() / "beside"), "") << "another file of the same file system";
    }
    EXPECT_EQ(refusal(path), "");
}

TEST_F(MemoryByName, IsOpenedWithStandardInputClosed) {
    const std::string path = file(mib);
    const Redirected closed(STDIN_FILENO);
    EXPECT_EQ(refusal(path), "");
}

// Any device will do; the kernel's word on it is made up.
TEST_F(MemoryByName, OfADaxDeviceIsWhatTheKernelSaysAndIsOverwrittenOnlyWhenThatIsAskedFor) {
    system.add("/sys/dev/char/1:3/size", "4294967296\n");
    const auto subsystem = system.root() / "sys/dev/char/1:3/subsystem";
    std::filesystem::create_symlink("../../../../class/mem", subsystem);
    EXPECT_TRUE(mentions(refusal("/dev/null"), {"--memory /dev/null: ", "DAX"}))
        << "something of another kind has a size";
    std::filesystem::remove(subsystem);
    std::filesystem::create_symlink("../../../../bus/dax", subsystem);
    EXPECT_EQ(read_mapped_file("/dev/null", true, system.files()).page_bytes, 2 * mib) << "of an older kernel";
    system.add("/sys/dev/char/1:3/align", "1073741824\n");
    const MappedFile mapped = read_mapped_file("/dev/null", true, system.files());
    EXPECT_EQ(mapped.bytes, 4096 * mib);
    EXPECT_EQ(mapped.page_bytes, 1024 * mib);
    EXPECT_TRUE(mapped.is_device);
    EXPECT_FALSE(mapped.takes_free_memory());
    EXPECT_TRUE(mentions(refusal("/dev/null", false), {"--memory /dev/null: ", "--overwrite"}));
}

TEST(MountPoint, IsAFileThatTheKernelListsAsOne) {
    const FakeSystem folder;
    folder.add("/a file", "");
    folder.add("/other", "");
    const std::string path = std::filesystem::canonical(folder.root()).string();
    folder.add("/proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
                                       "90 22 8:1 /x " +
                                           path + "/a\\040file rw,relatime - ext4 /dev/sda1 rw\n");
    EXPECT_TRUE(is_mount_point(path + "/a file", folder.files()));
    EXPECT_FALSE(is_mount_point(path + "/other", folder.files()));
    EXPECT_FALSE(is_mount_point(path + "/missing", folder.files()));
    EXPECT_FALSE(is_mount_point(path + "/a file", FakeSystem().files())) << "it lists none";
}

} // namespace
} // namespace memtest

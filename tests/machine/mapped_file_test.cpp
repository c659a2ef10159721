#include "memtest/machine/mapped_file.hpp"

#include "memtest/base/units.hpp"
#include "memtest/machine/pages.hpp"
#include "support/fake_system.hpp"
#include "support/refusal.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

namespace memtest {
namespace {

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
    EXPECT_EQ(mapped.held_bytes, 0U) << "holes alone";
    EXPECT_FALSE(mapped.is_device);
}

TEST_F(MemoryByName, KnowsWhatAFileAlreadyHolds) {
    const MappedFile mapped = read_mapped_file(file(mib, std::string(100'000, 'x')), true, system.files());
    EXPECT_GE(mapped.held_bytes, 100'000U);
    EXPECT_LT(mapped.held_bytes, mib);
}

TEST_F(MemoryByName, IsSharedOutInWholePages) {
    const MappedFile mapped{.path = "F", .bytes = 100 * kib + 5, .page_bytes = 4 * kib};
    EXPECT_EQ(mapped.share_bytes(1), 100 * kib);
    EXPECT_EQ(mapped.share_bytes(3), 32 * kib);
    const FilePart last = mapped.part(2, 3);
    EXPECT_EQ(last.path, "F");
    EXPECT_EQ(last.offset, 64 * kib);
    EXPECT_EQ(last.page_bytes, 4 * kib);
}

TEST_F(MemoryByName, ThatHoldsDataIsOverwrittenOnlyWhenThatIsAskedFor) {
    const std::string path = file(mib, "data");
    EXPECT_EQ(refusal(path, false), "--memory " + path + ": holds data, which would be lost; give --overwrite, too");
    EXPECT_EQ(refusal(path, true), "");
}

TEST_F(MemoryByName, ThatCannotBeMappedIsRefused) {
    const std::string root = system.root();
    EXPECT_EQ(refusal(root + "/none"), "--memory " + root +
                                           "/none: No such file or directory; make it with: truncate -s SIZE " + root +
                                           "/none");
    EXPECT_EQ(refusal(root), "--memory " + root + ": is a directory; name a file in it");
    ASSERT_EQ(mkfifo((root + "/pipe").c_str(), 0600), 0);
    EXPECT_EQ(refusal(root + "/pipe"), "--memory " + root + "/pipe: is neither a file nor a DAX device");
    EXPECT_EQ(refusal("/dev/null"),
              "--memory /dev/null: is no DAX device: the kernel does not say how large its memory is");
}

TEST_F(MemoryByName, ThatCannotBeWrittenIsRefused) {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe"); // for root, too, while it runs
    EXPECT_TRUE(refusal(program).starts_with("--memory " + program + ": cannot be opened for writing: ")) << program;
}

// Any device will do; the kernel's word on it is made up.
TEST_F(MemoryByName, OfADaxDeviceIsWhatTheKernelSaysAndIsOverwrittenOnlyWhenThatIsAskedFor) {
    system.add("/sys/dev/char/1:3/size", "4294967296\n");
    EXPECT_EQ(read_mapped_file("/dev/null", true, system.files()).page_bytes, 2 * mib) << "of an older kernel";
    system.add("/sys/dev/char/1:3/align", "1073741824\n");
    const MappedFile mapped = read_mapped_file("/dev/null", true, system.files());
    EXPECT_EQ(mapped.bytes, 4096 * mib);
    EXPECT_EQ(mapped.page_bytes, 1024 * mib);
    EXPECT_TRUE(mapped.is_device);
    EXPECT_FALSE(mapped.takes_free_memory);
    EXPECT_EQ(refusal("/dev/null", false),
              "--memory /dev/null: is a device, whose data would be lost; give --overwrite, too");
}

} // namespace
} // namespace memtest

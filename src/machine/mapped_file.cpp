#include "memtest/machine/mapped_file.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"
#include "memtest/machine/pages.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace memtest {
namespace {

Error refused(const std::string& path, std::string_view reason) {
    return usage_error(fmt::format("--memory {}: {}", path, reason));
}

/// Holes alone are no data. Where the file system does not tell holes from data, a file without blocks has none.
bool holds_data(const OpenFile& file, const struct stat& status) {
    return status.st_blocks > 0 && (lseek(file.descriptor(), 0, SEEK_DATA) >= 0 || errno != ENXIO);
}

/// @throws Error (usage) for other devices than DAX, of which the kernel gives no size
MappedFile read_device(const std::string& path, const struct stat& status, const SystemFiles& files) {
    const std::string directory = fmt::format("/sys/dev/char/{}:{}", major(status.st_rdev), minor(status.st_rdev));
    const auto bytes = files.number(directory + "/size");
    if (!bytes)
        throw refused(path, "is no DAX device: the kernel does not say how large its memory is");
    const auto alignment = files.number(directory + "/align"); // older kernels have 2 MiB
    return {.path = path, .bytes = *bytes, .page_bytes = alignment.value_or(2 * mib), .is_device = true};
}

MappedFile read_regular_file(const std::string& path, const OpenFile& file, const struct stat& status) {
    MappedFile mapped{.path = path,
                      .bytes = static_cast<std::uint64_t>(status.st_size),
                      .page_bytes = base_page_bytes(),
                      .held_bytes = static_cast<std::uint64_t>(status.st_blocks) * 512};
    struct statfs system {};
    if (fstatfs(file.descriptor(), &system) != 0)
        throw refused(path, system_reason());
    const auto kind = static_cast<std::uint32_t>(system.f_type);
    if (kind == HUGETLBFS_MAGIC)
        mapped.page_bytes = static_cast<std::uint64_t>(system.f_bsize);
    mapped.takes_free_memory = kind == TMPFS_MAGIC || kind == RAMFS_MAGIC;
    return mapped;
}

} // namespace

OpenFile::OpenFile(const std::string& path) : descriptor_(open(path.c_str(), O_RDWR | O_CLOEXEC)) {
    if (descriptor_ < 0)
        throw refused(path, "cannot be opened for writing: " + system_reason());
}

OpenFile::~OpenFile() {
    close(descriptor_);
}

MappedFile read_mapped_file(const std::string& path, bool overwrite, const SystemFiles& files) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) {
        const bool is_missing = errno == ENOENT;
        throw refused(path,
                      system_reason() + (is_missing ? fmt::format("; make it with: truncate -s SIZE {}", path) : ""));
    }
    if (S_ISDIR(status.st_mode))
        throw refused(path, "is a directory; name a file in it");
    if (!S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode))
        throw refused(path, "is neither a file nor a DAX device");
    const bool is_device = S_ISCHR(status.st_mode);
    MappedFile mapped = is_device ? read_device(path, status, files) : MappedFile{}; // opening others may do something
    const OpenFile file(path);
    if (!is_device)
        mapped = read_regular_file(path, file, status);
    if (!overwrite && is_device)
        throw refused(path, "is a device, whose data would be lost; give --overwrite, too");
    if (!overwrite && holds_data(file, status))
        throw refused(path, "holds data, which would be lost; give --overwrite, too");
    return mapped;
}

} // namespace memtest

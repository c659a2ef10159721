#include "memtest/machine/mapped_file.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/machine/pages.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

// Older headers lack it. The value is part of the kernel's interface.
#ifndef STATX_ATTR_DAX
#define STATX_ATTR_DAX 0x00200000
#endif

namespace memtest {
namespace {

Error refused(const std::string& path, std::string_view reason) {
    return usage_error(fmt::format("--memory {}: {}", shown(path), reason));
}

/// The type number of the file system; std::nullopt if the system refuses.
std::optional<std::uint32_t> file_system_of(const std::string& path) {
    struct statfs system {};
    return statfs(path.c_str(), &system) == 0 ? std::optional(static_cast<std::uint32_t>(system.f_type)) : std::nullopt;
}

Backing backing_of(const std::string& path, std::uint32_t file_system) {
    if (file_system == HUGETLBFS_MAGIC)
        return Backing::huge_pages;
    if (file_system == TMPFS_MAGIC || file_system == RAMFS_MAGIC)
        return Backing::free_memory;
    struct statx status {};
    const bool is_on_dax =
        statx(AT_FDCWD, path.c_str(), 0, 0, &status) == 0 && (status.stx_attributes & STATX_ATTR_DAX) != 0;
    return is_on_dax ? Backing::own_memory : Backing::page_cache;
}

/// Holes alone are no data. Hugetlbfs does not distinguish holes from data, and others do not count blocks.
bool holds_data(const MappedFile& mapped, const struct stat& status) {
    if (mapped.backing == Backing::huge_pages)
        return status.st_blocks > 0;
    return lseek(mapped.file->number(), 0, SEEK_DATA) >= 0 || errno != ENXIO;
}

/// Tries to map it, without reserving a huge page or growing a file. @throws Error (usage) if the system refuses
void check_mapping(const MappedFile& mapped) {
    const auto bytes = static_cast<std::size_t>(mapped.page_bytes);
    void* mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, mapped.file->number(), 0);
    if (mapping == MAP_FAILED) // NOLINT(performance-no-int-to-ptr): the system's macro
        throw refused(mapped.path, "cannot be mapped: " + system_reason());
    munmap(mapping, bytes);
}

/// @throws Error (usage) for devices other than DAX
MappedFile read_device(const std::string& path, const struct stat& status, const SystemFiles& files) {
    const std::string directory = fmt::format("/sys/dev/char/{}:{}", major(status.st_rdev), minor(status.st_rdev));
    const auto bytes = files.number(directory + "/size");
    if (!bytes || !files.link(directory + "/subsystem").value_or("").ends_with("/dax"))
        throw refused(path, "is not a DAX device");
    const auto alignment = files.number(directory + "/align").value_or(0); // older kernels have 2 MiB
    return {.path = path,
            .bytes = *bytes,
            .page_bytes = std::has_single_bit(alignment) ? alignment : 2 * mib,
            .is_device = true};
}

/// @throws Error (usage) for a device register that sysfs shows as a file
MappedFile read_regular_file(const std::string& path, const struct stat& status) {
    const auto file_system = file_system_of(path);
    if (!file_system)
        throw refused(path, system_reason());
    if (*file_system == SYSFS_MAGIC)
        throw refused(path, "is a file of sysfs, which is not memory");
    MappedFile mapped{.path = path,
                      .bytes = static_cast<std::uint64_t>(status.st_size),
                      .page_bytes = base_page_bytes(),
                      .backing = backing_of(path, *file_system)};
    if (mapped.backing == Backing::huge_pages)
        mapped.page_bytes = static_cast<std::uint64_t>(status.st_blksize);
    if (mapped.backing == Backing::free_memory)
        mapped.held_bytes = static_cast<std::uint64_t>(status.st_blocks) * 512;
    return mapped;
}

} // namespace

bool is_on_disk(const std::string& path) {
    struct stat status {};
    const auto file_system = file_system_of(path);
    return file_system && stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           backing_of(path, *file_system) == Backing::page_cache;
}

bool is_mount_point(const std::string& path, const SystemFiles& files) {
    std::error_code missing;
    std::string name; // as the kernel writes it
    for (const char c : std::filesystem::canonical(path, missing).string())
        name += c == ' ' || c == '\t' || c == '\n' || c == '\\' ? fmt::format("\\{:03o}", c) : std::string(1, c);
    std::istringstream lines(files.text("/proc/self/mountinfo").value_or(""));
    for (std::string line; !missing && std::getline(lines, line);) { // number, parent, device, root, mount point, ...
        std::istringstream words(line);
        std::string word;
        for (int place = 0; place < 5; ++place)
            words >> word;
        if (words && word == name)
            return true;
    }
    return false;
}

MappedFile read_mapped_file(const std::string& path, bool overwrite, const SystemFiles& files) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) {
        const bool is_missing = errno == ENOENT;
        throw refused(path, system_reason() + (is_missing ? "; create it with truncate -s SIZE" : ""));
    }
    if (S_ISDIR(status.st_mode))
        throw refused(path, "is a directory; name a file in it");
    if (!S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode))
        throw refused(path, "is neither a file nor a DAX device");
    struct stat output {};
    if (S_ISREG(status.st_mode) && fstat(STDOUT_FILENO, &output) == 0 && output.st_dev == status.st_dev &&
        output.st_ino == status.st_ino)
        throw refused(path, "is also standard output, which would overwrite it; write the result to another file");
    const bool is_device = S_ISCHR(status.st_mode);
    MappedFile mapped = is_device ? read_device(path, status, files) : read_regular_file(path, status);
    const int opened = open(path.c_str(), O_RDWR | O_CLOEXEC); // not earlier: opening another device may have effects
    if (opened < 0)
        throw refused(path, "cannot be opened for writing: " + system_reason());
    mapped.file = std::make_shared<const Descriptor>(opened);
    if (!overwrite && is_device)
        throw refused(path, "is a device whose data would be lost; add --overwrite");
    if (flock(mapped.file->number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        throw refused(path, "is being measured by another process; wait until it ends");
    if (!is_device)
        check_mapping(mapped);
    if (!overwrite && holds_data(mapped, status))
        throw refused(path, "holds data that would be lost; add --overwrite");
    return mapped;
}

} // namespace memtest

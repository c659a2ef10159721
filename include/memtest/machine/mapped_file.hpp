#pragma once

#include "memtest/machine/descriptor.hpp"
#include "memtest/machine/system_files.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace memtest {

/// What backs the pages of a mapped file.
enum class Backing {
    own_memory,  ///< memory of a DAX device, or of a file system on one
    huge_pages,  ///< reserved ones: hugetlbfs
    free_memory, ///< tmpfs, ramfs
    page_cache,  ///< of any other file system, which writes them back to its disk
};

/// A file or DAX device that is measured instead of the program's own memory, or the part of it that one area maps.
struct MappedFile {
    std::string path{};       ///< for messages
    std::uint64_t offset = 0; ///< where the part begins
    std::uint64_t bytes = 0;
    std::uint64_t page_bytes = 0; ///< it is mapped in whole pages of this size
    bool is_device = false;
    Backing backing = Backing::own_memory;
    std::uint64_t held_bytes = 0; ///< of free memory, for pages that it already has
    /// The examined file, even if another now has its path. Locked against other runs, whose chains would be
    /// overwritten.
    std::shared_ptr<const Descriptor> file = nullptr;

    /// Whether pages that it does not have yet take free memory.
    [[nodiscard]] bool takes_free_memory() const {
        return backing == Backing::free_memory || backing == Backing::page_cache;
    }

    /// What each of several threads gets, in whole pages.
    [[nodiscard]] std::uint64_t share_bytes(std::size_t threads) const {
        return bytes / threads / page_bytes * page_bytes;
    }

    /// The part of the thread with this number.
    [[nodiscard]] MappedFile part(std::size_t number, std::size_t threads) const {
        MappedFile part = *this;
        part.bytes = share_bytes(threads);
        part.offset = number * part.bytes;
        return part;
    }
};

/// Whether it is a file in the page cache.
[[nodiscard]] bool is_on_disk(const std::string& path);

/// Whether something is mounted on the file, as a container's volume may be: it cannot be replaced by another then.
[[nodiscard]] bool is_mount_point(const std::string& path, const SystemFiles& files);

/// Examines a file to be measured, checks that it can be written, and locks it.
/// @param overwrite accept a file that holds data; for a device that cannot be known
/// @param files for what the kernel reports about a device @throws Error (usage) if it cannot be measured
[[nodiscard]] MappedFile read_mapped_file(const std::string& path, bool overwrite, const SystemFiles& files);

} // namespace memtest

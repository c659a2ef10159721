#pragma once

#include "memtest/base/error.hpp"
#include "memtest/base/never_interrupted.hpp"
#include "memtest/machine/mapped_file.hpp"
#include "memtest/machine/pages.hpp"
#include "memtest/machine/system_files.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

namespace memtest {

/// Whether the kernel lets this process ask for transparent huge pages, if it has any.
[[nodiscard]] bool may_request_huge_pages();

/// A memory area of one kind of page, given back when it goes out of scope.
class Arena {
public:
    /// Maps at least `bytes` and writes to every page, so that none is the shared zero page and none faults later.
    /// @param node that provides all of it; none: the calling thread's, while that has memory
    /// @param interrupted ends the filling early
    /// @throws Error if the system refuses
    Arena(std::size_t bytes, PageKind pages, const SystemFiles& files, std::optional<int> node = std::nullopt,
          const std::atomic<bool>& interrupted = never_interrupted);

    /// The same for a part of a file, which keeps what is written to it.
    /// @throws Error also if its file system has no space for it
    Arena(std::size_t bytes, const MappedFile& part, const SystemFiles& files,
          const std::atomic<bool>& interrupted = never_interrupted);

    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    Arena(Arena&&) = delete;
    Arena& operator=(Arena&&) = delete;
    ~Arena() = default;

    /// The requested memory, page-aligned; all zero unless it is a file's.
    [[nodiscard]] std::span<std::byte> memory() const noexcept { return {first_, bytes_}; }

    /// The pages that the kernel reports it gave.
    [[nodiscard]] GrantedPages granted(const SystemFiles& files) const;

private:
    void reserve(std::size_t bytes, std::size_t alignment);
    /// @return false if the system is out of memory; errno says why
    [[nodiscard]] bool fill(std::size_t bytes, const std::atomic<bool>& interrupted) const;

    struct Unmap {
        std::size_t bytes;
        void operator()(std::byte* mapping) const noexcept;
    };

    std::unique_ptr<std::byte, Unmap> mapping_;
    std::byte* first_ = nullptr;
    std::size_t bytes_ = 0;
};

} // namespace memtest

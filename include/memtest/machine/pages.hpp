#pragma once

#include "memtest/base/words.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memtest {

class SystemFiles;

/// The kinds of pages that memory can have.
enum class PageKind {
    system_default,   ///< whatever the system's policy gives
    base,             ///< base pages only (4 KiB on most machines), no transparent huge pages
    transparent_huge, ///< transparent huge pages, as far as the kernel finds them
    huge_2m,          ///< reserved 2 MiB pages of hugetlbfs
    huge_1g,          ///< reserved 1 GiB pages of hugetlbfs
};

template<>
inline constexpr std::array<Word<PageKind>, 5> word_table<PageKind>{{{PageKind::system_default, "default"},
                                                                     {PageKind::base, "4k"},
                                                                     {PageKind::transparent_huge, "thp"},
                                                                     {PageKind::huge_2m, "2m"},
                                                                     {PageKind::huge_1g, "1g"}}};

/// The pages of an area, as the kernel reports them.
struct GrantedPages {
    std::size_t page_bytes = 0; ///< the area's page size; 0 if the kernel does not report it
    /// How much of it is in transparent huge pages, if the kernel reports it.
    std::optional<std::uint64_t> transparent_bytes = std::nullopt;
    std::size_t transparent_page_bytes = 0; ///< the size of those
    std::uint64_t total_bytes = 0;
};

/// Whether all of the area is in pages of this size or larger; true if the kernel does not report it.
[[nodiscard]] bool is_all_in_pages_of(const GrantedPages& granted, std::size_t page_bytes);

/// The base page size in bytes.
[[nodiscard]] std::size_t base_page_bytes();

/// The size in bytes of a page of this kind, or the base page size if the kind does not fix one.
[[nodiscard]] std::size_t page_bytes_of(PageKind kind, const SystemFiles& files);

/// The system's policy for transparent huge pages: always, madvise or never (also if this process is denied them);
/// empty if unknown.
[[nodiscard]] std::string transparent_policy(const SystemFiles& files);

/// Refuses transparent huge pages or a page size that this kernel lacks, and too few reserved huge pages; the message
/// then gives the number needed and the command to reserve them.
/// @param nodes of the areas, one for each; empty: any @throws Error (usage)
void check_pages_available(PageKind kind, std::uint64_t bytes_per_area, unsigned areas, const std::vector<int>& nodes,
                           const SystemFiles& files);

/// How much memory of this reserved kind is free on a node. std::nullopt if the kernel has no such pages.
[[nodiscard]] std::optional<std::uint64_t> free_reserved_bytes(PageKind kind, int node, const SystemFiles& files);

/// Whether the kind takes its memory from its own reserve, so that free memory is not the limit.
[[nodiscard]] constexpr bool is_reserved(PageKind kind) {
    return kind == PageKind::huge_2m || kind == PageKind::huge_1g;
}

/// The entry for this address in the text of `/proc/self/smaps`.
[[nodiscard]] GrantedPages parse_smaps(const std::string& smaps, std::uintptr_t address);

} // namespace memtest

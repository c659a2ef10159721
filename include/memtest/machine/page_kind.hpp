#pragma once

#include "memtest/base/words.hpp"

#include <array>

namespace memtest {

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

} // namespace memtest

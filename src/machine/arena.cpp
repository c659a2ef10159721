#include "memtest/machine/arena.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"
#include "memtest/machine/numa.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

// Older headers lack these. The values are part of the kernel's interface.
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MAP_HUGE_SHIFT
#define MAP_HUGE_SHIFT 26
#endif

namespace memtest {
namespace {

constexpr unsigned log2_2m = 21;
constexpr unsigned log2_1g = 30;

// Filled between two looks for an interruption: a tenth of a second where the system takes 6 s per GiB. Holds whole
// pages of up to 2 MiB. In a larger page, each portion asks for the same page again, which costs nothing.
constexpr std::size_t filled_at_once = std::size_t{16} << 20U;

Error no_memory(std::size_t bytes) {
    return Error(
        fmt::format("cannot get {:.1f} MiB of memory: {}; give a smaller --max-size (loaded: --size) or raise the "
                    "limit (ulimit -v, control group)",
                    static_cast<double>(bytes) / (1024.0 * 1024.0), std::generic_category().message(errno)));
}

std::byte* map(std::size_t bytes, int protection, unsigned huge_page_log2) {
    unsigned flags = MAP_PRIVATE | MAP_ANONYMOUS;
    if (huge_page_log2 != 0)
        flags |= MAP_HUGETLB | (huge_page_log2 << unsigned{MAP_HUGE_SHIFT});
    void* mapping = mmap(nullptr, bytes, protection, static_cast<int>(flags), -1, 0);
    if (mapping == MAP_FAILED) // NOLINT(performance-no-int-to-ptr): the system's macro
        throw no_memory(bytes);
    return static_cast<std::byte*>(mapping);
}

/// Tells the kernel whether to use transparent huge pages. A kernel without them answers EINVAL, which is no failure
/// where they are to be avoided.
void advise_pages(std::byte* memory, std::size_t bytes, PageKind pages) {
    if (pages == PageKind::base && madvise(memory, bytes, MADV_NOHUGEPAGE) != 0 && errno != EINVAL)
        throw Error(fmt::format("--pages 4k: the kernel cannot avoid transparent huge pages: {}",
                                std::generic_category().message(errno)));
    if (pages == PageKind::transparent_huge && madvise(memory, bytes, MADV_HUGEPAGE) != 0)
        throw Error(fmt::format("--pages thp: the kernel has no transparent huge pages: {}",
                                std::generic_category().message(errno)));
}

} // namespace

Arena::Arena(std::size_t bytes, PageKind pages, const SystemFiles& files, std::optional<int> node,
             const std::atomic<bool>& interrupted)
    : bytes_(bytes) {
    const std::size_t page = page_bytes_of(pages, files);
    const std::size_t filled_bytes = rounded_up(bytes, page);
    if (is_reserved(pages)) {
        first_ = map(filled_bytes, PROT_READ | PROT_WRITE, pages == PageKind::huge_2m ? log2_2m : log2_1g);
        mapping_ = {first_, Unmap{filled_bytes}};
    } else {
        // Aligned for transparent huge pages in every kind, so that kinds differ in their pages alone. The inaccessible
        // rest keeps the kernel from joining it with a neighbour, whose pages would be counted, too.
        const std::size_t alignment = page_bytes_of(PageKind::transparent_huge, files);
        const std::size_t mapping_bytes = capped_sum(filled_bytes, 2 * alignment);
        mapping_ = {map(mapping_bytes, PROT_NONE, 0), Unmap{mapping_bytes}};
        const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(mapping_.get()) % alignment;
        first_ = mapping_.get() + (alignment - misaligned);
        if (mprotect(first_, filled_bytes, PROT_READ | PROT_WRITE) != 0)
            throw no_memory(bytes);
    }
    advise_pages(first_, filled_bytes, pages);
    if (node)
        bind_to_numa_node({first_, filled_bytes}, *node, files);
    fill(filled_bytes, interrupted);
}

void Arena::Unmap::operator()(std::byte* mapping) const noexcept {
    munmap(mapping, bytes);
}

void Arena::fill(std::size_t bytes, const std::atomic<bool>& interrupted) const {
    for (std::size_t at = 0; at < bytes && !interrupted.load(std::memory_order_relaxed); at += filled_at_once) {
        const std::size_t portion = std::min(filled_at_once, bytes - at);
        if (madvise(first_ + at, portion, MADV_POPULATE_WRITE) == 0)
            continue;
        if (errno == ENOMEM || errno == EFAULT || errno == EHWPOISON)
            throw no_memory(bytes);
        // Kernels before 5.14 lack this advice, and a seccomp filter may refuse it.
        volatile std::byte* memory = first_ + at;
        for (std::size_t page = 0; page < portion; page += base_page_bytes())
            memory[page] = std::byte{0};
    }
}

GrantedPages Arena::granted(const SystemFiles& files) const {
    GrantedPages granted =
        parse_smaps(files.text("/proc/self/smaps").value_or(""), reinterpret_cast<std::uintptr_t>(first_));
    granted.transparent_page_bytes = page_bytes_of(PageKind::transparent_huge, files);
    return granted;
}

} // namespace memtest

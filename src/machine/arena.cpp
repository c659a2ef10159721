#include "memtest/machine/arena.hpp"

#include "memtest/base/units.hpp"
#include "memtest/machine/numa.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
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

// Filled between two checks for an interruption: a tenth of a second if the system takes 6 s per GiB. Holds whole pages
// of up to 2 MiB. In a larger page, each portion requests the same page again, which costs nothing.
constexpr std::size_t filled_at_once = std::size_t{16} << 20U;

constexpr std::string_view raise_limit = "raise the limit (ulimit -v or -d, control group)";

/// @param reason the system's error number @param remedy besides a smaller size; empty if no size helps
Error no_memory(std::size_t bytes, std::string_view source, int reason, std::string_view remedy) {
    return Error(fmt::format("cannot get {:.1f} MiB of {}: {}{}{}", static_cast<double>(bytes) / (1024.0 * 1024.0),
                             source, std::generic_category().message(reason),
                             remedy.empty() ? "" : "; give a smaller --max-size or --size, or ", remedy));
}

/// The error for the program's own memory.
Error no_memory(std::size_t bytes) {
    return no_memory(bytes, "memory", errno, raise_limit);
}

Error no_memory(std::size_t bytes, const MappedFile& part) {
    const int reason = errno;
    const bool is_full = reason == ENOSPC || reason == EDQUOT;
    std::string_view remedy;
    if (part.backing == Backing::huge_pages && (is_full || reason == ENOMEM))
        remedy = "reserve more huge pages";
    else if (is_full)
        remedy = "free space in its file system; the file keeps what it has taken";
    else if (reason == ENOMEM)
        remedy = raise_limit;
    return no_memory(bytes, part.path, reason, remedy);
}

std::byte* map(std::size_t bytes, int protection, unsigned huge_page_log2 = 0) {
    unsigned flags = MAP_PRIVATE | MAP_ANONYMOUS;
    if (huge_page_log2 != 0)
        flags |= MAP_HUGETLB | (huge_page_log2 << unsigned{MAP_HUGE_SHIFT});
    void* mapping = mmap(nullptr, bytes, protection, static_cast<int>(flags), -1, 0);
    if (mapping == MAP_FAILED) // NOLINT(performance-no-int-to-ptr): the system's macro
        throw no_memory(bytes);
    return static_cast<std::byte*>(mapping);
}

/// Tells the kernel whether to use transparent huge pages. A kernel without them answers EINVAL, which is no failure if
/// they are to be avoided.
void advise_pages(std::byte* memory, std::size_t bytes, PageKind pages) {
    if (pages == PageKind::base && madvise(memory, bytes, MADV_NOHUGEPAGE) != 0 && errno != EINVAL)
        throw Error(fmt::format("--pages 4k: the kernel cannot avoid transparent huge pages: {}",
                                std::generic_category().message(errno)));
    if (pages == PageKind::transparent_huge && madvise(memory, bytes, MADV_HUGEPAGE) != 0)
        throw Error(fmt::format("--pages thp: the kernel has no transparent huge pages: {}",
                                std::generic_category().message(errno)));
}

/// Allocates blocks for the holes of a file. Otherwise the first write to a page for which a full file system has no
/// block would end the program by SIGBUS. That still happens if another program truncates the file, or if a
/// copy-on-write file system finds no other block. Files without blocks, such as devices, need none.
void allocate(const MappedFile& part, std::size_t bytes, const std::atomic<bool>& interrupted) {
    for (std::size_t at = 0; at < bytes && !interrupted.load(std::memory_order_relaxed);) {
        const std::size_t portion = std::min(filled_at_once, bytes - at);
        if (fallocate(part.file->number(), 0, static_cast<off_t>(part.offset + at), static_cast<off_t>(portion)) == 0)
            at += portion;
        else if (errno == EOPNOTSUPP || errno == ENODEV || errno == ENOSYS)
            return;
        else if (errno != EINTR)
            throw no_memory(bytes, part);
    }
}

/// The calling thread's memory from a file: each thread makes and walks its own.
thread_local std::span<const std::byte> file_memory; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

std::atomic<bool> is_ending{false}; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

/// Ends the program with a sentence where a file has lost the page, or where a thread follows links that another
/// program has overwritten: these may lead anywhere. For other faults, and where another process sent the signal, the
/// system does what it always does. Calls nothing that a signal handler may not call.
void end_without_page(int signal, siginfo_t* fault, void* /*context*/) {
    const auto* at = static_cast<const std::byte*>(fault->si_addr);
    const bool is_fault = fault->si_code > 0;
    const bool is_inside = at >= file_memory.data() && at < file_memory.data() + file_memory.size();
    if (!is_fault || file_memory.empty() || (signal == SIGBUS && !is_inside)) {
        std::signal(signal, SIG_DFL); // a fault comes again
        if (!is_fault)
            std::raise(signal);
        return;
    }
    while (is_ending.exchange(true)) // another thread does it
        pause();
    constexpr std::string_view sentence =
        "memtest: --memory: another program changed or truncated the file, or its file system has no space left\n";
    [[maybe_unused]] const ssize_t said = write(STDERR_FILENO, sentence.data(), sentence.size());
    _exit(static_cast<int>(ExitStatus::failure));
}

void watch_pages_of(std::span<const std::byte> memory) {
    struct sigaction action {};
    action.sa_sigaction = end_without_page;
    action.sa_flags = SA_SIGINFO;
    for (const int signal : {SIGBUS, SIGSEGV})
        sigaction(signal, &action, nullptr);
    file_memory = memory;
}

} // namespace

bool may_request_huge_pages() {
    const std::size_t page = base_page_bytes();
    std::byte* const memory = map(page, PROT_READ | PROT_WRITE);
    const bool is_denied = madvise(memory, page, MADV_HUGEPAGE) != 0 && errno != EINVAL; // EINVAL: there are none
    munmap(memory, page);
    return !is_denied;
}

Arena::Arena(std::size_t bytes, PageKind pages, const SystemFiles& files, std::optional<int> node,
             const std::atomic<bool>& interrupted)
    : bytes_(bytes) {
    const std::size_t page = page_bytes_of(pages, files);
    const std::size_t filled_bytes = rounded_up(bytes, page);
    if (is_reserved(pages)) {
        first_ = map(filled_bytes, PROT_READ | PROT_WRITE, pages == PageKind::huge_2m ? log2_2m : log2_1g);
        mapping_ = {first_, Unmap{filled_bytes}};
    } else {
        // Aligned for transparent huge pages in every kind, so that kinds differ only in their pages.
        reserve(filled_bytes, page_bytes_of(PageKind::transparent_huge, files));
        if (mprotect(first_, filled_bytes, PROT_READ | PROT_WRITE) != 0)
            throw no_memory(bytes);
    }
    advise_pages(first_, filled_bytes, pages);
    if (node)
        bind_to_numa_node({first_, filled_bytes}, *node, files);
    if (!fill(filled_bytes, interrupted))
        throw no_memory(filled_bytes);
}

Arena::Arena(std::size_t bytes, const MappedFile& part, const SystemFiles& files, const std::atomic<bool>& interrupted)
    : bytes_(bytes) {
    const auto page = static_cast<std::size_t>(part.page_bytes);
    const std::size_t filled_bytes = rounded_up(bytes, page);
    allocate(part, filled_bytes, interrupted);
    // A huge page begins at a multiple of its size in the file and in memory, so both need the same offset from one.
    const std::size_t alignment = std::max(page, page_bytes_of(PageKind::transparent_huge, files));
    const auto misaligned = static_cast<std::size_t>(part.offset % alignment);
    reserve(capped_sum(filled_bytes, misaligned), alignment);
    first_ += misaligned;
    if (mmap(first_, filled_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, part.file->number(),
             static_cast<off_t>(part.offset)) == MAP_FAILED) // NOLINT(performance-no-int-to-ptr): the system's macro
        throw no_memory(bytes, part);
    watch_pages_of({first_, filled_bytes});
    if (!fill(filled_bytes, interrupted))
        throw no_memory(filled_bytes, part);
}

/// Takes an aligned range of addresses. The inaccessible rest keeps the kernel from joining it with a neighbour, whose
/// pages would be counted, too.
void Arena::reserve(std::size_t bytes, std::size_t alignment) {
    const std::size_t mapping_bytes = capped_sum(bytes, 2 * alignment);
    mapping_ = {map(mapping_bytes, PROT_NONE), Unmap{mapping_bytes}};
    first_ = mapping_.get() + (alignment - reinterpret_cast<std::uintptr_t>(mapping_.get()) % alignment);
}

void Arena::Unmap::operator()(std::byte* mapping) const noexcept {
    if (file_memory.data() >= mapping && file_memory.data() < mapping + bytes)
        file_memory = {};
    munmap(mapping, bytes);
}

bool Arena::fill(std::size_t bytes, const std::atomic<bool>& interrupted) const {
    for (std::size_t at = 0; at < bytes && !interrupted.load(std::memory_order_relaxed); at += filled_at_once) {
        const std::size_t portion = std::min(filled_at_once, bytes - at);
        if (madvise(first_ + at, portion, MADV_POPULATE_WRITE) == 0)
            continue;
        if (errno == ENOMEM || errno == EFAULT || errno == EHWPOISON)
            return false;
        // Kernels before 5.14 lack this advice, and a seccomp filter may refuse it.
        volatile std::byte* memory = first_ + at;
        for (std::size_t page = 0; page < portion; page += base_page_bytes())
            memory[page] = std::byte{0};
    }
    return true;
}

GrantedPages Arena::granted(const SystemFiles& files) const {
    GrantedPages granted =
        parse_smaps(files.text("/proc/self/smaps").value_or(""), reinterpret_cast<std::uintptr_t>(first_));
    granted.transparent_page_bytes = page_bytes_of(PageKind::transparent_huge, files);
    return granted;
}

} // namespace memtest

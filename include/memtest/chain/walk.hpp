#pragma once

#include "memtest/base/words.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace memtest {

/// The word of a node that holds its link: the next node's address, or its offset from the base.
enum class Link { pointer, index };

template<>
inline constexpr std::array<Word<Link>, 2> word_table<Link>{{{Link::pointer, "pointer"}, {Link::index, "index"}}};

/// The max number of chains that can be walked side by side.
inline constexpr unsigned max_parallel = 32;

/// Follows `hops` links along each of several chains, one hop of each in turn. This is the timed loop: one load per
/// hop, whose address comes from the previous load in the same chain.
/// @param base of index links
/// @param cursors one per chain: the link to its current node; advanced
using Walk = void (*)(const std::byte* base, std::uintptr_t* cursors, std::size_t hops);

/// The loop for this kind of link and number of chains (1 to max_parallel). With more chains than the processor has
/// registers for, cursors live on the stack, which adds a few cycles to every hop.
[[nodiscard]] Walk walk_function(Link link, unsigned parallel);

// The processor's own counter, if programs can read it. A reading waits until the word is loaded, and what follows
// waits for the reading, as the processors' manuals describe.

inline constexpr bool has_tick_counter =
#if defined(__x86_64__) || defined(__aarch64__) || (defined(__riscv) && __riscv_xlen == 64) ||                         \
    defined(__powerpc64__) || defined(__s390x__)
    true;
#else
    false;
#endif

inline std::uint64_t ticks_after([[maybe_unused]] std::uintptr_t word) noexcept {
    std::uint64_t ticks = 0;
#if defined(__x86_64__) // Intel's manual, volume 2, RDTSC; AMD's, volume 3: LFENCE waits for loads and holds back
                        // others
    std::uint64_t high = 0;
    asm volatile("lfence\n\trdtsc\n\tlfence" : "=a"(ticks), "=d"(high) : "r"(word) : "memory");
    ticks |= high << 32U;
#elif defined(__aarch64__) // Arm's manual, "The generic timer": ISB orders the reading, DSB waits for the load
    asm volatile("dsb nshld\n\tisb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : "r"(word) : "memory");
#elif defined(__riscv) && __riscv_xlen == 64 // RISC-V's manual, "Zicsr": to FENCE a counter is an input device
    asm volatile("fence r, i\n\trdtime %0\n\tfence i, r" : "=r"(ticks) : "r"(word) : "memory");
#elif defined(__powerpc64__) // Power ISA, book II: a trap on the word waits for it, ISYNC for the trap; 268 is TB
    asm volatile("twi 0, %1, 0\n\tisync\n\tmfspr %0, 268\n\tisync" : "=r"(ticks) : "r"(word) : "memory");
#elif defined(__s390x__)     // Principles of Operation: BCR 15,0 serialises, which STCKF does not
    asm volatile("bcr 15, 0\n\tstckf %0\n\tbcr 15, 0" : "=Q"(ticks) : "r"(word) : "cc", "memory");
#endif
    return ticks;
}

/// Follows the links of a chain in groups of hops, with a reading of the processor's own counter before each group.
/// @param base of index links @param cursor advanced
/// @param readings filled in the order of time: one group lies between two
void time_hops(Link link, const std::byte* base, std::uintptr_t& cursor, std::size_t group,
               std::span<std::uint64_t> readings);

} // namespace memtest

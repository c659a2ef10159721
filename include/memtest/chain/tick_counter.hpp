#pragma once

#include <cstdint>

namespace memtest {

// The processor's own counter, which programs can read. A reading waits until the word is loaded, and what follows
// waits for the reading. Each is serialised as its manual says.

#if defined(__x86_64__)

inline constexpr bool has_tick_counter = true;

/// Intel's manual, volume 2, RDTSC: LFENCE ahead waits for all loads, behind holds back what follows. AMD's, volume 3.
inline std::uint64_t ticks_after(std::uintptr_t word) noexcept {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    asm volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : "r"(word) : "memory");
    return std::uint64_t{high} << 32U | low;
}

#elif defined(__aarch64__)

inline constexpr bool has_tick_counter = true;

/// Arm's manual, "The generic timer": reads of CNTVCT_EL0 are ordered by ISB, and the DSB waits for the load.
inline std::uint64_t ticks_after(std::uintptr_t word) noexcept {
    std::uint64_t ticks = 0;
    asm volatile("dsb nshld\n\tisb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : "r"(word) : "memory");
    return ticks;
}

#elif defined(__riscv) && __riscv_xlen == 64

inline constexpr bool has_tick_counter = true;

/// RISC-V's manual, "Zicsr": to FENCE a read of a counter is device input.
inline std::uint64_t ticks_after(std::uintptr_t word) noexcept {
    std::uint64_t ticks = 0;
    asm volatile("fence r, i\n\trdtime %0\n\tfence i, r" : "=r"(ticks) : "r"(word) : "memory");
    return ticks;
}

#elif defined(__powerpc64__)

inline constexpr bool has_tick_counter = true;

/// Power ISA, book II: a trap on the loaded word waits for it, ISYNC for what is ahead. SPR 268 is the time base.
inline std::uint64_t ticks_after(std::uintptr_t word) noexcept {
    std::uint64_t ticks = 0;
    asm volatile("twi 0, %1, 0\n\tisync\n\tmfspr %0, 268\n\tisync" : "=r"(ticks) : "r"(word) : "memory");
    return ticks;
}

#elif defined(__s390x__)

inline constexpr bool has_tick_counter = true;

/// Principles of Operation: BCR 15,0 serialises, which STCKF does not.
inline std::uint64_t ticks_after(std::uintptr_t word) noexcept {
    std::uint64_t ticks = 0;
    asm volatile("bcr 15, 0\n\tstckf %0\n\tbcr 15, 0" : "=Q"(ticks) : "r"(word) : "cc", "memory");
    return ticks;
}

#else

inline constexpr bool has_tick_counter = false;

inline std::uint64_t ticks_after(std::uintptr_t /*word*/) noexcept {
    return 0;
}

#endif

} // namespace memtest

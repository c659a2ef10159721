#include "memtest/chain/line_flush.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace memtest {
namespace {

bool processor_can_flush() noexcept {
#if defined(__x86_64__)
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    constexpr unsigned clflushopt_bit = 1U << 23U;
    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & clflushopt_bit) != 0;
#elif defined(__aarch64__) || defined(__powerpc64__)
    return true;
#else
    return false;
#endif
}

void flush([[maybe_unused]] const std::byte* line) noexcept {
#if defined(__x86_64__)
    asm volatile("clflushopt %0" : : "m"(*line));
#elif defined(__aarch64__)
    asm volatile("dc civac, %0" : : "r"(line) : "memory");
#elif defined(__powerpc64__)
    asm volatile("dcbf 0, %0" : : "r"(line) : "memory");
#endif
}

void wait_for_flushes() noexcept {
#if defined(__x86_64__)
    asm volatile("mfence" : : : "memory");
#elif defined(__aarch64__)
    asm volatile("dsb ish" : : : "memory");
#elif defined(__powerpc64__)
    asm volatile("sync" : : : "memory");
#endif
}

} // namespace

bool can_flush_lines() noexcept {
    static const bool can = processor_can_flush();
    return can;
}

bool flush_lines(std::span<const std::byte> memory, std::size_t pitch_bytes) noexcept {
    if (!can_flush_lines())
        return false;
    for (std::size_t at = 0; at < memory.size(); at += pitch_bytes)
        flush(memory.data() + at);
    wait_for_flushes();
    return true;
}

} // namespace memtest

#include "memtest/chain/line_flush.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace memtest {
namespace {

#if defined(__x86_64__)

bool processor_can_flush() noexcept {
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    constexpr unsigned clflushopt_bit = 1U << 23U;
    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & clflushopt_bit) != 0;
}

void flush(const std::byte* line) noexcept {
    asm volatile("clflushopt %0" : : "m"(*line));
}

void wait_for_flushes() noexcept {
    asm volatile("mfence" : : : "memory");
}

#elif defined(__aarch64__)

bool processor_can_flush() noexcept {
    return true;
}

void flush(const std::byte* line) noexcept {
    asm volatile("dc civac, %0" : : "r"(line) : "memory");
}

void wait_for_flushes() noexcept {
    asm volatile("dsb ish" : : : "memory");
}

#elif defined(__powerpc64__)

bool processor_can_flush() noexcept {
    return true;
}

void flush(const std::byte* line) noexcept {
    asm volatile("dcbf 0, %0" : : "r"(line) : "memory");
}

void wait_for_flushes() noexcept {
    asm volatile("sync" : : : "memory");
}

#else

bool processor_can_flush() noexcept {
    return false;
}

void flush(const std::byte* /*line*/) noexcept {}

void wait_for_flushes() noexcept {}

#endif

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

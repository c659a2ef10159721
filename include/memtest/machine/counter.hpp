#pragma once

#include "memtest/base/words.hpp"

#include <array>

namespace memtest {

/// Events that the kernel can count for a thread. The first five are the processor's. They count the program's own
/// work, not the kernel's on its behalf, and include speculative work where the processor counts it.
enum class Counter { cycles, instructions, l1d_misses, llc_misses, dtlb_misses, page_faults, context_switches };

template<>
inline constexpr std::array<Word<Counter>, 7> word_table<Counter>{{{Counter::cycles, "cycles"},
                                                                   {Counter::instructions, "instructions"},
                                                                   {Counter::l1d_misses, "l1d-misses"},
                                                                   {Counter::llc_misses, "llc-misses"},
                                                                   {Counter::dtlb_misses, "dtlb-misses"},
                                                                   {Counter::page_faults, "page-faults"},
                                                                   {Counter::context_switches, "context-switches"}}};

} // namespace memtest

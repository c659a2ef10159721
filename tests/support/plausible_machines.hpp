#pragma once

#include "support/generated_curve.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace memtest::test {

struct CacheSpec {
    double kib = 0;
    int ways = 0;
    double latency_ns = 0;
};

/// A machine as its documents and published measurements describe it; the figures are rounded.
struct MachineSpec {
    std::string_view name;
    std::vector<CacheSpec> caches;
    double memory_ns = 0;
    double random_share = 0; ///< of the replacement: 0 least recently used, 1 random
    int l1_tlb_entries = 0;
    int l2_tlb_entries = 0;
    double l2_tlb_ns = 0; ///< what a hit in the second TLB adds
    double page_kib = 4;
};

[[nodiscard]] std::span<const MachineSpec> plausible_machines();

/// A random pointer chase on the machine: physically indexed caches whose page colours fill by chance, two levels of
/// TLB and page walks whose entries come from the caches, 1 % of noise.
/// @param per_doubling  sizes per doubling, from 4 KiB (1) or 1 KiB
[[nodiscard]] GeneratedCurve chase(const MachineSpec& machine, int per_doubling, std::uint64_t seed);

} // namespace memtest::test

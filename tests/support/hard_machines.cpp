#include "support/machine_classes.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <initializer_list>

namespace memtest::test {
namespace {

/// A capacity in KiB and its ways.
struct Shape {
    double kib = 0;
    int ways = 0;
};

/// A machine of these caches. Latencies of caches are drawn in core cycles, as they are built, those of memory in ns.
MachineSpec machine_of(Random& random, std::initializer_list<Shape> shapes) {
    constexpr std::array<double, 3> least_cycles = {3, 10, 30};
    constexpr std::array<double, 3> most_cycles = {5, 18, 60};
    const double cycle_ns = 1 / random.log_uniform(1.2, 4);
    MachineSpec machine;
    std::size_t level = 0;
    for (const Shape& shape : shapes) {
        machine.caches.push_back(
            {shape.kib, shape.ways, cycle_ns * std::round(random.uniform(least_cycles[level], most_cycles[level]))});
        ++level;
    }
    machine.memory_ns = machine.caches.back().latency_ns + random.log_uniform(60, 150);
    machine.random_share = random.uniform(0, 1);
    machine.l1_tlb_entries = random.integer(32, 96);
    machine.l2_tlb_entries = 512 * random.integer(1, 4);
    machine.l2_tlb_ns = cycle_ns * random.integer(3, 8);
    return machine;
}

MachineSpec l3_of_twice_the_l2(Random& random) {
    const double l2 = 512 << random.integer(0, 3);
    return machine_of(random, {{32 * random.uniform(1, 2) < 48 ? 32.0 : 64.0, 8}, {l2, 8}, {2 * l2, 16}});
}

MachineSpec odd_l2_before_small_l3(Random& random) {
    return machine_of(random, {{32, 8}, {1536, 12}, {4096, 16}});
}

MachineSpec two_way_l1(Random& random) {
    const double l1 = 32 << random.integer(0, 1);
    return machine_of(random, {{l1, 2}, {512.0 * (1 << random.integer(0, 2)), 16}});
}

constexpr std::array<HardClass, 3> classes = {{
    {"L3 of twice the L2", l3_of_twice_the_l2},
    {"L2 of 1.5 MiB before 4 MiB", odd_l2_before_small_l3},
    {"coloured two-way L1", two_way_l1},
}};

} // namespace

std::span<const HardClass> hard_classes() {
    return classes;
}

} // namespace memtest::test

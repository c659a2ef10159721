#include "support/plausible_machines.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace memtest::test {
namespace {

constexpr double kib = 1024;

/// How a physically indexed cache fills with one mapping: the system hands out runs of neighbouring pages, and the
/// run's place decides the colours. Each colour holds as many pages as the cache has ways.
class ColouredCache {
public:
    ColouredCache(Random& random, int colours, int ways, double random_share)
        : ways_(ways), random_share_(random_share), occupancy_(static_cast<std::size_t>(colours)) {
        const int enough = 12 * colours * ways; // beyond, next to nothing hits
        while (static_cast<int>(colours_of_pages_.size()) < enough) {
            const int first = random.integer(0, colours - 1);
            const int run = 1 << random.integer(0, 5);
            for (int page = 0; page < run; ++page)
                colours_of_pages_.push_back(static_cast<std::size_t>((first + page) % colours));
        }
    }

    /// For growing numbers of pages only.
    [[nodiscard]] double hit_share(double pages) {
        for (; static_cast<double>(mapped_ + 1) <= pages && mapped_ < colours_of_pages_.size(); ++mapped_)
            ++occupancy_[colours_of_pages_[mapped_]];
        const double hits = hits_of(occupancy_);
        if (mapped_ == colours_of_pages_.size())
            return hits / pages;
        // Of the page that is mapped last only a part is used.
        const double part = pages - static_cast<double>(mapped_);
        const double used = occupancy_[colours_of_pages_[mapped_]];
        return (hits - hits_of(used) + hits_of(used + part)) / pages;
    }

private:
    /// How many of the pages of one colour hit, as a number of pages.
    [[nodiscard]] double hits_of(double used) const { return used <= ways_ ? used : random_share_ * ways_; }

    [[nodiscard]] double hits_of(const std::vector<double>& occupancy) const {
        double hits = 0;
        for (const double used : occupancy)
            hits += hits_of(used);
        return hits;
    }

    int ways_;
    double random_share_;
    std::size_t mapped_ = 0;
    std::vector<std::size_t> colours_of_pages_;
    std::vector<double> occupancy_;
};

class Chase {
public:
    Chase(const MachineSpec& machine, Random& random) : machine_(machine) {
        for (const CacheSpec& cache : machine.caches) {
            const int colours = static_cast<int>(std::lround(cache.kib / cache.ways / machine.page_kib));
            coloured_.emplace_back(random, std::max(1, colours), cache.ways, machine.random_share);
        }
    }

    [[nodiscard]] double latency(double size) {
        double latency = machine_.caches[0].latency_ns;
        for (std::size_t i = 0; i < machine_.caches.size(); ++i)
            latency += (above(i) - machine_.caches[i].latency_ns) * (1 - hits(i, size));
        return latency + translation(size);
    }

    /// Pages beyond the reach of the TLBs wait for the second TLB, then for page-table entries, 8 bytes a page, that
    /// lie in whichever level the tables still fit beside the data.
    [[nodiscard]] double translation(double size) const {
        const double pages = size / (machine_.page_kib * kib);
        const auto misses = [&](int entries) { return pages <= entries ? 0 : 1 - 0.5 * entries / pages; };
        double walk = machine_.memory_ns;
        for (std::size_t i = machine_.caches.size(); i-- > 0;) {
            const double share = std::min(1.0, machine_.caches[i].kib * kib / (pages * 8 * 4));
            walk = share * machine_.caches[i].latency_ns + (1 - share) * walk;
        }
        return machine_.l2_tlb_ns * misses(machine_.l1_tlb_entries) + walk * misses(machine_.l2_tlb_entries);
    }

private:
    [[nodiscard]] double above(std::size_t i) const {
        return i + 1 < machine_.caches.size() ? machine_.caches[i + 1].latency_ns : machine_.memory_ns;
    }

    [[nodiscard]] double hits(std::size_t i, double size) {
        const CacheSpec& cache = machine_.caches[i];
        if (cache.kib / cache.ways <= machine_.page_kib) // indexed by the offset in a page: fills evenly
            return size <= cache.kib * kib ? 1 : machine_.random_share * cache.kib * kib / size;
        return coloured_[i].hit_share(size / kib / machine_.page_kib);
    }

    const MachineSpec& machine_;
    std::vector<ColouredCache> coloured_;
};

} // namespace

std::span<const MachineSpec> plausible_machines() {
    static const std::vector<MachineSpec> machines = {
        {"ARM1176, Raspberry Pi 1", {{16, 4, 4.3}, {128, 8, 48}}, 190, 1, 10, 64, 4, 4},
        {"Cortex-A7, Allwinner A20", {{32, 4, 3.1}, {256, 8, 14}}, 165, 1, 10, 256, 2, 4},
        {"Cortex-A7, Raspberry Pi 2", {{32, 4, 3.4}, {512, 8, 21}}, 150, 0.7, 10, 256, 2, 4},
        {"Cortex-A8, AM335x", {{32, 4, 3}, {256, 8, 10}}, 150, 1, 32, 64, 0, 4},
        {"Cortex-A9, Zynq", {{32, 4, 6}, {512, 8, 33}}, 120, 1, 32, 128, 2, 4},
        {"Cortex-A15, Exynos 5422", {{32, 2, 2}, {2048, 16, 10.5}}, 120, 0.5, 32, 512, 2, 4},
        {"Cortex-A53, RK3399", {{32, 4, 2.1}, {512, 16, 11}}, 150, 1, 10, 512, 2, 4},
        {"Cortex-A55 without L2", {{32, 4, 1.6}, {512, 16, 17}}, 160, 1, 16, 1024, 2, 4},
        {"Cortex-A72, Graviton", {{32, 2, 1.75}, {2048, 16, 9}}, 95, 0.8, 32, 1024, 2, 4},
        {"Cortex-A73, S922X", {{64, 16, 1.7}, {1024, 16, 11}}, 130, 0.7, 48, 1024, 2, 4},
        {"Cortex-A76, Raspberry Pi 5", {{64, 4, 1.67}, {512, 8, 4.6}, {2048, 16, 15}}, 110, 0.5, 48, 1280, 2, 4},
        {"Neoverse N1, Graviton 2", {{64, 4, 1.6}, {1024, 8, 5.2}, {32768, 16, 32}}, 100, 0.5, 48, 1280, 2, 4},
        {"Neoverse V1, Graviton 3", {{64, 4, 1.55}, {1024, 8, 5}, {32768, 16, 35}}, 115, 0.5, 48, 2048, 2, 4},
        {"Neoverse N1, Altra", {{64, 4, 1.35}, {1024, 8, 4.3}, {32768, 16, 30}}, 110, 0.7, 48, 1280, 2, 4},
        {"Apple M1 Firestorm", {{128, 8, 0.94}, {12288, 12, 5.6}}, 97, 0.3, 160, 3072, 1.5, 16},
        {"Apple M1 Icestorm", {{64, 8, 1.45}, {4096, 16, 7.3}}, 110, 0.3, 128, 1024, 1.5, 16},
        {"Cortex-X1, Snapdragon 888", {{64, 4, 1.4}, {1024, 8, 4.7}, {4096, 16, 15}}, 125, 0.5, 48, 1024, 1.8, 4},
        {"Zen 1", {{32, 8, 1.1}, {512, 8, 4}, {8192, 16, 12}}, 90, 0.1, 64, 1536, 2, 4},
        {"Zen 2", {{32, 8, 0.95}, {512, 8, 3.2}, {16384, 16, 10}}, 80, 0.1, 64, 2048, 1.8, 4},
        {"Zen 3 server, an eighth of L3", {{32, 8, 1.2}, {512, 8, 3.9}, {4096, 16, 14}}, 120, 0.8, 64, 2048, 2, 4},
        {"Zen 4", {{32, 8, 0.75}, {1024, 8, 2.6}, {32768, 16, 9.5}}, 78, 0.2, 72, 3072, 1.4, 4},
        {"Zen 3 with stacked cache", {{32, 8, 0.9}, {512, 8, 2.8}, {98304, 16, 11.5}}, 85, 0.2, 64, 2048, 1.5, 4},
        {"Pentium III", {{16, 4, 3.3}, {256, 8, 8.3}}, 130, 0, 64, 64, 0, 4},
        {"Core 2", {{32, 8, 1.25}, {4096, 16, 5.8}}, 85, 0.1, 16, 256, 1, 4},
        {"Nehalem", {{32, 8, 1.4}, {256, 8, 3.7}, {8192, 16, 14}}, 68, 0.2, 64, 512, 2.4, 4},
        {"Haswell", {{32, 8, 1.1}, {256, 8, 3.3}, {8192, 16, 11}}, 70, 0.3, 64, 1024, 2, 4},
        {"Skylake-SP", {{32, 8, 1.4}, {1024, 16, 4.9}, {25344, 11, 21}}, 92, 0.6, 64, 1536, 2.4, 4},
        {"Ice Lake-SP", {{48, 12, 1.5}, {1280, 20, 4.3}, {49152, 12, 24}}, 110, 0.6, 64, 2048, 2.1, 4},
        {"Golden Cove", {{48, 12, 0.96}, {1280, 10, 2.9}, {30720, 12, 15}}, 85, 0.4, 96, 2048, 1.5, 4},
        {"Bonnell", {{24, 6, 1.9}, {512, 8, 10}}, 95, 0.1, 16, 64, 4, 4},
        {"Goldmont Plus", {{24, 6, 1.25}, {4096, 16, 7.8}}, 95, 0.3, 32, 512, 3, 4},
        {"Tremont", {{32, 8, 1.03}, {1536, 12, 5.9}, {4096, 16, 17}}, 105, 0.4, 32, 1024, 2.5, 4},
        {"POWER9", {{32, 8, 1.2}, {512, 8, 4}, {10240, 20, 10}}, 100, 0.3, 64, 1024, 2, 64},
        {"SiFive U74", {{32, 4, 2}, {2048, 16, 14}}, 175, 1, 40, 512, 4, 4},
        {"T-Head C910", {{64, 2, 1.65}, {1024, 16, 11}}, 180, 0.5, 17, 1024, 3, 4},
        {"SpacemiT X60", {{32, 4, 1.12}, {512, 16, 17}}, 235, 0.5, 16, 256, 4, 4},
        {"Loongson 3A5000", {{64, 4, 1.6}, {256, 16, 5.6}, {16384, 16, 17}}, 115, 1, 64, 2048, 2, 4},
        {"MIPS 24K, one level", {{32, 4, 5.6}}, 190, 0, 8, 16, 12, 4},
        {"Cortex-A510 with system cache", {{32, 4, 1.65}, {256, 8, 6.5}, {4096, 16, 22}}, 150, 0.5, 16, 1024, 2, 4},
    };
    return machines;
}

GeneratedCurve chase(const MachineSpec& machine, int per_doubling, std::uint64_t seed) {
    Random random(seed);
    Chase chased(machine, random);
    GeneratedCurve result;
    const double smallest = per_doubling == 1 ? 4 * kib : kib;
    const double largest = std::max(131072.0, 10 * machine.caches.back().kib) * kib;
    for (int i = 0;; ++i) {
        const double size = std::ceil(smallest * std::exp2(static_cast<double>(i) / per_doubling) / 64) * 64;
        if (size > largest)
            break;
        result.points.push_back({size, chased.latency(size) * (1 + 0.01 * random.normal())});
    }
    double from = kib;
    for (std::size_t i = 0; i <= machine.caches.size(); ++i) {
        const bool memory = i == machine.caches.size();
        const double to = memory ? largest : machine.caches[i].kib * kib;
        const double pure = memory ? machine.memory_ns : machine.caches[i].latency_ns;
        result.truth.latencies.push_back({pure + chased.translation(from), pure + chased.translation(to)});
        if (!memory)
            result.truth.capacities_bytes.push_back(to);
        from = to;
    }
    return result;
}

} // namespace memtest::test

#include "support/machine_classes.hpp"

#include "memtest/insight/translation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace memtest::test {
namespace {

constexpr double page_bytes = 4096;
constexpr double cycle_ns = 0.3;

struct DrawnMachine {
    std::vector<double> capacities;
    std::vector<double> latencies; ///< of the caches and of memory
    double random_share = 0;
    double first_entries = 0;
    double second_entries = 0;
    bool is_hashed = false;
    double second_hit_ns = 0;
    double walk_ns = 0; ///< without the loads of the tables
    double nested = 0;  ///< loads that follow one another in a walk

    [[nodiscard]] double data_ns(double bytes) const {
        double ns = latencies.front();
        for (std::size_t k = 0; k < capacities.size(); ++k) {
            const double load = bytes / capacities[k];
            const double misses = load <= 1 ? 0 : 1 - random_share / load;
            ns += (latencies[k + 1] - latencies[k]) * misses;
        }
        return ns;
    }

    /// A line of the tables has the entries of eight pages, and is needed again after an eighth of the pages, each with
    /// a line of data and one of the tables, whether a page has one line or 64.
    [[nodiscard]] double walk_at(double pages) const { return walk_ns + nested * data_ns(pages / 8 * 2 * 64); }
};

/// Eight ways whose pages fall on the sets by chance. @param share of the pages of a set that miss, by their number
template<typename Share>
double hashed_misses(double load, const Share& share) {
    constexpr int ways = 8;
    const double expected = load * ways;
    double misses = 0;
    double chance = std::exp(-expected); // of no other page in the set
    for (int pages = 1; pages < expected + 10 * std::sqrt(expected) + 20; ++pages) {
        misses += pages > ways ? chance * share(static_cast<double>(ways) / pages) : 0;
        chance *= expected / pages;
    }
    return misses;
}

/// Of pages visited one after the other, again and again.
double lap_misses(double pages, double entries, bool is_hashed) {
    const double load = pages / entries;
    return is_hashed ? hashed_misses(load, [](double /*held*/) { return 1.0; }) : load > 1 ? 1 : 0;
}

/// Of pages visited at random.
double random_misses(double pages, double entries, bool is_hashed) {
    const double load = pages / entries;
    return is_hashed ? hashed_misses(load, [](double held) { return 1 - held; }) : std::max(0.0, 1 - 1 / load);
}

template<typename Misses>
double translation_ns(const DrawnMachine& machine, double pages, const Misses& misses) {
    return misses(pages, machine.first_entries, false) * machine.second_hit_ns +
           misses(pages, machine.second_entries, machine.is_hashed) * (machine.walk_at(pages) - machine.second_hit_ns);
}

DrawnMachine draw(Random& random) {
    constexpr std::array<double, 4> firsts{32, 48, 64, 96};
    constexpr std::array<double, 5> seconds{512, 1024, 1536, 2048, 4096};
    DrawnMachine machine;
    machine.latencies.push_back(random.log_uniform(0.8, 2));
    machine.capacities.push_back(std::exp2(random.integer(14, 16)));
    const int levels = random.integer(2, 3);
    for (int level = 1; level < levels; ++level) {
        machine.capacities.push_back(
            std::min(6.0 * (1 << 20), machine.capacities.back() * std::exp2(random.integer(3, 5))));
        machine.latencies.push_back(machine.latencies.back() * random.log_uniform(2.8, 5));
    }
    machine.latencies.push_back(std::max(70.0, machine.latencies.back() * random.log_uniform(3, 6)));
    machine.random_share = random.integer(0, 2) / 2.0;
    machine.first_entries = firsts.at(static_cast<std::size_t>(random.integer(0, 3)));
    machine.second_entries = seconds.at(static_cast<std::size_t>(random.integer(0, 4)));
    machine.is_hashed = random.integer(0, 1) == 1;
    machine.second_hit_ns = machine.latencies.front() * random.uniform(1.2, 2);
    machine.walk_ns = machine.latencies.front() * random.uniform(2, 4);
    machine.nested = random.integer(1, 2);
    return machine;
}

/// A probe of the machine.
class Probe : public TranslationProbe {
public:
    Probe(const DrawnMachine& machine, Random& random) : machine_(machine), random_(random) {}

    [[nodiscard]] std::optional<TranslationRound> measure(std::size_t pages, Layout /*first*/) override {
        const auto of_pages = static_cast<double>(pages);
        const double packed_ns = machine_.data_ns(64 * of_pages);
        const double spread_ns = packed_ns + translation_ns(machine_, of_pages, lap_misses);
        return TranslationRound{.spread_ns = noisy(spread_ns), .packed_ns = noisy(packed_ns)};
    }

private:
    [[nodiscard]] double noisy(double ns) { return ns * (1 + random_.uniform(0, 0.01)); }

    const DrawnMachine& machine_;
    Random& random_;
};

} // namespace

TranslatedMachine draw_translated(std::uint64_t seed) {
    Random random(seed);
    const DrawnMachine machine = draw(random);
    constexpr std::size_t most_pages = 16384;
    constexpr unsigned rounds = 3;
    Probe probe(machine, random);
    TranslatedMachine result;
    result.translation = sweep_translation(
        probe, numbers_of_pages(most_pages), rounds,
        [](std::span<const TranslationPoint> curve) { return next_pages(curve, cycle_ns); }, [](const std::string&) {});
    constexpr int sizes_per_doubling = 4;
    for (int i = 0; i <= 16 * sizes_per_doubling; ++i) { // to 64 MiB
        const double size = std::ceil(1024 * std::exp2(static_cast<double>(i) / sizes_per_doubling) / 64) * 64;
        const double ns = machine.data_ns(size) + translation_ns(machine, size / page_bytes, random_misses);
        result.sweep.points.push_back({size, ns * (1 + 0.01 * random.normal())});
    }
    result.sweep.truth.capacities_bytes = machine.capacities;
    for (const double ns : machine.latencies)
        result.sweep.truth.latencies.push_back({ns, ns});
    return result;
}

GeneratedCurve without_translation(const TranslatedMachine& machine) {
    const Translation translation = read_translation(machine.translation, cycle_ns);
    GeneratedCurve result = machine.sweep;
    for (CurvePoint& point : result.points)
        point.latency_ns -= cost_in_random_sweep_ns(translation, point.size_bytes / page_bytes);
    return result;
}

} // namespace memtest::test

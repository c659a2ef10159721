#include "support/generated_curve.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace memtest::test {

double Random::uniform(double from, double to) {
    return from + (to - from) * static_cast<double>(numbers_.next() >> 11U) / 9007199254740992.0;
}

double Random::log_uniform(double from, double to) {
    return std::exp(uniform(std::log(from), std::log(to)));
}

double Random::normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform(0, 1)));
    return radius * std::cos(2 * std::numbers::pi * uniform(0, 1));
}

int Random::integer(int from, int to) {
    return from + static_cast<int>(uniform(0, to - from + 1));
}

namespace {

constexpr double kib = 1024;
constexpr double mib = 1024 * kib;

/// Something that holds so much of the working set and costs so much more where it does not: a cache or a TLB.
struct Step {
    double reach_bytes = 0;
    double cost_ns = 0;
};

/// The share of the lines of a fixed cycle that a cache which replaces at random still holds after a lap: h = exp(-(1 -
/// h) x), found by bisection. @param x the lap, in capacities, above 1
double hits_of_fixed_cycle(double x) {
    double low = 0;
    double high = 1 - 1e-9; // h = 1 always solves it
    for (int round = 0; round < 60; ++round) {
        const double middle = (low + high) / 2;
        (std::exp(-(1 - middle) * x) > middle ? low : high) = middle;
    }
    return low;
}

struct Machine {
    std::vector<double> capacities;
    std::vector<double> latencies; ///< of the caches and of memory
    std::vector<double> tlb_reach;
    std::vector<double> tlb_factor;
    double random_share = 0;
    bool fixed_cycle = false; ///< caches replace at random, and the walk visits each line once per lap

    [[nodiscard]] double miss_share(double size, double capacity) const {
        return size <= capacity ? 0 : 1 - random_share * capacity / size;
    }
    [[nodiscard]] double cache_miss_share(double size, double capacity) const {
        return fixed_cycle && size > capacity ? 1 - hits_of_fixed_cycle(size / capacity) : miss_share(size, capacity);
    }
    [[nodiscard]] double translation(double size) const {
        double factor = 1;
        for (std::size_t i = 0; i < tlb_reach.size(); ++i)
            factor *= 1 + (tlb_factor[i] - 1) * miss_share(size, tlb_reach[i]);
        return factor;
    }
    [[nodiscard]] double latency(double size) const {
        double latency = latencies[0];
        for (std::size_t i = 0; i < capacities.size(); ++i)
            latency += (latencies[i + 1] - latencies[i]) * cache_miss_share(size, capacities[i]);
        return latency * translation(size);
    }
};

Machine draw_machine(Random& random) {
    Machine machine;
    do {
        machine = {};
        machine.capacities.push_back(random.log_uniform(8 * kib, 128 * kib));
        machine.latencies.push_back(random.log_uniform(0.7, 4));
        const int levels = random.integer(1, 4);
        for (int level = 1; level < levels; ++level)
            machine.capacities.push_back(machine.capacities.back() * random.log_uniform(4, 64));
        for (int level = 0; level < levels; ++level)
            machine.latencies.push_back(machine.latencies.back() * random.log_uniform(2.5, 10));
    } while (machine.capacities.back() > 64 * mib || machine.latencies.back() < 40);
    machine.tlb_reach = {random.log_uniform(100 * kib, 400 * kib), random.log_uniform(2 * mib, 12 * mib)};
    machine.tlb_factor = {random.uniform(1.10, 1.25), random.uniform(1.10, 1.25)};
    const int model = random.integer(0, 2);
    machine.random_share = model == 2 ? random.uniform(0, 1) : model;
    return machine;
}

Truth truth_of(const Machine& machine, double largest) {
    Truth truth;
    truth.capacities_bytes = machine.capacities;
    for (std::size_t i = 0; i < machine.latencies.size(); ++i) {
        const double from = i == 0 ? 1 : machine.capacities[i - 1];
        const double to = i < machine.capacities.size() ? machine.capacities[i] : largest;
        truth.latencies.push_back(
            {machine.latencies[i] * machine.translation(from), machine.latencies[i] * machine.translation(to)});
    }
    return truth;
}

} // namespace

GeneratedCurve generate_curve(std::uint64_t seed) {
    Random random(seed);
    const Machine machine = draw_machine(random);
    const int per_doubling = random.integer(2, 16);
    const double largest = std::max(64 * mib, 16 * machine.capacities.back());
    GeneratedCurve result;
    double last = 0;
    for (int i = 0;; ++i) {
        const double size = std::ceil(512 * std::exp2(static_cast<double>(i) / per_doubling) / 64) * 64;
        if (size > largest)
            break;
        if (size == last)
            continue;
        last = size;
        double factor = 1 + 0.03 * random.normal();
        if (random.integer(1, 20) == 1)
            factor *= 1.3;
        result.points.push_back({size, machine.latency(size) * factor});
    }
    result.truth = truth_of(machine, largest);
    return result;
}

GeneratedCurve generate_off_grid(Replacement replacement, std::uint64_t seed) {
    Random random(seed);
    Machine machine = draw_machine(random);
    machine.random_share = replacement == Replacement::least_recently_used ? 0 : 1;
    machine.fixed_cycle = replacement == Replacement::random;
    const double largest = std::max(64 * mib, 16 * machine.capacities.back());
    GeneratedCurve result;
    for (double power = 1024; power <= largest; power *= 2) {
        for (const double size : {power, 1.5 * power})
            result.points.push_back({size, machine.latency(size) * (1 + 0.01 * random.normal())});
    }
    result.truth = truth_of(machine, largest);
    return result;
}

namespace {

double step_around(Curve curve, double size) {
    const auto above = std::find_if(curve.begin() + 1, curve.end() - 1, [&](auto& p) { return p.size_bytes > size; });
    return above->size_bytes / std::prev(above)->size_bytes;
}

constexpr double rounding = 1.002; // sizes in print have few digits

bool within(double value, const Band& band, double share) {
    return value >= band.low_ns * (1 - share) && value <= band.high_ns * (1 + share);
}

bool is_in_range(const Level& level, double capacity) {
    return capacity >= level.capacity_low_bytes.value_or(0) / rounding &&
           capacity <= level.capacity_high_bytes.value_or(capacity) * rounding;
}

/// Where there is no best estimate the range must hold the capacity.
bool is_capacity_right(const Level& level, double capacity, Curve curve, double least_factor) {
    if (!level.capacity_bytes)
        return is_in_range(level, capacity);
    const double factor = std::max(step_around(curve, capacity), least_factor) * rounding;
    const double off = *level.capacity_bytes / capacity;
    return off <= factor && off >= 1 / factor;
}

} // namespace

Verdict judge(const Hierarchy& found, const Truth& truth, Curve curve, double least_factor) {
    Verdict verdict;
    const std::size_t levels = truth.capacities_bytes.size();
    verdict.of_capacities = static_cast<int>(levels);
    verdict.of_latencies = static_cast<int>(truth.latencies.size()) - 1;
    verdict.levels = found.caches.size() == levels;
    if (!verdict.levels)
        return verdict;
    for (std::size_t i = 0; i < levels; ++i) {
        verdict.capacities += is_capacity_right(found.caches[i], truth.capacities_bytes[i], curve, least_factor);
        verdict.ranges += is_in_range(found.caches[i], truth.capacities_bytes[i]);
    }
    verdict.l1 = within(found.caches[0].latency_ns, truth.latencies[0], 0.02);
    for (std::size_t i = 1; i < levels; ++i)
        verdict.latencies += within(found.caches[i].latency_ns, truth.latencies[i], 0.15);
    if (truth.latencies.size() > levels && found.memory)
        verdict.latencies += within(found.memory->latency_ns, truth.latencies.back(), 0.15);
    return verdict;
}

bool is_right(const Hierarchy& found, std::size_t place, const Truth& truth, Curve curve, double least_factor) {
    const auto has_capacity = [&](std::size_t i) {
        const double capacity = truth.capacities_bytes[i];
        return is_in_range(found.caches[i], capacity) ||
               is_capacity_right(found.caches[i], capacity, curve, least_factor);
    };
    const auto has_latency = [&](std::size_t i) {
        return within(found.caches[i].latency_ns, truth.latencies[i], 0.15);
    };
    const std::size_t levels = truth.capacities_bytes.size();
    if (place >= levels || !has_capacity(place) || !has_latency(place))
        return false;
    const std::size_t next = place + 1;
    const bool next_is_there = next < found.caches.size() && next < levels && (has_capacity(next) || has_latency(next));
    return found.caches.size() == levels || next_is_there;
}

} // namespace memtest::test

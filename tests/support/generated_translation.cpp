#include "support/generated_translation.hpp"

#include <algorithm>
#include <cmath>

namespace memtest {
namespace {

/// The share of misses of random replacement on a random cycle: a line stays when no miss of one lap hits it.
double random_miss_share(double load) {
    double misses = load > 1 ? 1 : 0;
    for (int step = 0; step < 1000; ++step)
        misses = 1 - std::exp(-misses * load);
    return misses;
}

/// The share of misses where pages fall on sets of eight by a hash, each with least-recently-used replacement: a walk
/// around a set of more than eight pages finds none of them.
double hashed_miss_share(const GeneratedTlb& tlb, std::size_t pages) {
    constexpr std::size_t ways = 8;
    std::vector<std::size_t> in_set(tlb.entries / ways);
    SplitMix64 hash(1);
    for (std::size_t page = 0; page < pages; ++page)
        ++in_set[hash.below(in_set.size())];
    std::size_t missing = 0;
    for (const std::size_t count : in_set)
        missing += count > ways ? count : 0;
    return static_cast<double>(missing) / static_cast<double>(pages);
}

double miss_share(const GeneratedTlb& tlb, std::size_t pages) {
    const double load = static_cast<double>(pages) / static_cast<double>(tlb.entries);
    switch (tlb.replacement) {
    case Replacement::hashed:
        return hashed_miss_share(tlb, pages);
    case Replacement::random:
        return load > 1 ? random_miss_share(load) : 0;
    case Replacement::tree:
        return load > 1 ? std::min(1.0, 0.5 + 0.1 * static_cast<double>(pages - tlb.entries - 1)) : 0;
    case Replacement::least_recently_used:
        break;
    }
    return load > 1 ? 1 : 0;
}

} // namespace

double generated_cost_ns(const TranslationMachine& machine, std::size_t pages) {
    const GeneratedTlb& last = machine.second.entries == 0 ? machine.first : machine.second;
    const double doublings = std::log2(static_cast<double>(pages) / static_cast<double>(last.entries));
    const double walk = machine.walk_ns * std::pow(machine.walk_growth, std::max(doublings, 0.0));
    if (machine.first.entries == 0)
        return 0;
    const double misses = miss_share(machine.first, pages);
    if (machine.second.entries == 0)
        return misses * walk;
    return misses * (machine.second_hit_ns + miss_share(machine.second, pages) * (walk - machine.second_hit_ns));
}

double GeneratedTranslation::noisy(double ns) {
    constexpr double resolution = 1U << 20U;
    return ns * (1 + machine_.noise * static_cast<double>(random_.below(1U << 20U)) / resolution);
}

std::optional<TranslationRound> GeneratedTranslation::measure(std::size_t pages, Layout first) {
    if (asked_.size() == interrupted_after_)
        return std::nullopt;
    const bool disturbed = asked_.size() >= disturbed_from_ && asked_.size() < disturbed_from_ + disturbed_;
    asked_.push_back({pages, first});
    const double packed = pages <= machine_.first_cache_lines ? machine_.first_cache_ns : machine_.second_cache_ns;
    const double spread = packed + generated_cost_ns(machine_, pages);
    return TranslationRound{.spread_ns = noisy(spread) * (disturbed ? 10 : 1), .packed_ns = noisy(packed)};
}

} // namespace memtest

#include "support/simulated_tlbs.hpp"

#include "memtest/insight/translation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

namespace memtest::test {
namespace {

constexpr double cycle_ns = 0.27;
constexpr double second_hit_ns = 2;
constexpr double most_noise = 0.02;

double walk_ns(Walks walks, double doublings) {
    if (walks == Walks::steady)
        return 16 * std::pow(1.3, std::max(doublings, 0.0));
    return 8 + 36 / (1 + std::exp(-8 * (doublings - 0.85)));
}

std::uint64_t hashed(std::uint64_t page) {
    return SplitMix64(page).next();
}

/// A random order of the pages, which lie side by side from anywhere on.
std::vector<std::uint64_t> pages_in_random_order(std::size_t count, SplitMix64& random) {
    std::vector<std::uint64_t> pages(count);
    std::iota(pages.begin(), pages.end(), random.below(std::uint64_t{1} << 30U));
    for (std::size_t left = count; left > 1; --left)
        std::swap(pages[left - 1], pages[random.below(left)]);
    return pages;
}

std::vector<TranslationPoint> sweep_of(SimulatedTranslation& machine) {
    constexpr std::size_t most_pages = 16384;
    constexpr unsigned rounds = 3;
    return sweep_translation(
        machine, numbers_of_pages(most_pages), rounds,
        [](TranslationCurve curve) { return next_pages(curve, cycle_ns); }, [](const std::string&) {});
}

void count(TlbTally& tally, const Tlb* tlb, std::size_t entries, bool is_second) {
    ++tally.tlbs;
    if (tlb == nullptr)
        return;
    const bool is_exact = tlb->entries == entries;
    const bool is_near = std::abs(static_cast<double>(tlb->entries) / static_cast<double>(entries) - 1) <= 0.15;
    ++tally.found;
    tally.exact += is_exact ? 1 : 0;
    tally.within_15 += is_near ? 1 : 0;
    tally.within_range += tlb->entries_low <= entries && entries <= tlb->entries_high ? 1 : 0;
    tally.high += tlb->confidence == Confidence::high ? 1 : 0;
    tally.high_and_right += tlb->confidence == Confidence::high && (is_second ? is_near : is_exact) ? 1 : 0;
}

} // namespace

SimulatedTlb::SimulatedTlb(const TlbDesign& design, std::uint64_t seed)
    : design_(design), ways_(design.placing == Placing::anywhere ? design.entries : design.ways),
      entries_(design.entries), random_(seed) {}

bool SimulatedTlb::look_up(std::uint64_t page) {
    const std::uint64_t key = page + 1; // 0 is an empty entry
    const std::size_t sets = entries_.size() / ways_;
    const std::size_t first = (design_.placing == Placing::by_hash ? hashed(page) : page) % sets * ways_;
    const std::span set(entries_.data() + first, ways_);
    const auto held = std::ranges::find(set, key, &Entry::page);
    if (held != set.end()) {
        note_use(*held, first);
        return true;
    }
    Entry& victim = victim_of(first);
    victim.page = key;
    note_use(victim, first);
    return false;
}

SimulatedTlb::Entry& SimulatedTlb::victim_of(std::size_t first) {
    const std::span set(entries_.data() + first, ways_);
    if (const auto empty = std::ranges::find(set, 0U, &Entry::page); empty != set.end())
        return *empty;
    if (design_.victim == Victim::random_entry)
        return set[random_.below(ways_)];
    return *std::ranges::min_element(set, {}, &Entry::used);
}

void SimulatedTlb::note_use(Entry& entry, std::size_t first) {
    if (design_.victim == Victim::oldest) {
        entry.used = ++uses_;
        return;
    }
    entry.used = 1;
    const std::span set(entries_.data() + first, ways_);
    if (std::ranges::all_of(set, [](const Entry& one) { return one.used == 1; })) {
        for (Entry& other : set)
            other.used = &other == &entry ? 1 : 0;
    }
}

std::optional<TranslationRound> SimulatedTranslation::measure(std::size_t pages, Layout /*first*/) {
    constexpr int laps = 3; // the last one counts
    SimulatedTlb first(first_, random_.next());
    SimulatedTlb second(second_, random_.next());
    const std::vector<std::uint64_t> order = pages_in_random_order(pages, random_);
    std::size_t first_misses = 0;
    std::size_t second_misses = 0;
    for (int lap = 1; lap <= laps; ++lap) {
        for (const std::uint64_t page : order) {
            if (first.look_up(page))
                continue;
            const bool is_walked = !second.look_up(page);
            first_misses += lap == laps ? 1 : 0;
            second_misses += lap == laps && is_walked ? 1 : 0;
        }
    }
    const auto share = [&](std::size_t misses) { return static_cast<double>(misses) / static_cast<double>(pages); };
    const double doublings = std::log2(static_cast<double>(pages) / static_cast<double>(second_.entries));
    const double walk = walk_ns(walks_, doublings);
    const double packed_ns = pages <= 512 ? 1.1 : 3.7;
    const double spread_ns =
        packed_ns + share(first_misses) * second_hit_ns + share(second_misses) * (walk - second_hit_ns);
    const auto noisy = [this](double ns) {
        return ns * (1 + most_noise * static_cast<double>(random_.below(1U << 20U)) / (1U << 20U));
    };
    return TranslationRound{.spread_ns = noisy(spread_ns), .packed_ns = noisy(packed_ns)};
}

TlbTally read_tlbs(TlbDesign design, bool is_second, const std::vector<std::size_t>& entries, int seeds, Walks walks) {
    constexpr TlbDesign usual_first{};
    constexpr TlbDesign usual_second{.entries = 2048, .ways = 8, .placing = Placing::by_hash};
    TlbTally tally;
    for (const std::size_t count_of_entries : entries) {
        design.entries = count_of_entries;
        for (int seed = 1; seed <= seeds; ++seed) {
            SimulatedTranslation machine(is_second ? usual_first : design, is_second ? design : usual_second, walks,
                                         static_cast<std::uint64_t>(seed));
            const std::vector<Tlb> found = read_translation(sweep_of(machine), cycle_ns).tlbs;
            const std::size_t place = is_second ? 1 : 0;
            count(tally, found.size() > place ? &found[place] : nullptr, count_of_entries, is_second);
        }
    }
    return tally;
}

} // namespace memtest::test

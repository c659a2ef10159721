#include "support/machine_classes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace memtest::test {
namespace {

enum class Eviction { least_recently_used, tree, random, aging };

/// A cache of 256 sets, filled line by line. A line is a number, and so is its set.
class SimulatedCache {
public:
    SimulatedCache(int ways, Eviction eviction, std::uint64_t seed) : eviction_(eviction), random_(seed) {
        for (std::vector<Way>& set : sets_)
            set.resize(static_cast<std::size_t>(ways));
    }

    static constexpr std::size_t sets = 256;

    bool hit(std::size_t set, int line) {
        const auto found = std::ranges::find(sets_.at(set), line, &Way::line);
        if (found == sets_.at(set).end())
            return false;
        touch(set, *found, 0);
        return true;
    }

    /// Makes room for a line. @return the one that went
    std::optional<int> insert(std::size_t set, int line) {
        Way& victim = victim_of(sets_.at(set));
        const int gone = std::exchange(victim.line, line);
        touch(set, victim, 2);
        return gone == none ? std::nullopt : std::optional(gone);
    }

    void remove(std::size_t set, int line) {
        const auto found = std::ranges::find(sets_.at(set), line, &Way::line);
        found->line = none;
    }

private:
    static constexpr int none = -1;

    struct Way {
        int line = none;
        std::uint64_t used_at = 0;
        int age = 3; ///< of aging replacement; recently used, for the tree
    };

    void touch(std::size_t set, Way& way, int new_age) {
        way.used_at = ++time_;
        way.age = new_age;
        if (eviction_ != Eviction::tree)
            return;
        // One bit for each way comes near to a tree: all are cleared when the last is set.
        way.age = 0;
        if (std::ranges::none_of(sets_.at(set), [](const Way& other) { return other.age != 0; })) {
            for (Way& other : sets_.at(set))
                other.age = &other == &way ? 0 : 3;
        }
    }

    Way& victim_of(std::vector<Way>& set) {
        if (const auto empty = std::ranges::find(set, none, &Way::line); empty != set.end())
            return *empty;
        if (eviction_ == Eviction::random)
            return set.at(static_cast<std::size_t>(random_.integer(0, static_cast<int>(set.size()) - 1)));
        if (eviction_ == Eviction::least_recently_used)
            return *std::ranges::min_element(set, {}, &Way::used_at);
        while (true) {
            if (const auto old = std::ranges::find(set, 3, &Way::age); old != set.end())
                return *old;
            for (Way& way : set)
                ++way.age;
        }
    }

    Eviction eviction_;
    Random random_;
    std::uint64_t time_ = 0;
    std::array<std::vector<Way>, sets> sets_;
};

/// The share of misses of a random cycle through so many lines.
double simulated_miss_share(const UnevenClass& drawn, Eviction eviction, int lines, std::uint64_t seed) {
    Random random(seed);
    SimulatedCache cache(drawn.ways, eviction, seed);
    SimulatedCache before(4, Eviction::least_recently_used, seed); // of victims: an evenly filled quarter or more
    const int together = drawn.filling == Filling::sectors ? 2 : 1;
    const int in_a_run = drawn.filling == Filling::coloured ? 16 : together;
    std::vector<std::size_t> set_of(static_cast<std::size_t>(lines));
    std::vector<int> order(static_cast<std::size_t>(lines));
    for (int line = 0; line < lines; ++line) {
        const auto place = static_cast<std::size_t>(line);
        constexpr int most = SimulatedCache::sets - 1;
        if (line % in_a_run == 0)
            set_of[place] = drawn.filling == Filling::coloured
                                ? static_cast<std::size_t>(random.integer(0, most) / 16 * 16)
                                : static_cast<std::size_t>(random.integer(0, most));
        else
            set_of[place] = set_of[place - 1] + (drawn.filling == Filling::coloured ? 1 : 0);
        order[place] = line;
    }
    for (std::size_t i = order.size() - 1; i > 0; --i)
        std::swap(order[i], order[static_cast<std::size_t>(random.integer(0, static_cast<int>(i)))]);
    int misses = 0;
    constexpr int warm_laps = 3;
    constexpr int laps = 2;
    for (int lap = 0; lap < warm_laps + laps; ++lap) {
        for (const int line : order) {
            const std::size_t set = set_of[static_cast<std::size_t>(line)];
            const int tag = line / together;
            if (drawn.filling == Filling::victim) {
                const std::size_t even = static_cast<std::size_t>(line) % SimulatedCache::sets;
                if (before.hit(even, line))
                    continue;
                const bool hit = cache.hit(set, line);
                if (hit)
                    cache.remove(set, line);
                if (const auto gone = before.insert(even, line))
                    (void)cache.insert(set_of[static_cast<std::size_t>(*gone)], *gone);
                misses += !hit && lap >= warm_laps ? 1 : 0;
                continue;
            }
            if (cache.hit(set, tag))
                continue;
            (void)cache.insert(set, tag);
            misses += lap >= warm_laps ? 1 : 0;
        }
    }
    return static_cast<double>(misses) / (laps * lines);
}

/// The lines that the caches of a simulation hold.
int lines_held(const UnevenClass& drawn) {
    constexpr int sets = SimulatedCache::sets;
    const int lines = sets * drawn.ways;
    return drawn.filling == Filling::victim ? lines + 4 * sets : drawn.filling == Filling::sectors ? 2 * lines : lines;
}

/// The share of misses by the load, from simulations at eight loads per doubling, each the mean of some placements.
double miss_share_at(const UnevenClass& drawn, Eviction eviction, double load) {
    constexpr int per_doubling = 8;
    constexpr int first = -2 * per_doubling;
    constexpr int last = 5 * per_doubling;
    using Key = std::tuple<Filling, int, Eviction>;
    static std::map<Key, std::vector<double>> tables;
    std::vector<double>& table = tables[{drawn.filling, drawn.ways, eviction}];
    for (int i = first + static_cast<int>(table.size()); i <= last; ++i) {
        const double at = std::exp2(static_cast<double>(i) / per_doubling);
        const int placements = at > 2 ? 1 : drawn.filling == Filling::coloured ? 12 : 2;
        double sum = 0;
        for (int placement = 1; placement <= placements; ++placement)
            sum += simulated_miss_share(drawn, eviction, static_cast<int>(at * lines_held(drawn)),
                                        static_cast<std::uint64_t>(placement));
        table.push_back(sum / placements);
    }
    const double place = per_doubling * std::log2(load) - first;
    if (place <= 0)
        return 0;
    const auto below = static_cast<std::size_t>(place);
    if (below + 1 >= table.size())
        return std::lerp(1, table.back(), std::exp2(last / per_doubling) / load); // what is left falls with the load
    return std::lerp(table[below], table[below + 1], place - static_cast<double>(below));
}

constexpr std::array<UnevenClass, 6> classes = {{
    {"uneven sets, 4 ways", Filling::coloured, 4},
    {"uneven sets, 8 ways", Filling::coloured, 8},
    {"uneven sets, 16 ways", Filling::coloured, 16},
    {"hashed slices", Filling::hashed, 16},
    {"sectors", Filling::sectors, 8},
    {"victim cache", Filling::victim, 12},
}};

} // namespace

std::span<const UnevenClass> uneven_classes() {
    return classes;
}

GeneratedCurve draw_uneven(const UnevenClass& drawn, int sizes_per_doubling, std::uint64_t seed) {
    Random random(seed);
    GeneratedCurve result;
    std::vector<double>& capacities = result.truth.capacities_bytes;
    std::vector<double> latencies{random.log_uniform(0.8, 2.5)};
    std::vector<Eviction> evictions;
    capacities.push_back(std::exp2(random.integer(14, 16)) * (random.integer(0, 1) == 0 ? 1 : 1.5));
    const int levels = random.integer(2, 3);
    for (int level = 1; level < levels; ++level) {
        capacities.push_back(std::round(capacities.back() * random.log_uniform(6, 24) / 4096) * 4096);
        latencies.push_back(latencies.back() * random.log_uniform(2.8, 5));
        evictions.push_back(static_cast<Eviction>(random.integer(0, 3)));
    }
    latencies.push_back(std::max(70.0, latencies.back() * random.log_uniform(3, 6)));
    const double largest = 16 * capacities.back();
    for (int i = 0;; ++i) {
        const double size = std::ceil(1024 * std::exp2(static_cast<double>(i) / sizes_per_doubling) / 64) * 64;
        if (size > largest)
            break;
        double ns = latencies.front() + (size > capacities.front() ? latencies[1] - latencies[0] : 0);
        for (std::size_t k = 1; k < capacities.size(); ++k)
            ns += (latencies[k + 1] - latencies[k]) * miss_share_at(drawn, evictions[k - 1], size / capacities[k]);
        result.points.push_back({size, ns * (1 + 0.01 * random.normal())});
    }
    for (const double ns : latencies)
        result.truth.latencies.push_back({ns, ns});
    return result;
}

} // namespace memtest::test

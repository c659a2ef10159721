#pragma once

#include "memtest/base/words.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// What a result states as one number.
enum class Quantity {
    level_latency, ///< of a cache
    capacity,      ///< of a cache
    memory_latency,
    size_latency, ///< of a single size of a sweep
    access_time,  ///< with several chains side by side, as a share of that with one
    tlb_entries,
    tlb_hit,   ///< what translation by a TLB adds to an access
    page_walk, ///< what it adds beyond the TLBs
    peak,
    core_latency,
    node_latency,
    node_bandwidth,
    p50,
    p99,
    p99_9,
    pattern, ///< the time of an access in a pattern, as a share of that in random order
    whole,   ///< a part of a report or a file, which is there or not
};

struct QuantityFacts {
    Quantity quantity{};
    std::string_view meaning; ///< for the manual
    std::string_view unit;
    int decimals = 2;
    double floor_percent = 0; ///< the least standard deviation from run to run that is assumed
    bool decides = true;      ///< else it is only listed
    bool less_is_worse = false;
};

/// The facts of every quantity, in their order. What moves by a tenth from run to run, such as the latency under load,
/// is none: noise would hide any change. The floors are what reports in a row of one virtual machine showed
/// (tests/bench); node figures are estimates.
inline constexpr std::array<QuantityFacts, 17> quantities{{
    {Quantity::level_latency, "latency of a cache", "ns", 3, 1},
    {Quantity::capacity, "capacity of a cache", "KiB", 1, 4, true, true},
    {Quantity::memory_latency, "latency of memory", "ns", 3, 2},
    {Quantity::size_latency, "latency of a single size", "ns", 3, 1, false},
    {Quantity::access_time, "access with several chains, of that with one", "%", 2, 4},
    {Quantity::tlb_entries, "entries of the first TLB", "entries", 0, 2, true, true},
    {Quantity::tlb_hit, "hit of the second TLB", "ns", 3, 3},
    {Quantity::page_walk, "page walk", "ns", 3, 4},
    {Quantity::peak, "peak bandwidth", "GB/s", 2, 4, true, true},
    {Quantity::core_latency, "core-to-core latency", "ns", 3, 4.5},
    {Quantity::node_latency, "latency between nodes", "ns", 3, 2},
    {Quantity::node_bandwidth, "bandwidth between nodes", "GB/s", 2, 3, true, true},
    {Quantity::p50, "p50", "ns", 2, 2},
    {Quantity::p99, "p99", "ns", 2, 6, false},
    {Quantity::p99_9, "p99.9", "ns", 2, 10, false},
    {Quantity::pattern, "access with a stride, of a random one", "%", 2, 4},
    {Quantity::whole, "a part of a report", ""},
}};

[[nodiscard]] constexpr const QuantityFacts& facts_of(Quantity quantity) {
    return quantities.at(static_cast<std::size_t>(quantity));
}

/// What else there is to say of a figure, or of its change, than its number.
enum class Why {
    none,
    noise,        ///< would hide four times the tolerance
    within_noise, ///< more than the tolerance, and no more than the noise
    within_step,  ///< the steps overlap between which both values lie: sizes, pages, ticks
    disturbed,    ///< something outside the measurement changed it
    contested,    ///< others took the cache for part of the time
    shared,       ///< others have the rest of the cache
    incomplete,
    not_in_base,
    not_in_new,
    gone,     ///< the sizes of a cache take as long as what lies behind it
    appeared, ///< a cache where the baselines have none
    follows,  ///< another figure explains the change: the sweep at its size, or its cause
};

template<>
inline constexpr std::array<Word<Why>, 13> word_table<Why>{{{Why::none, "none"},
                                                            {Why::noise, "too noisy"},
                                                            {Why::within_noise, "within noise"},
                                                            {Why::within_step, "within a step"},
                                                            {Why::disturbed, "disturbed"},
                                                            {Why::contested, "contested"},
                                                            {Why::shared, "shared"},
                                                            {Why::incomplete, "incomplete"},
                                                            {Why::not_in_base, "not in base"},
                                                            {Why::not_in_new, "not in new"},
                                                            {Why::gone, "gone"},
                                                            {Why::appeared, "new"},
                                                            {Why::follows, "explained"}}};

/// One of the measurements that a figure comes from.
struct FigureReading {
    std::string of; ///< a size or a part, the same in every result
    double value = 0;
};

/// The bounds between which a figure lies; both included.
struct FigureRange {
    double low = 0;
    double high = 0;
};

/// A number that a result states.
struct Figure {
    std::string part = {}; ///< of the report that it is in; empty if in none
    std::string name;      ///< within its part: "L2 latency"
    Quantity quantity{};
    double value = 0;                                ///< in the unit of the quantity; 0 if a disturbance left none
    double noise = 0;                                ///< the standard deviation of its logarithm that its run shows
    Why doubt = Why::none;                           ///< disturbed, contested or incomplete
    std::optional<FigureRange> range = std::nullopt; ///< of a count, or as the steps of a counter tell it
    std::optional<double> at_bytes = std::nullopt;   ///< the size of the working set
    std::optional<double> behind = std::nullopt;     ///< of the latency of a cache: that of the next level
    bool has_contested_sizes = false;                ///< of the latency of a cache: of some it is not known
    std::vector<FigureReading> readings = {};        ///< empty if the value is the only one
    std::string cause = {}; ///< the figure of its part whose change for the worse may be the cause of its own
};

} // namespace memtest

#pragma once

#include "memtest/base/words.hpp"
#include "memtest/insight/change.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// What a result states as one number.
enum class Quantity {
    level_latency,      ///< of a cache, or of memory
    capacity,           ///< of a cache
    access_time,        ///< of several chains side by side
    tlb_entries,        ///< of a first TLB, whose edge shows to a page
    fitted_tlb_entries, ///< of a second one
    tlb_hit,            ///< what translation by a TLB adds to an access
    page_walk,          ///< what it adds beyond the TLBs
    saving,             ///< the time of an access that huge pages save
    idle_latency,
    loaded_latency, ///< at some bandwidth
    knee,
    peak,
    core_latency, ///< the median of many pairs
    pair_latency, ///< of the nearest or farthest pair
    node_latency,
    node_bandwidth,
    p50,
    p99,
    p99_9,
    pattern,            ///< the time of an access in a pattern
    pattern_difference, ///< of some accesses in a pattern, from the difference of two walks
};

struct QuantityFacts {
    Quantity quantity{};
    std::string_view unit;
    int decimals = 2;
    /// The standard deviation from run to run, in percent.
    double repeatability_percent = 0;
    bool less_is_worse = false;
};

/// The facts of every quantity, in their order.
inline constexpr std::array<QuantityFacts, 21> quantities{{
    // Repeatabilities of 12 reports in a row on a virtual machine whose host moved its processors (tests/bench): those
    // of a quiet machine are better. Node figures, capacities and levels are estimates.
    {Quantity::level_latency, "ns", 3, 1},
    {Quantity::capacity, "KiB", 0, 10, true},
    {Quantity::access_time, "ns", 3, 5},
    {Quantity::tlb_entries, "entries", 0, 2, true}, // besides their range
    {Quantity::fitted_tlb_entries, "entries", 0, 11, true},
    {Quantity::tlb_hit, "ns", 3, 2},
    {Quantity::page_walk, "ns", 3, 6},
    {Quantity::saving, "ns", 3, 5},
    {Quantity::idle_latency, "ns", 3, 9},
    {Quantity::loaded_latency, "ns", 3, 15},
    {Quantity::knee, "GB/s", 2, 40, true},
    {Quantity::peak, "GB/s", 2, 13, true},
    {Quantity::core_latency, "ns", 3, 10},
    {Quantity::pair_latency, "ns", 3, 11},
    {Quantity::node_latency, "ns", 3, 2},
    {Quantity::node_bandwidth, "GB/s", 2, 3, true},
    {Quantity::p50, "ns", 2, 5},
    {Quantity::p99, "ns", 2, 6},
    {Quantity::p99_9, "ns", 2, 10},
    {Quantity::pattern, "ns", 3, 10},
    {Quantity::pattern_difference, "ns", 3, 38},
}};

[[nodiscard]] constexpr const QuantityFacts& facts_of(Quantity quantity) {
    return quantities.at(static_cast<std::size_t>(quantity));
}

/// Why a figure says nothing about a difference.
enum class Doubt {
    none,
    disturbed, ///< something outside the measurement changed it
    contested, ///< others took the cache for part of the time
    incomplete,
    unconfirmed, ///< other parts of the report measure the same, and do not show it
    not_in_base,
    not_in_new,
};

template<>
inline constexpr std::array<Word<Doubt>, 7> word_table<Doubt>{{{Doubt::none, "none"},
                                                               {Doubt::disturbed, "disturbed"},
                                                               {Doubt::contested, "contested"},
                                                               {Doubt::incomplete, "incomplete"},
                                                               {Doubt::unconfirmed, "unconfirmed"},
                                                               {Doubt::not_in_base, "not in base"},
                                                               {Doubt::not_in_new, "not in new"}}};

/// The bounds between which a figure lies, or would lie in another run of the same machine; both included.
struct FigureRange {
    double low = 0;
    double high = 0;
};

/// A number that a result states.
struct Figure {
    std::string part = {}; ///< of the report that it is in; empty if in none
    std::string name;      ///< within its part: "L2 latency"
    Quantity quantity{};
    std::string subject{}; ///< what other parts may measure, too: "memory latency"; empty if none does
    double value = 0;      ///< above 0, in the unit of the quantity
    double noise = 0;      ///< the standard deviation of its logarithm that its run suggests
    std::optional<FigureRange> range = std::nullopt; ///< of a count, a capacity or p99.9
    Doubt doubt = Doubt::none;
};

/// The standard deviation of its logarithm from run to run: the larger of what its run and its quantity suggest.
/// @param scale of the repeatability of the quantity: below 1 on a machine that is quieter than others
[[nodiscard]] double suggested_noise(const Figure& figure, double scale = 1);

/// How a figure changed.
struct FigureChange {
    std::string part = {};
    std::string name;
    Quantity quantity{};
    std::string subject{};     ///< as that of Figure
    Change change{};           ///< faster and slower stand for better and worse
    Doubt doubt = Doubt::none; ///< any makes the verdict `cannot tell`
};

/// The weight, in runs, of what is known of the noise of a quantity (ChangeJudge's evidence): twelve runs showed it.
inline constexpr int figure_evidence = 12;

/// Whether a difference counts by itself. A saving is the difference of two sweeps, which are compared: it rises where
/// huge pages become faster, and where small pages become slower.
[[nodiscard]] constexpr bool decides(Quantity quantity) {
    return quantity != Quantity::saving;
}

/// Whether one run in twenty is off by a factor. The knee moves to the first load that noise lifts above its limit, and
/// p99.9 lies at the foot of a cliff of stops.
[[nodiscard]] constexpr bool is_erratic(Quantity quantity) {
    return quantity == Quantity::knee || quantity == Quantity::p99_9;
}

/// Whether a figure repeats so well that noise which hides its change makes a whole comparison unclear. Others have a
/// say only if they changed.
[[nodiscard]] constexpr bool repeats(Quantity quantity) {
    constexpr double most_percent = 3; // with one baseline, its noise is then within four times 5 %
    return facts_of(quantity).repeatability_percent <= most_percent;
}

/// Compares the figures of the latest run with those of one or more of the same machine, paired by part and name.
///
/// The change of a figure is the logarithm of its value over the median of the baselines'. ChangeJudge judges it, with
/// all others together; what a run suggests for the noise is the larger of Figure::noise and the quantity's
/// repeatability. The repeatabilities are scaled by one factor for the machine: how the scatter between the baselines
/// compares with them, over all figures without a range. One with a range changed only if the ranges do not overlap,
/// too. `cannot tell` is also the verdict if the latest figure is in doubt or missing, and if those of half of the
/// baselines are.
/// @return in the order of the latest figures, then those that only baselines have
[[nodiscard]] std::vector<FigureChange> compare_figures(std::span<const std::vector<Figure>> baselines,
                                                        std::span<const Figure> latest, double tolerance_percent = 5);

/// Withdraws the verdict on a figure that changed if other parts measure the same and do not show it. They are other
/// moments of the same runs: what changed for good is in at least three quarters of them, and what changed for a moment
/// is not. A part shows a change if one of its figures has two thirds to one and a half times of it, or more and the
/// same verdict; figures in doubt do not count.
void withdraw_unconfirmed(std::span<FigureChange> changes);

/// Whether there is a verdict on a figure that decides.
[[nodiscard]] bool is_told(const FigureChange& figure);

/// Whether a figure without a verdict makes the whole comparison unclear: it decides, and it repeats or is in doubt (a
/// missing or unconfirmed one only if it repeats; an unconfirmed change for the better does not).
[[nodiscard]] bool is_unclear(const FigureChange& figure);

/// Of the figures that decide: worse if any is. Else `cannot tell` if any is unclear, or if none has a verdict; else
/// better if any is.
[[nodiscard]] Verdict verdict_of(std::span<const FigureChange> changes);

} // namespace memtest

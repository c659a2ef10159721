#include "memtest/insight/figure_change.hpp"

#include <algorithm>

namespace memtest {

bool decides(const FigureChange& change) {
    return facts_of(change.quantity).decides;
}

bool has_both(const FigureChange& change) {
    return change.base > 0 && change.latest > 0;
}

bool has_changed(const FigureChange& change) {
    return change.verdict == Verdict::worse || change.verdict == Verdict::better;
}

bool is_told(const FigureChange& change) {
    return decides(change) && change.verdict != Verdict::cannot_tell;
}

bool tells_of_speed(const FigureChange& change) {
    return is_told(change) && change.quantity != Quantity::capacity;
}

bool is_missing(const FigureChange& change) {
    return decides(change) &&
           (change.why == Why::not_in_base || change.why == Why::not_in_new || change.why == Why::incomplete);
}

bool is_lost(const FigureChange& change) {
    const bool may_be_unseen = change.quantity == Quantity::tlb_entries || change.quantity == Quantity::tlb_hit ||
                               change.quantity == Quantity::page_walk;
    return is_missing(change) && (change.why == Why::incomplete || !may_be_unseen);
}

bool is_of_level(const FigureChange& change) {
    return change.quantity == Quantity::level_latency || change.quantity == Quantity::memory_latency;
}

bool may_exceed_noise(const FigureChange& change) {
    return is_of_level(change) || change.quantity == Quantity::pattern;
}

bool is_memory_untold(std::span<const FigureChange> changes) {
    const auto is_memory = [](const FigureChange& one) { return one.quantity == Quantity::memory_latency; };
    return std::ranges::any_of(changes, is_memory) &&
           std::ranges::none_of(changes, [&](const FigureChange& one) { return is_memory(one) && is_told(one); });
}

bool may_be_worse(const FigureChange& change) {
    return is_of_level(change) && change.why == Why::noise && change.change_percent > change.noise_percent;
}

Verdict verdict_of(std::span<const FigureChange> changes) {
    const auto any = [&](Verdict verdict) {
        return std::ranges::any_of(changes,
                                   [&](const FigureChange& one) { return decides(one) && one.verdict == verdict; });
    };
    if (any(Verdict::worse))
        return Verdict::worse;
    if (std::ranges::any_of(changes, is_lost) || std::ranges::any_of(changes, may_be_worse) ||
        std::ranges::none_of(changes, tells_of_speed) || is_memory_untold(changes))
        return Verdict::cannot_tell;
    return any(Verdict::better) ? Verdict::better : Verdict::no_difference;
}

} // namespace memtest

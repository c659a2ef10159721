#pragma once

#include "memtest/base/words.hpp"
#include "memtest/insight/figure.hpp"

#include <array>
#include <optional>
#include <span>
#include <string>

namespace memtest {

enum class Verdict { no_difference, better, worse, cannot_tell };

template<>
inline constexpr std::array<Word<Verdict>, 4> word_table<Verdict>{{{Verdict::no_difference, "no difference"},
                                                                   {Verdict::better, "better"},
                                                                   {Verdict::worse, "worse"},
                                                                   {Verdict::cannot_tell, "cannot tell"}}};

/// How a figure changed.
struct FigureChange {
    std::string part = {};
    std::string name;
    Quantity quantity{};
    double base = 0;   ///< the median of the baselines; 0 if they lack it, or lost it to a disturbance
    double latest = 0; ///< as measured; 0 likewise
    double change_percent = 0;
    double noise_percent = 0; ///< the largest change that noise explains
    Verdict verdict = Verdict::no_difference;
    Why why = Why::none;
    std::optional<double> at_bytes = std::nullopt;
    std::string cause = {}; ///< as that of Figure
};

/// Whether it counts for the verdict; others are only listed.
[[nodiscard]] bool decides(const FigureChange& change);

/// Whether both sides state it.
[[nodiscard]] bool has_both(const FigureChange& change);

/// Whether it is better or worse.
[[nodiscard]] bool has_changed(const FigureChange& change);

/// Whether it has a verdict and decides.
[[nodiscard]] bool is_told(const FigureChange& change);

/// Whether it has a verdict, decides, and is no capacity.
[[nodiscard]] bool tells_of_speed(const FigureChange& change);

/// Whether one side alone states it, and it decides.
[[nodiscard]] bool is_missing(const FigureChange& change);

/// Whether its absence makes a comparison unclear: it is missing, and not because noise hid the end of a TLB.
[[nodiscard]] bool is_lost(const FigureChange& change);

/// Whether it is the latency of a cache or of memory, which people ask for first.
[[nodiscard]] bool is_of_level(const FigureChange& change);

/// Whether it counts however large its noise is, once it changed by more than twice that: a level or a stride.
[[nodiscard]] bool may_exceed_noise(const FigureChange& change);

/// Whether it is the latency of a level that rose by more than its noise, which is too large to compare it. Other
/// figures of such noise have outliers too often.
[[nodiscard]] bool may_be_worse(const FigureChange& change);

/// Whether the latency of memory is stated, and cannot be compared in any kind of pages.
[[nodiscard]] bool is_memory_untold(std::span<const FigureChange> changes);

/// Worse if a figure that decides is; else `cannot tell` if one is lost or may be worse, or if none but capacities, or
/// no latency of memory, can be compared; else better if one is.
[[nodiscard]] Verdict verdict_of(std::span<const FigureChange> changes);

} // namespace memtest

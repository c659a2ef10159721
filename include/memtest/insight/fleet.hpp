#pragma once

#include "memtest/base/words.hpp"
#include "memtest/insight/figure.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace memtest {

/// Fewer machines than this do not show what is usual.
inline constexpr std::size_t fewest_machines = 4;

/// What the figures of a fleet say together.
enum class FleetVerdict { alike, differ, cannot_tell };

template<>
inline constexpr std::array<Word<FleetVerdict>, 3> word_table<FleetVerdict>{
    {{FleetVerdict::alike, "alike"}, {FleetVerdict::differ, "differ"}, {FleetVerdict::cannot_tell, "cannot tell"}}};

/// A figure by which a machine stands apart.
struct OddFigure {
    std::size_t machine = 0; ///< its place in the fleet
    FigureChange figure{};   ///< its base is the median of the others
};

/// A figure that enough machines state without a doubt.
struct JudgedFigure {
    std::string part{};
    std::string name{};
    Quantity quantity{};
    std::size_t machines = 0;  ///< that state it
    std::size_t differ = 0;    ///< of these, those that differ
    double usual = 0;          ///< the median of the machines
    double noise_percent = 0;  ///< what noise explains of an odd machine's difference, or of most others'
    bool is_too_noisy = false; ///< none differs, and noise hides the differences of most
};

/// What sets single machines of a fleet apart from all others.
struct OddFigures {
    std::vector<OddFigure> list{};       ///< by machine, then by part and name
    std::vector<JudgedFigure> figures{}; ///< that were compared, by part and name
};

/// Finds the figures of each machine that differ from the median of the others by more than the tolerance and the
/// noise.
///
/// ChangeJudge bounds the noise, at a tenth of its chance of a false alarm for all figures of all machines together.
/// From 20 others on, their variance is that of a normal distribution of which half, three quarters, nine tenths or
/// (from 40 on) nineteen twentieths lie as far from the median as theirs, whichever is largest: a few odd machines do
/// not widen it, and many that are a little apart do. The noise is at least what the machine's own run suggests, and
/// the ranges of a figure and of the others must not meet. Other parts that measure the same must confirm a difference
/// (withdraw_unconfirmed). Figures that do not decide (savings) and erratic ones are left out.
/// @param machines of one kind, each with its figures; those in doubt do not count
[[nodiscard]] OddFigures odd_figures(std::span<const std::vector<Figure>> machines, double tolerance_percent = 5);

} // namespace memtest

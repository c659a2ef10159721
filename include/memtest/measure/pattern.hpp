#pragma once

#include "memtest/base/words.hpp"
#include "memtest/machine/pages.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace memtest {

/// Which accesses to memory a figure is of.
enum class Pattern {
    random,        ///< to random lines
    index,         ///< the same, linked by index
    repeated_lap,  ///< the same again, in the twentieth lap
    pair,          ///< to the second line of an aligned pair, after the first
    pair_backward, ///< to the first line of an aligned pair, after the second
    next_line,     ///< to the first line of a pair, after the second of the pair before
    forward,       ///< by a constant stride
    backward,
    start, ///< forward by a stride of a line, soon after its start
};

template<>
inline constexpr std::array<Word<Pattern>, 9> word_table<Pattern>{{{Pattern::random, "random"},
                                                                   {Pattern::index, "index"},
                                                                   {Pattern::repeated_lap, "repeated lap"},
                                                                   {Pattern::pair, "pair"},
                                                                   {Pattern::pair_backward, "pair backward"},
                                                                   {Pattern::next_line, "next line"},
                                                                   {Pattern::forward, "forward"},
                                                                   {Pattern::backward, "backward"},
                                                                   {Pattern::start, "start"}}};

/// Some accesses whose lines are in no cache.
struct PatternStep {
    Pattern pattern = Pattern::random;
    PageKind pages = PageKind::base;
    std::size_t stride_lines = 0; ///< from line to line; 0 for random lines
    std::size_t hops = 0;         ///< of a start: the figure is of the second half of them

    bool operator==(const PatternStep&) const = default;
};

/// A step and its time per access in each round, in ns.
struct PatternPoint {
    PatternStep step;
    std::vector<double> rounds_ns;
};

} // namespace memtest

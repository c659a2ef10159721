#pragma once

#include "memtest/base/words.hpp"
#include "memtest/measure/pattern.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace memtest {

/// The time of an access in a pattern, over all rounds.
struct PatternFigure {
    Pattern pattern = Pattern::random;
    PageKind pages = PageKind::base;
    std::optional<std::uint64_t> stride_bytes = std::nullopt;
    std::optional<std::uint64_t> hops = std::nullopt;    ///< of a start; see PatternStep
    std::optional<double> latency_ns = std::nullopt;     ///< the median; 0 where it took no time that the clock tells
    std::optional<double> low_ns = std::nullopt;         ///< the min; 0 like the median, or std::nullopt in older files
    std::optional<double> high_ns = std::nullopt;        ///< the upper quartile; std::nullopt after one round
    std::optional<double> random_percent = std::nullopt; ///< the median, of that of random lines in the same pages
};

/// The figures of points, in their order.
[[nodiscard]] std::vector<PatternFigure> figures_of(std::span<const PatternPoint> points, std::size_t line_bytes);

enum class Truth { no, yes, unknown };

template<>
inline constexpr std::array<Word<Truth>, 3> word_table<Truth>{
    {{Truth::no, "no"}, {Truth::yes, "yes"}, {Truth::unknown, "unknown"}}};

/// How far strides in one direction are followed.
struct FollowedStrides {
    std::uint64_t up_to_bytes = 0; ///< the largest stride that is, with all shorter ones; 0: none
    bool is_known = true;          ///< false: the next stride may be followed as well
    bool is_longest = false;       ///< no longer stride was tried
};

/// What prefetchers do, as the patterns show it. A pattern is prefetched if an access takes less than half of one to a
/// random line: the upper quartile of its rounds less than half of the min there. It is not if the min is at least half
/// of the median there. Otherwise the answer is unknown. In small pages a quarter takes the place of a half for strides
/// of a page or more, which save page walks as well. For repeated laps and for index links four fifths count; the
/// answer is unknown rather than no if the medians in other pages show it. After one round the answer is never no: it
/// is yes if a walk takes less than half of these shares. A difference of two walks tells nothing then.
struct Prefetchers {
    struct InPages {
        PageKind pages = PageKind::base;
        FollowedStrides forward;
        FollowedStrides backward;
    };

    std::vector<InPages> strides;     ///< for each kind of pages
    Truth pairs = Truth::unknown;     ///< the other line of an aligned pair comes along, in both directions
    Truth next_line = Truth::unknown; ///< the next line comes along, whatever its place in a pair
    Truth learns_laps = Truth::unknown;
    Truth follows_addresses = Truth::unknown;                      ///< in the data: pointers are faster than indices
    std::optional<std::uint64_t> starts_after_hops = std::nullopt; ///< with a stride of one line; none: not known
};

/// Infers them from the figures, in huge pages where there are two kinds.
/// @pre every kind of pages has figures of all patterns, or that answer is unknown
[[nodiscard]] Prefetchers read_prefetchers(std::span<const PatternFigure> measured, std::uint64_t base_page_bytes);

} // namespace memtest

#pragma once

#include "memtest/chain/chains.hpp"
#include "memtest/machine/arena.hpp"
#include "memtest/machine/clock.hpp"
#include "memtest/machine/pages.hpp"
#include "memtest/machine/system_files.hpp"
#include "memtest/measure/rounds.hpp"
#include "memtest/measure/team.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace memtest {

/// How the lines of a page chain lie in memory.
enum class Layout {
    /// One in each page, a page and a line apart, so that they use all sets of the caches. Huge pages are another base
    /// page apart: if small pages back them, the lines use all sets of those pages' TLBs, too.
    spread,
    packed, ///< adjacent, in few pages
};

/// The units in which a page chain is laid out.
struct PageUnits {
    std::size_t page_bytes = 4096;      ///< of the memory; each spread line has one to itself
    std::size_t base_page_bytes = 4096; ///< the smallest that may back it
    std::size_t line_bytes = 64;
};

/// The memory and chains for measuring translation.
struct PageProbePlan {
    PageKind pages = PageKind::base;
    PageUnits units;
    std::optional<int> processor = std::nullopt; ///< to which the calling thread is bound, if to any
    std::size_t most_pages = 0;
    std::uint64_t seed = 1;
    unsigned orders = 1; ///< see ChainShape
    Link link = Link::pointer;
};

/// The shape of a random chain in one of two layouts, whose nodes are one line each, and as far apart as `line_bytes`
/// of the shape. Two chains with the same number of nodes fill the data caches alike and differ in the number of pages:
/// the difference of their latencies is the cost of address translation. The packed walk finishes a block of 16 base
/// pages, which the smallest TLB holds, before the next block. (A walk from page to page would be prefetched.)
[[nodiscard]] ChainShape page_chain_shape(Layout layout, const PageProbePlan& plan, std::uint64_t seed);

/// The memory that this many nodes take.
[[nodiscard]] std::size_t page_chain_bytes(Layout layout, std::size_t nodes, const PageUnits& units);

/// The time of an access to one line per page, in both layouts, measured one right after the other.
struct TranslationRound {
    double spread_ns = 0; ///< one line in each page
    double packed_ns = 0; ///< the same number of lines in few pages

    [[nodiscard]] double translation_ns() const noexcept { return spread_ns - packed_ns; }
};

/// Measures a round. @param first the layout to measure before the other @param ns_per_access in a layout;
/// std::nullopt if interrupted, as the round then is
[[nodiscard]] std::optional<TranslationRound>
measure_round(Layout first, const std::function<std::optional<double>(Layout layout)>& ns_per_access);

/// Measures what translation costs at one number of pages: the border to the real machine, replaced in tests.
class TranslationProbe {
public:
    virtual ~TranslationProbe() = default;

    /// One round. std::nullopt if interrupted. @param first the layout to measure before the other
    [[nodiscard]] virtual std::optional<TranslationRound> measure(std::size_t pages, Layout first) = 0;
};

/// All rounds at one number of pages, at least one.
struct TranslationPoint {
    std::size_t pages = 0;
    std::vector<TranslationRound> rounds;
};

/// The min latency of either layout over all rounds: disturbances only add time.
[[nodiscard]] TranslationRound smallest_of(const TranslationPoint& point);

/// How far the rounds disagree: from the min to the lower quartile, of both layouts together, in ns.
[[nodiscard]] double disagreement_ns(const TranslationPoint& point);

/// The numbers of pages to begin with: four per doubling, from 4 (the size of the smallest TLBs) to at most `most`.
[[nodiscard]] std::vector<std::size_t> numbers_of_pages(std::size_t most);

/// Gives the next number of pages to measure, from the points in ascending order; std::nullopt if they suffice.
using NextPages = std::function<std::optional<std::size_t>(std::span<const TranslationPoint> points)>;

/// Measures every number of pages in several rounds over all of them, since disturbances outlast a measurement. Then
/// measures one by one the numbers from `next_pages`, which must be new. The layouts take turns at being first.
/// @param pages ascending @param time_is_up for the rounds over all; `next_pages` looks to the time itself
/// @return in ascending order; if interrupted, the points so far
[[nodiscard]] std::vector<TranslationPoint>
sweep_translation(TranslationProbe& probe, const std::vector<std::size_t>& pages, unsigned rounds,
                  const NextPages& next_pages, const PhraseSink& phrase_sink, const TimeIsUp& time_is_up = nullptr);

/// The bytes of memory that the plan takes.
[[nodiscard]] std::size_t memory_bytes_for(const PageProbePlan& plan);

/// The probe of translation on the real machine, for the calling thread and its processor. Each round links its chains
/// anew, in another random order.
class PageProbe : public TranslationProbe {
public:
    /// @throws Error if the system refuses the memory @param interrupted ends a measurement early
    PageProbe(const PageProbePlan& plan, const SystemFiles& files, const std::atomic<bool>& interrupted);

    [[nodiscard]] std::optional<TranslationRound> measure(std::size_t pages, Layout first) override;

    [[nodiscard]] ThreadFacts facts(const SystemFiles& files);

private:
    [[nodiscard]] std::optional<double> ns_per_access(Layout layout, std::size_t lines, std::uint64_t seed);

    const std::atomic<bool>& interrupted_;
    PageProbePlan plan_;
    Arena arena_;
    MonotonicClock clock_;
    ClockQuality quality_;
    std::uint64_t round_ = 0;
};

} // namespace memtest

#pragma once

#include "memtest/chain/line_cycle.hpp"
#include "memtest/machine/arena.hpp"
#include "memtest/machine/clock.hpp"
#include "memtest/machine/pages.hpp"
#include "memtest/machine/system_files.hpp"
#include "memtest/measure/pattern.hpp"
#include "memtest/measure/rounds.hpp"
#include "memtest/measure/team.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace memtest {

/// The steps for kinds of pages: strides from a line to a small page and at least 128 lines, forward and backward; at
/// most 256 lines, less than a page of 64 KiB. @param page_bytes of a small page
[[nodiscard]] std::vector<PatternStep> pattern_steps(const std::vector<PageKind>& pages, std::size_t line_bytes,
                                                     std::size_t page_bytes);

/// A walk through segments, each lap with its lines flushed from all caches.
struct PatternWalk {
    Segments segments;
    Link link = Link::pointer;
    PageKind pages = PageKind::base;
    unsigned lap = 1; ///< that counts
};

/// Walks patterns: the border to the real machine, replaced in tests.
class PatternProbe {
public:
    virtual ~PatternProbe() = default;

    /// The time of an access, in ns, over fresh segments. std::nullopt if interrupted.
    [[nodiscard]] virtual std::optional<double> walk(const PatternWalk& walk) = 0;
};

/// The rounds of a sweep over patterns. A fifth of them may be disturbed without changing what insight finds.
inline constexpr unsigned pattern_rounds = 9;

/// Measures all steps in several rounds, since disturbances outlast a measurement; fewer once the time is up. Returns
/// the steps that were measured, fewer if interrupted.
[[nodiscard]] std::vector<PatternPoint> sweep_patterns(PatternProbe& probe, const std::vector<PatternStep>& steps,
                                                       unsigned rounds, const PhraseSink& phrase_sink,
                                                       const TimeIsUp& time_is_up = nullptr);

/// The memory and lines of a sweep over patterns.
struct PatternPlan {
    std::vector<PageKind> pages;
    std::optional<int> processor = std::nullopt; ///< to which the calling thread is bound, if to any
    std::size_t bytes = 0;                       ///< of each kind of pages
    std::size_t line_bytes = 64;
    std::size_t page_bytes = 4096; ///< of a small page
    std::size_t evicted_bytes = 0; ///< read to empty the caches of a processor that cannot flush lines; else 0
    std::uint64_t seed = 1;
};

/// The least memory of each kind of pages, in bytes.
[[nodiscard]] std::size_t least_pattern_bytes(std::size_t line_bytes, std::size_t page_bytes);

/// The probe on the real machine, for the calling thread and its processor.
class RealPatterns : public PatternProbe {
public:
    /// @throws Error if the system refuses the memory @param interrupted ends a measurement early
    RealPatterns(PatternPlan plan, const SystemFiles& files, const std::atomic<bool>& interrupted);

    [[nodiscard]] std::optional<double> walk(const PatternWalk& walk) override;

    /// What the kernel gave for each kind of pages, in the order of the plan, and the core clock.
    [[nodiscard]] std::vector<ThreadFacts> facts(const SystemFiles& files);

private:
    void evict() const;
    [[nodiscard]] double median_ns(LineCycle& cycle, std::size_t lap);

    PatternPlan plan_;
    const std::atomic<bool>& interrupted_;
    std::map<PageKind, Arena> areas_;
    std::vector<std::uint64_t> evicting_;
    MonotonicClock clock_;
    ClockQuality quality_;
    std::uint64_t walks_ = 0;
};

} // namespace memtest

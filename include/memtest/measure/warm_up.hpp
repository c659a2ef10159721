#pragma once

#include "memtest/machine/clock.hpp"
#include "memtest/measure/timing.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

namespace memtest {

/// The chains of a thread, as a warm-up uses them.
struct WarmedChains {
    std::uint64_t lap; ///< in accesses
    WalkBy walk;
    std::function<bool()> flush; ///< flushes all lines from the caches; false if the processor cannot
};

/// What is known about the caches before a size is walked.
enum class Fit {
    unknown,   ///< they may hold it
    too_small, ///< the last cache is smaller than the size
    taken,     ///< others use part of them: they did not hold this size, or a smaller one
};

/// Where a warm-up started.
enum class Start {
    linked,  ///< with what linking left in the caches: the steady state if they hold the lines
    flushed, ///< with empty caches: the steady state if they do not
};

/// What the visits of a thread show about the caches. Within a round sizes only grow.
class CacheFit {
public:
    /// @param last_cache_bytes 0 if the system does not report it
    explicit CacheFit(std::uint64_t last_cache_bytes) noexcept : last_cache_bytes_(last_cache_bytes) {}

    void begin_round() noexcept { smaller_fits_ = true; }

    /// Call it if the load of others on the caches changes.
    void forget() noexcept {
        smaller_fits_ = true;
        not_held_.clear();
    }

    /// `taken` if the caches did not hold a smaller size in this round, or this one in two earlier rounds.
    [[nodiscard]] Fit of(std::size_t bytes) const;

    /// Notes what the visit found.
    void note(std::size_t bytes, Start start);

private:
    std::uint64_t last_cache_bytes_;
    bool smaller_fits_ = true;
    std::map<std::size_t, unsigned> not_held_; // in how many visits
};

/// The laps of a warm-up, and the max time that they may take.
inline constexpr unsigned warmup_laps = 2;
inline constexpr unsigned warmup_bound_ms = 200;

/// Walks this many laps. If the lines were flushed, the caches then hold no changed ones.
void walk_laps(unsigned laps, Start start, const WarmedChains& chains, const std::atomic<bool>& interrupted);

/// Brings the caches into the steady state: the one in which a walk of many laps keeps them.
///
/// Linking leaves a random part of the lines in each cache, and a walk evicts what exceeds the cache: with least
/// recently used replacement all of it within a lap, with random replacement within two (the rest is then within 1 % of
/// all hits). So two laps are walked. In a cache that others also use, laps are no measure: depending on what else ran,
/// what linking left there was gone after a tenth of a second, or stayed. So the walk is watched. If it slows down, the
/// caches do not hold the lines: these are flushed, since in the steady state the caches hold hardly any, and two laps
/// follow if they are short.
[[nodiscard]] Start walk_to_steady_state(const WarmedChains& chains, Fit fit, Clock& clock,
                                         const std::atomic<bool>& interrupted);

/// The same given what earlier visits showed about the caches; notes what this one found. @param bytes of the size
[[nodiscard]] Start walk_to_steady_state(const WarmedChains& chains, std::size_t bytes, CacheFit& fit, Clock& clock,
                                         const std::atomic<bool>& interrupted);

} // namespace memtest

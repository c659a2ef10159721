#pragma once

#include "memtest/machine/clock.hpp"
#include "memtest/measure/team.hpp"
#include "memtest/measure/timing.hpp"
#include "memtest/measure/walker.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

namespace memtest {

/// How a load thread uses lines.
struct LoadPattern {
    std::size_t line_bytes = 64;
    unsigned write_percent = 0; ///< share of lines in which a word is changed; the others are only read
};

/// The bytes that these lines move between memory and caches: each is fetched, and each changed one is written back.
[[nodiscard]] double bytes_moved(double lines, const LoadPattern& pattern);

/// The pause of load threads that are awake but touch no memory: they spin.
inline constexpr std::size_t endless_pause = std::numeric_limits<std::size_t>::max();

/// Makes dependent additions in registers, of about a cycle each, and touches no memory.
void spin(std::size_t additions) noexcept;

/// Generates the load of one thread: reads one word of each line of its memory, line by line, over and over. With any
/// instruction set this takes the bandwidth of reading whole lines.
class LoadGenerator {
public:
    static constexpr std::size_t lines_in_portion = 64;

    /// @param memory at least one line, aligned for a word; must outlive this object
    LoadGenerator(std::span<std::byte> memory, const LoadPattern& pattern);

    /// Goes through the next portion of lines; through a sixteenth of one if the pause takes longer than some 20 us, so
    /// that progress shows.
    /// @param pause for each portion, in dependent additions of about a cycle each, spread evenly between the lines
    void load_portion(std::size_t pause) noexcept;

    /// Takes effect with the next portion.
    void set_write_percent(unsigned percent) noexcept { pattern_.write_percent = percent; }

    [[nodiscard]] std::uint64_t lines() const noexcept { return lines_; } ///< gone through so far

private:
    std::byte* first_;
    std::byte* end_;
    std::byte* at_;
    LoadPattern pattern_;
    unsigned unwritten_percent_ = 0; // of a line, carried over to the next one that is changed
    std::uint64_t lines_ = 0;
};

/// Keeps processors awake without memory traffic: a thread on each spins in registers for as long as this object lives.
class AwakeCores {
public:
    /// Returns once all threads run where they should. @throws Error if the system refuses a thread
    explicit AwakeCores(const std::vector<int>& processors);

    /// The processors that were not kept awake all the time: the system ran their threads elsewhere, as it does if a
    /// processor is taken offline or out of the cpuset.
    [[nodiscard]] std::vector<int> abandoned() const;

private:
    struct Core {
        int processor = 0;
        std::atomic<bool> is_abandoned = false;
    };

    std::deque<Core> cores_; // before the threads, which use them
    std::vector<std::jthread> threads_;
};

/// A load thread's number of lines so far, on its own line, since others read it during the walk.
struct alignas(256) PublishedLines {
    std::atomic<std::uint64_t> lines{0};
};

/// What the load threads of a team share with the member that measures.
struct LoadBoard {
    LoadBoard(std::size_t threads, const LoadPattern& given) : pattern(given), published(threads) {}

    // set between visits
    LoadPattern pattern;
    std::optional<std::size_t> pause; ///< endless: the load threads spin; none: they sleep
    std::vector<PublishedLines> published;
};

/// The progress of all load threads at one moment.
struct LoadLook {
    std::uint64_t at_ns = 0;
    std::vector<std::uint64_t> lines; ///< of each
};

[[nodiscard]] LoadLook look_at(const LoadBoard& board, Clock& clock);

/// The lines per ns of all load threads together between two looks.
[[nodiscard]] double lines_per_ns(const LoadLook& before, const LoadLook& after);

/// The load threads that should load, but make no progress for 200 us. Returns as soon as all have made some.
/// @param walk on in the meantime
[[nodiscard]] std::vector<std::size_t> absent_threads(const LoadBoard& board, Clock& clock, const WalkBy& walk);

/// Makes the member that measures, on its thread.
using MakeFirst = std::function<std::unique_ptr<TeamMember>(const Placement& placement, const LoadBoard& board)>;

/// A team whose first member measures. The others generate load while it prepares and measures.
class LoadingTeam {
public:
    /// @param plan with the processor of the first, then one for each load thread; each has an area
    /// @throws Error like Team
    LoadingTeam(const TeamPlan& plan, const LoadPattern& pattern, const SystemFiles& files,
                const std::atomic<bool>& interrupted, MakeFirst make_first);

    /// Sets how many of their lines the load threads change, from the next visit on.
    void set_write_percent(unsigned percent) { board_.pattern.write_percent = percent; }

    /// @param pause of the load threads, as on the board @return whether it was not interrupted
    [[nodiscard]] bool visit(std::optional<std::size_t> pause, const VisitPlan& visit);

    [[nodiscard]] const std::vector<ThreadFacts>& facts() const noexcept { return team_.facts(); }

private:
    LoadBoard board_; // before the team, whose members use it
    Team team_;
};

} // namespace memtest

#pragma once

#include "memtest/chain/chains.hpp"
#include "memtest/machine/clock.hpp"
#include "memtest/machine/counters.hpp"
#include "memtest/machine/pages.hpp"
#include "memtest/machine/system_files.hpp"
#include "memtest/measure/probe.hpp"
#include "memtest/measure/timing.hpp"

#include <atomic>
#include <barrier>
#include <cstddef>
#include <optional>
#include <thread>
#include <vector>

namespace memtest {

/// What a team of threads measures, and on what.
struct TeamPlan {
    ChainShape shape;
    TimingPlan timing;
    std::optional<unsigned> warmup_laps =
        std::nullopt; ///< untimed laps before timing; none: one, bounded for large sizes
    PageKind pages = PageKind::system_default;
    std::size_t memory_bytes = 0;  ///< of each thread: the largest size
    std::vector<int> processors;   ///< one thread on each
    bool pinned = true;            ///< bound to them; without, the system may move threads as it likes
    std::vector<int> nodes;        ///< that each thread's memory comes from; empty: the one it runs on
    std::vector<Counter> counters; ///< read over the timed batches
};

/// The accesses of the default warm-up: one lap, but no more than this many accesses.
inline constexpr std::size_t warmup_bound = std::size_t{1} << 18U;

/// What a thread found out when it started.
struct ThreadFacts {
    GrantedPages pages{};
    bool node_verified = false; ///< the kernel says that the memory is on the node asked for
    std::optional<double> core_ghz = std::nullopt;
};

/// The probe on the real machine: threads on processors of their own, each with its own memory and chain. All start the
/// timed part of a size together and go on walking until the last has finished, so that every batch is contended.
class Team : public Probe {
public:
    /// Starts the threads; each pins itself, maps its memory and fills it. @throws Error what any of them met
    /// @param interrupted ends a measurement early when it becomes true
    Team(TeamPlan plan, SystemFiles files, const std::atomic<bool>& interrupted);
    ~Team() override;

    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    Team(Team&&) = delete;
    Team& operator=(Team&&) = delete;

    [[nodiscard]] std::vector<Measurement> measure(std::size_t bytes) override;

    [[nodiscard]] const std::vector<ThreadFacts>& facts() const noexcept { return facts_; }

private:
    class Member;

    void start_threads(std::vector<std::exception_ptr>& failures);
    void run_member(std::size_t number, std::exception_ptr& failure);
    void dismiss();

    TeamPlan plan_;
    SystemFiles files_;
    const std::atomic<bool>& interrupted_;
    std::vector<ThreadFacts> facts_;
    std::vector<Measurement> results_;
    std::size_t bytes_ = 0; // the size to measure; 0 sends the threads home
    std::barrier<> gate_;   // the threads and their owner: before and after each size
    // On lines of their own: what a thread reads while it walks must not share one with what others write.
    alignas(256) std::atomic<std::size_t> preparing_ = 0; // threads that are not ready for the timed part
    alignas(256) std::atomic<std::size_t> walking_ = 0;   // threads that have not finished it
    alignas(256) std::vector<std::jthread> threads_;
};

} // namespace memtest

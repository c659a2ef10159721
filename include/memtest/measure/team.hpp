#pragma once

#include "memtest/chain/schedule.hpp"
#include "memtest/machine/system_files.hpp"
#include "memtest/measure/sweep.hpp"
#include "memtest/measure/team_member.hpp"
#include "memtest/measure/walk_plan.hpp"

#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace memtest {

/// A planned run on this machine.
struct RunPlan {
    Sweep sweep;
    TeamPlan team;
    std::vector<int> awake; ///< processors of other cores to keep awake
    LargestSize largest;
};

/// Makes the member with this number, on its thread.
using MakeMember = std::function<std::unique_ptr<TeamMember>(std::size_t number)>;

/// Members on their own threads. All start the timed part of a visit together and walk on until the last has finished
/// it, so that every batch is contended. If a member throws or has lost the processor that it was bound to, the caller
/// gets an Error once all are done.
class Team : public Probe {
public:
    /// Starts the threads. @throws Error if a member fails or a thread cannot be started
    /// @param interrupted makes visits empty; the members end theirs early
    Team(std::size_t size, MakeMember make_member, const std::atomic<bool>& interrupted);

    /// A team of walkers. @throws Error like Walker
    Team(const TeamPlan& plan, const SystemFiles& files, const std::atomic<bool>& interrupted);

    ~Team() override { dismiss(); }

    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    Team(Team&&) = delete;
    Team& operator=(Team&&) = delete;

    [[nodiscard]] std::vector<Measurement> visit(const VisitPlan& visit) override;

    [[nodiscard]] const std::vector<ThreadFacts>& facts() const noexcept { return facts_; }

private:
    void start_threads();
    void run_member(std::size_t number);
    void take_part(TeamMember& member, std::size_t number);
    void throw_failure();
    void dismiss();

    MakeMember make_member_;
    const std::atomic<bool>& interrupted_;
    std::vector<ThreadFacts> facts_;
    std::vector<Measurement> results_;
    std::vector<std::exception_ptr> failures_; // of the members, in their last step
    VisitPlan visit_{};                        // of no bytes: ends the threads
    std::barrier<> gate_;                      // the threads and their owner: before and after each visit
    // On their own lines: what a thread reads while it walks must not share a line with what others write.
    alignas(256) std::atomic<std::size_t> preparing_ = 0;        // threads that are not ready for the timed part
    alignas(256) std::atomic<std::size_t> walking_ = 0;          // threads that have not finished it
    alignas(256) std::atomic<std::uint64_t> shortest_batch_ = 1; // long enough for all members
    alignas(256) std::vector<std::jthread> threads_;
};

} // namespace memtest

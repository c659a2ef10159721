#include "memtest/measure/load_sweep.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"
#include "memtest/insight/load_curve.hpp"
#include "memtest/machine/processors.hpp"
#include "support/fake_system.hpp"
#include "support/test.hpp"
#include "support/until.hpp"

#include <atomic>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

namespace memtest {
namespace {

/// A machine with two load threads, whose latency grows with the bandwidth.
class FakeLoadProbe : public LoadProbe {
public:
    struct Asked {
        std::optional<std::size_t> pause;
        unsigned round;
    };

    std::vector<LoadBatch> visit(std::optional<std::size_t> pause, unsigned round) override {
        asked.push_back({pause, round});
        if (asked.size() > visits_until_interrupted)
            return {};
        if (asked.size() > visits_until_failure)
            throw Error("no more memory");
        const double rate =
            pause && *pause != endless_pause ? 1 / std::max(4.6, 1 + 0.02 * static_cast<double>(*pause)) : 0;
        std::vector<LoadBatch> batches(
            16, {.ns_per_access = (pause == endless_pause ? 90 : 100) + 460 * rate, .lines_per_ns = 2 * rate});
        disturb(asked.size(), batches);
        return batches;
    }

    std::vector<Asked> asked;
    std::size_t visits_until_interrupted = 100'000;
    std::size_t visits_until_failure = 100'000;
    std::function<void(std::size_t visit, std::vector<LoadBatch>&)> disturb = [](std::size_t, auto&) {};
};

const LoadSweep four_steps{.steps = 4,
                           .timing = {.visits = 16, .estimate = Estimate::median, .precision_percent = 2},
                           .load_processors = {3, 5},
                           .want = wanted_loads};

std::vector<LoadRow> rows_from(FakeLoadProbe& probe, const LoadSweep& sweep = four_steps) {
    std::vector<LoadRow> rows;
    run_load_sweep(
        sweep, probe, [&](const LoadRow& row) { rows.push_back(row); }, [](const std::string&) {});
    return rows;
}

std::vector<double> load_percents(const std::vector<LoadRow>& rows) {
    std::vector<double> percents;
    std::ranges::transform(rows, std::back_inserter(percents), &LoadRow::load_percent);
    return percents;
}

TEST(LoadSweep, GivesIdleAsleepAndAwakeThenTheLoadsByTheirShareOfThePeakThenIdleAsleepAgain) {
    FakeLoadProbe probe;
    const auto rows = rows_from(probe);
    ASSERT_EQ(rows.size(), rows_of(four_steps));
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end() - 1,
                               [](const LoadRow& a, const LoadRow& b) { return a.load_percent < b.load_percent; }));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(rows[i].load_percent > 0, i > 1 && i < 6) << i;
        EXPECT_NEAR(*rows[i].bytes_per_ns, rows[i].load_percent / 100 * 2 * 64 / 4.6, 1e-9);
        EXPECT_NEAR(*rows[i].latency_ns, i == 1 ? 90 : 100 + rows[i].load_percent, 1e-9) << "of the same batches";
        EXPECT_EQ(is_awake(rows[i]), i == 1);
        EXPECT_EQ(rows[i].visits, 6U) << "a median takes six visits";
    }
    EXPECT_EQ(rows[5].load_percent, 100); // 100 * peak / peak is 99.999
    EXPECT_EQ(rows[1].notes, std::vector{LoadNote::awake});
}

TEST(LoadSweep, MeasuresIdleBeforeAnythingLoadsAndAgainBehindAll) {
    FakeLoadProbe probe;
    static_cast<void>(rows_from(probe));
    const auto loads = [](const FakeLoadProbe::Asked& asked) {
        return asked.pause.value_or(endless_pause) < endless_pause;
    };
    const auto first = std::ranges::find_if(probe.asked, loads);
    const auto last = std::find_if(probe.asked.rbegin(), probe.asked.rend(), loads);
    EXPECT_EQ(first - probe.asked.begin(), 12) << "asleep and awake";
    EXPECT_EQ(last - probe.asked.rbegin(), 6);
    EXPECT_TRUE(std::all_of(first, last.base(), loads));
}

TEST(LoadSweep, MeasuresIdleAsleepAndAwakeInTurn) {
    FakeLoadProbe probe;
    static_cast<void>(rows_from(probe));
    for (std::size_t i = 0; i < 12; ++i) {
        EXPECT_EQ(probe.asked[i].pause, i % 2 == 0 ? std::nullopt : std::optional(endless_pause));
        EXPECT_EQ(probe.asked[i].round, i / 2);
    }
}

TEST(LoadSweep, WantsItsLoadsByTheIdleLatencyWithTheLoadThreadsAwake) {
    FakeLoadProbe probe;
    LoadSweep sweep = four_steps;
    std::set<std::optional<double>> by;
    sweep.want = [&](std::size_t points, std::span<const LoadPair> known, std::optional<double> idle_ns) {
        by.insert(idle_ns);
        return wanted_loads(points, known, idle_ns);
    };
    static_cast<void>(rows_from(probe, sweep));
    EXPECT_EQ(by, (std::set<std::optional<double>>{90}));
}

TEST(LoadSweep, VisitsTheLoadsInRoundsEachWithAnOrderOfItsOwn) {
    FakeLoadProbe probe;
    static_cast<void>(rows_from(probe));
    const std::size_t rounds = 5; // after the first visit to each
    const std::size_t begin = probe.asked.size() - 6 - rounds * 4;
    for (std::size_t i = begin; i + 4 < begin + rounds * 4; ++i) {
        EXPECT_EQ(probe.asked[i + 4].pause, probe.asked[i].pause);
        EXPECT_EQ(probe.asked[i + 4].round, probe.asked[i].round + 1);
    }
    std::set<unsigned> of_idle;
    std::set<unsigned> of_loads;
    for (const auto& [pause, round] : probe.asked)
        (pause.value_or(endless_pause) == endless_pause ? of_idle : of_loads).insert(round);
    EXPECT_EQ(of_idle.size(), 12U);
    EXPECT_EQ(of_loads.size(), 6U);
    for (const unsigned round : of_loads)
        EXPECT_FALSE(of_idle.contains(round));
}

TEST(LoadSweep, VisitsALoadAgainUntilItsVisitsAgreeAndNoOther) {
    FakeLoadProbe probe;
    probe.disturb = [&](std::size_t, std::vector<LoadBatch>& batches) {
        for (LoadBatch& batch : batches)
            batch.ns_per_access *= probe.asked.back().pause == 0U ? 1 + 0.02 * (probe.asked.back().round % 8) : 1;
    };
    const auto rows = rows_from(probe);
    ASSERT_EQ(rows.size(), 7U);
    EXPECT_EQ(rows[2].visits, 6U);
    EXPECT_EQ(rows[5].visits, 16U);
    EXPECT_EQ(rows[5].notes, std::vector{LoadNote::limit});
}

TEST(LoadSweep, LosesNoRowWhereALoadThreadIsAwayInAllBatchesButThoseOfThePeak) {
    FakeLoadProbe probe;
    probe.disturb = [&](std::size_t, std::vector<LoadBatch>& batches) {
        if (probe.asked.back().pause.value_or(endless_pause) % endless_pause > 0) {
            for (LoadBatch& batch : batches) {
                batch.lines_per_ns /= 2;
                batch.absent = {1};
            }
        }
    };
    const auto rows = rows_from(probe);
    ASSERT_EQ(rows.size(), 7U);
    for (const LoadRow& row : rows)
        EXPECT_TRUE(row.latency_ns.has_value()) << row.load_percent;
    EXPECT_EQ(rows[3].batches, 0U);
    EXPECT_EQ(rows[5].set_aside, 0U);
}

TEST(LoadSweep, WhereNothingUnderLoadRanGivesTheIdleRowsAloneAndSaysWhichLoadThreadDidNotRun) {
    for (const bool preempted : {false, true}) {
        FakeLoadProbe probe;
        probe.disturb = [&](std::size_t, std::vector<LoadBatch>& batches) {
            for (LoadBatch& batch : batches) {
                if (probe.asked.back().pause.value_or(endless_pause) == endless_pause)
                    continue;
                batch.preempted = preempted;
                batch.absent = preempted ? std::vector<std::size_t>{} : std::vector<std::size_t>{1};
            }
        };
        std::vector<LoadRow> rows;
        std::string said;
        try {
            run_load_sweep(
                four_steps, probe, [&](const LoadRow& row) { rows.push_back(row); }, [](const std::string&) {});
        } catch (const MachineBusy& error) {
            said = error.what();
        }
        EXPECT_EQ(said.find("processor 5 ") != std::string::npos, !preempted) << said;
        EXPECT_NE(said, "");
        EXPECT_LT(probe.asked.size(), 12U + 16) << "it does not wait for the last visit";
        ASSERT_GE(rows.size(), 2U);
        for (std::size_t i = 0; i < rows.size(); ++i)
            EXPECT_EQ(rows[i].load_percent > 0, i > 1) << "idle was known";
    }
}

TEST(LoadSweep, ALoadThreadThatWasAwayForAMomentCostsNothingButItsBatches) {
    FakeLoadProbe probe;
    probe.disturb = [](std::size_t visit, std::vector<LoadBatch>& batches) {
        for (LoadBatch& batch : batches) {
            if (visit >= 13 && visit < 20)
                batch = {.ns_per_access = batch.ns_per_access, .absent = {1}};
        }
    };
    const auto rows = rows_from(probe);
    ASSERT_EQ(rows.size(), 7U);
    EXPECT_NEAR(*rows[5].bytes_per_ns, 2 * 64 / 4.6, 1e-9);
}

TEST(LoadSweep, AnIdleRowWithoutAFigureEndsNothing) {
    FakeLoadProbe probe;
    probe.disturb = [&](std::size_t, std::vector<LoadBatch>& batches) {
        for (LoadBatch& batch : batches)
            batch.preempted = probe.asked.back().pause.value_or(endless_pause) == endless_pause;
    };
    const auto rows = rows_from(probe);
    ASSERT_EQ(rows.size(), rows_of(four_steps));
    for (std::size_t i = 0; i < rows.size(); ++i)
        EXPECT_EQ(rows[i].latency_ns.has_value(), i > 1 && i < 6) << i;
    const std::vector<double> even{25, 50, 75, 100}; // without a latency to measure a knee by
    for (std::size_t i = 0; i < even.size(); ++i)
        EXPECT_NEAR(load_percents(rows)[i + 2], even[i], 12.6);
}

TEST(LoadSweep, WhenInterruptedGivesARowForEverySettingThatWasVisited) {
    FakeLoadProbe whole;
    const std::size_t visits = (static_cast<void>(rows_from(whole)), whole.asked.size());
    for (const auto& [last, rows] : std::vector<std::pair<std::size_t, std::size_t>>{
             {0, 0}, {1, 1}, {2, 2}, {12, 2}, {13, 3}, {14, 4}, {visits - 6, 6}, {visits - 5, 7}, {visits, 7}}) {
        FakeLoadProbe probe;
        probe.visits_until_interrupted = last;
        EXPECT_EQ(rows_from(probe).size(), rows) << last;
        EXPECT_EQ(probe.asked.size(), std::min(last + 1, visits)) << "nothing is visited after it";
    }
}

TEST(LoadSweep, WhenTheProbeFailsGivesTheRowsAndThrowsOn) {
    for (const auto& [last, known] : std::vector<std::pair<std::size_t, std::size_t>>{{3, 2}, {14, 4}}) {
        FakeLoadProbe probe;
        probe.visits_until_failure = last;
        std::vector<LoadRow> rows;
        EXPECT_THROW(
            run_load_sweep(
                four_steps, probe, [&](const LoadRow& row) { rows.push_back(row); }, [](const std::string&) {}),
            Error);
        EXPECT_EQ(rows.size(), known);
    }
}

TEST(LoadSweep, TakesNoMoreVisitsUnderLoadThanItsRowsMayHaveHoweverTheMachineChanges) {
    FakeLoadProbe probe;
    probe.disturb = [&](std::size_t visit, std::vector<LoadBatch>& batches) {
        for (LoadBatch& batch : batches)
            batch.lines_per_ns *= 1 + static_cast<double>(visit * 37 % 11);
    };
    static_cast<void>(rows_from(probe));
    const auto loads = std::ranges::count_if(
        probe.asked, [](const auto& asked) { return asked.pause.value_or(endless_pause) < endless_pause; });
    EXPECT_LE(loads, 16 * 4 + 4 + 24) << "and those of one more round";
}

TEST(LoadSweep, VisitsThePeakTwiceHoweverShortTheTime) {
    FakeLoadProbe probe;
    std::vector<LoadRow> rows;
    const auto keep = [&](const LoadRow& row) { rows.push_back(row); };
    run_load_sweep(
        four_steps, probe, keep, [](const std::string&) {}, [](std::size_t) { return true; });
    EXPECT_TRUE(rows.at(5).load_percent == 100 && rows.at(5).visits == 2U);
}

TEST(LoadSweep, SaysHowFarItHasCome) {
    FakeLoadProbe probe;
    std::vector<std::string> phrases;
    run_load_sweep(
        four_steps, probe, [](const LoadRow&) {}, [&](const std::string& phrase) { phrases.push_back(phrase); });
    EXPECT_EQ(phrases.front(), "idle: 0 of 2 rows known, round 1");
    EXPECT_EQ(phrases.back(), "idle again: 0 of 1 rows known, round 6");
    EXPECT_EQ(std::ranges::count_if(phrases, [](const std::string& p) { return p.starts_with("under load: 4 of 4"); }),
              5)
        << "before each round";
}

/// Two threads, not bound: they run on a machine with one processor, too.
TeamPlan pair_plan() {
    TeamPlan plan;
    plan.shape.order = Order::random;
    plan.largest_bytes = 4 * mib;
    plan.area_bytes = 4 * mib;
    plan.processors = {0, 1};
    plan.pinned = false;
    return plan;
}

/// The lines that the load thread reads per ns in a visit.
double lines_per_ns(LoadTeam& team, std::optional<std::size_t> pause) {
    const auto batches = team.visit(pause, 0);
    EXPECT_EQ(batches.size(), 16U);
    double sum = 0;
    for (const LoadBatch& batch : batches) {
        EXPECT_GT(batch.ns_per_access, 0);
        sum += batch.lines_per_ns / static_cast<double>(batches.size());
    }
    return sum;
}

TEST(LoadTeam, ItsLoadThreadsRestWithoutAPauseAndRunWithOne) {
    const std::atomic<bool> interrupted{false};
    LoadTeam team(pair_plan(), {}, SystemFiles(), interrupted);
    EXPECT_EQ(team.facts().size(), 2U);
    EXPECT_EQ(lines_per_ns(team, std::nullopt), 0);
    EXPECT_TRUE(until([&] { return lines_per_ns(team, 64) > 0; })) << "a busy machine may keep it away for a visit";
    EXPECT_EQ(lines_per_ns(team, std::nullopt), 0);
}

/// The processor time of each thread of this program, in seconds, by its id.
std::map<int, double> seconds_of_threads() {
    std::map<int, double> seconds;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
        const int id = std::stoi(thread.path().filename());
        timespec used{};
        clock_gettime(-8 * id - 2, &used); // how the kernel numbers the clocks of threads
        seconds[id] = static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
    }
    return seconds;
}

/// The processor time of the load thread in visits, as a share of the walker's. These are the busiest two threads, and
/// other processes take from either about as much as from the other.
double share_of_the_load_thread(LoadTeam& team, std::optional<std::size_t> pause) {
    const auto before = seconds_of_threads();
    for (int visit = 0; visit < 5; ++visit)
        EXPECT_EQ(lines_per_ns(team, pause), 0);
    std::vector<double> used;
    for (const auto& [id, seconds] : seconds_of_threads())
        used.push_back(seconds - before.at(id));
    std::ranges::sort(used, std::greater());
    return used.at(1) / used.at(0);
}

TEST(LoadTeam, WithAnEndlessPauseItsLoadThreadsAreBusyAndReadNothing) {
    constexpr double clearly_busy = 0.2; // one that sleeps takes a hundredth to wake
    const std::atomic<bool> interrupted{false};
    LoadTeam team(pair_plan(), {}, SystemFiles(), interrupted);
    EXPECT_TRUE(until([&] { return share_of_the_load_thread(team, std::nullopt) < clearly_busy; }));
    EXPECT_TRUE(until([&] { return share_of_the_load_thread(team, endless_pause) > clearly_busy; }))
        << "a busy machine may keep it away for some visits";
}

TEST(LoadTeam, ALongPauseBoundsTheLoadHoweverBusyTheMachine) {
    constexpr std::size_t pause = std::size_t{1} << 22U; // takes 0.7 ms or more for each 64 lines: 1e-4 lines per ns
    constexpr double far_below_any_peak = 1e-3;
    const std::atomic<bool> interrupted{false};
    LoadTeam team(pair_plan(), {}, SystemFiles(), interrupted);
    EXPECT_LT(lines_per_ns(team, pause), far_below_any_peak);
}

TEST(LoadTeam, KnowsOfEachLoadThreadWhetherItRan) {
    const std::atomic<bool> interrupted{false};
    TeamPlan plan = pair_plan();
    plan.processors = std::thread::hardware_concurrency() > 2 ? std::vector{0, 1, 2} : std::vector{0, 1};
    LoadTeam team(plan, {}, SystemFiles(), interrupted);
    EXPECT_TRUE(until([&] {
        return std::ranges::any_of(team.visit(64, 0), [&](const LoadBatch& batch) { return batch.absent.empty(); });
    }));
    for (const LoadBatch& batch : team.visit(std::nullopt, 0))
        EXPECT_TRUE(batch.absent.empty()) << "none should load";
}

TEST(LoadTeam, SaysWhereItsWalkerLostTheProcessorAndNowhereElse) {
    const std::atomic<bool> interrupted{false};
    TeamPlan plan = pair_plan();
    plan.processors.assign(2, current_processor());
    plan.pinned = !refusal_to_pin().has_value();
    if (!plan.pinned)
        GTEST_SKIP() << "threads cannot be bound here";
    LoadTeam team(plan, {}, SystemFiles(), interrupted);
    const auto has = [](const std::vector<LoadBatch>& batches, bool preempted) {
        return std::ranges::count(batches, preempted, &LoadBatch::preempted) > 0;
    };
    EXPECT_TRUE(until([&] { return has(team.visit(64, 0), true); })) << "the load thread runs there, too";
    EXPECT_TRUE(until([&] { return has(team.visit(std::nullopt, 0), false); })) << "the load thread rests";
}

TEST(LoadTeam, LinksItsChainInAnotherOrderInEachRound) {
    const FakeSystem folder;
    const std::string path = folder.root() / "area";
    folder.add("/area", "");
    std::filesystem::resize_file(path, 8 * mib);
    TeamPlan plan = pair_plan();
    plan.shape.link = Link::index;
    plan.memory_file = read_mapped_file(path, false, SystemFiles());
    LoadTeam team(plan, {}, SystemFiles(), never_interrupted);
    const auto chain_in = [&](unsigned round) {
        EXPECT_FALSE(team.visit(std::nullopt, round).empty());
        std::string chain(4 * mib, ' ');
        std::ifstream(path).read(chain.data(), static_cast<std::streamsize>(chain.size()));
        return chain;
    };
    const std::string first = chain_in(0);
    EXPECT_TRUE(chain_in(0) == first);
    EXPECT_FALSE(chain_in(1) == first);
}

TEST(LoadTeam, GivesNothingOnceInterrupted) {
    std::atomic<bool> interrupted{false};
    LoadTeam team(pair_plan(), {}, SystemFiles(), interrupted);
    interrupted = true;
    EXPECT_TRUE(team.visit(0, 0).empty());
}

} // namespace

} // namespace memtest

#include "memtest/measure/walker.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"
#include "memtest/machine/arena.hpp"
#include "memtest/machine/clock.hpp"
#include "memtest/machine/numa.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/measure/team.hpp"
#include "support/failing_allocation.hpp"
#include "support/fake_system.hpp"
#include "support/test.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <new>
#include <thread>

namespace memtest {
namespace {

TeamPlan small_plan(std::size_t threads) {
    TeamPlan plan;
    plan.shape.order = Order::random;
    plan.largest_bytes = mib;
    plan.area_bytes = 4 * mib;
    plan.processors = allowed_processors();
    plan.processors.resize(threads, plan.processors.front());
    return plan;
}

VisitPlan visit_of(std::size_t bytes, unsigned round = 0) {
    return {.bytes = bytes, .round = round, .left = {.accesses = 20'000, .batches = 4}};
}

TEST(Walkers, MeasureEverySizeOnEveryThread) {
    Team team(small_plan(2), SystemFiles(), never_interrupted);
    for (const std::size_t bytes : std::initializer_list<std::size_t>{512, 4096, 4096, mib}) {
        const auto measurements = team.visit(visit_of(bytes));
        ASSERT_EQ(measurements.size(), 2U);
        for (const Measurement& m : measurements) {
            ASSERT_FALSE(m.timing.batch_ns.empty());
            EXPECT_GT(m.timing.batch_ns.front(), 0);
            EXPECT_EQ(m.timing.accesses, 20'000U);
            EXPECT_EQ(m.ghz_before.has_value(), addition_takes_one_cycle);
            EXPECT_EQ(m.ghz_after.has_value(), addition_takes_one_cycle);
        }
    }
}

TEST(Walkers, LieElsewhereInEachRoundAndWhereTheSeedSays) {
    const auto places_of = [](std::uint64_t seed) {
        TeamPlan plan = small_plan(2);
        plan.pages = PageKind::base;
        plan.shape.seed = seed;
        Team team(plan, SystemFiles(), never_interrupted);
        std::vector<std::vector<std::size_t>> places(2);
        for (unsigned round = 0; round < 8; ++round) {
            for (const std::size_t bytes : std::initializer_list<std::size_t>{512, mib / 2, mib}) {
                const auto measured = team.visit(visit_of(bytes, round));
                for (std::size_t thread = 0; thread < 2; ++thread) {
                    EXPECT_EQ(measured[thread].place_bytes % base_page_bytes(), 0U);
                    EXPECT_LE(measured[thread].place_bytes + bytes, plan.area_bytes);
                    places[thread].push_back(measured[thread].place_bytes);
                }
            }
        }
        return places;
    };
    const auto places = places_of(1);
    EXPECT_EQ(places_of(1), places);
    EXPECT_NE(places_of(2), places);
    EXPECT_NE(places[0], places[1]);
    EXPECT_GE(std::set(places[0].begin(), places[0].end()).size(), 6U) << "of eight rounds";
}

/// A plan by which the first timed hop is the first of all, and places are bytes behind the first node.
TeamPlan cold_plan() {
    TeamPlan plan = small_plan(1);
    plan.warmup_laps = 0;
    plan.shape.link = Link::index;
    return plan;
}

/// Some of the places that a walker comes by.
std::vector<std::size_t> places_on_the_way(std::uint64_t seed, std::uint64_t number, unsigned round) {
    TeamPlan plan = cold_plan();
    plan.shape.seed = seed;
    Walker walker(plan, {.number = number}, SystemFiles(), never_interrupted);
    EXPECT_GT(walker.prepare(visit_of(mib, round)), 0U);
    std::vector<std::size_t> places;
    for (int i = 0; i < 8; ++i) {
        walker.walk_on();
        places.push_back(walker.chains()->position(0));
    }
    return places;
}

TEST(Walkers, HaveAnOrderOfTheirOwnInEachRoundThatTheSeedGives) {
    const auto places = places_on_the_way(1, 0, 0);
    EXPECT_EQ(places_on_the_way(1, 0, 0), places);
    EXPECT_NE(places_on_the_way(2, 0, 0), places) << "another seed";
    EXPECT_NE(places_on_the_way(1, 1, 0), places) << "another thread";
    EXPECT_NE(places_on_the_way(1, 0, 1), places) << "another round";
}

TEST(Walkers, ThatStartColdMakeNoHopBeforeTheTimedOnes) {
    const TeamPlan plan = cold_plan();
    Walker walker(plan, {}, SystemFiles(), never_interrupted);
    EXPECT_GT(walker.prepare(visit_of(mib)), 0U);
    walker.stay_warm();
    EXPECT_EQ(walker.chains()->position(0), 0U);
    walker.walk_on();
    EXPECT_NE(walker.chains()->position(0), 0U);
}

TEST(Walkers, ThatStartWarmStaySo) {
    TeamPlan plan = cold_plan();
    plan.warmup_laps = 1;
    Walker walker(plan, {}, SystemFiles(), never_interrupted);
    EXPECT_GT(walker.prepare(visit_of(mib)), 0U);
    const std::size_t before = walker.chains()->position(0);
    walker.stay_warm();
    EXPECT_NE(walker.chains()->position(0), before);
}

TEST(Walkers, WalkAtThePlaceThatTheyTell) {
    TeamPlan plan = cold_plan();
    plan.shape.link = Link::pointer;
    plan.largest_bytes = 3 * mib; // of 4, and so at another place than small ones
    Walker walker(plan, {}, SystemFiles(), never_interrupted);
    std::set<std::size_t> places;
    std::set<std::uintptr_t> begin; // of the area, as it follows from each visit
    for (unsigned round = 0; round < 4; ++round) {
        for (const std::size_t bytes : {std::size_t{512}, 3 * mib}) {
            EXPECT_GT(walker.prepare(visit_of(bytes, round)), 0U);
            const std::uintptr_t first_node = walker.chains()->position(0);
            Measurement measurement;
            walker.measure({.accesses = 1000, .batches = 1}, measurement);
            places.insert(measurement.place_bytes);
            begin.insert(first_node - measurement.place_bytes);
        }
    }
    EXPECT_GT(places.size(), 2U);
    EXPECT_EQ(begin.size(), 1U);
}

TEST(Walkers, TellThatTheyWerePreemptedInTheTimedPart) {
    const TeamPlan plan = small_plan(1);
    std::atomic<bool> done{false};
    std::thread rival([&] {
        pin_to(plan.processors[0]);
        while (!done) {
        }
    });
    Team team(plan, SystemFiles(), never_interrupted);
    bool was_preempted = false;
    for (int visit = 0; visit < 100 && !was_preempted; ++visit) {
        const auto measured = team.visit({.bytes = 4096, .left = {.accesses = 20'000'000, .batches = 4}});
        was_preempted = measured.at(0).after.preemptions > measured.at(0).before.preemptions;
    }
    done = true;
    rival.join();
    EXPECT_TRUE(was_preempted);
}

/// Lets the calling thread run on these processors, as taskset or a cpuset may do with that of others.
void allow_on(const std::vector<int>& processors) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    for (const int processor : processors)
        CPU_SET(static_cast<std::size_t>(processor), &mask);
    ASSERT_EQ(sched_setaffinity(0, sizeof mask, &mask), 0);
}

/// A walker whose processor is taken away while it measures.
class MovedWalker : public Walker {
public:
    MovedWalker(const TeamPlan& plan, const SystemFiles& files, std::vector<int> allowed)
        : Walker(plan, placement_of(plan, 0), files, never_interrupted), allowed_(std::move(allowed)) {}

    void measure(const TimingPlan& timing, Measurement& measurement) override {
        allow_on(allowed_);
        Walker::measure(timing, measurement);
    }

private:
    std::vector<int> allowed_;
};

TEST(Walkers, ThatLostTheirProcessorGiveNoFiguresButAnErrorThatNamesIt) {
    const TeamPlan plan = small_plan(1);
    const std::vector<int> all = allowed_processors();
    if (all.size() < 2)
        GTEST_SKIP() << "there is no other processor";
    const auto visit = [&](bool is_pinned, const std::vector<int>& allowed) -> std::string {
        TeamPlan own = plan;
        own.pinned = is_pinned;
        Team team(
            1, [&](std::size_t) { return std::make_unique<MovedWalker>(own, SystemFiles(), allowed); },
            never_interrupted);
        try {
            return team.visit({.bytes = 4096, .left = {.accesses = 1000, .batches = 1}}).empty() ? "" : "measured";
        } catch (const Error& error) {
            return std::string(error.what()).find("processor " + std::to_string(plan.processors.front())) !=
                           std::string::npos
                       ? "named"
                       : error.what();
        }
    };
    EXPECT_EQ(visit(true, {plan.processors.front()}), std::string("measured"));
    EXPECT_EQ(visit(true, {all.back()}), std::string("named")) << "it runs elsewhere";
    EXPECT_EQ(visit(true, all), std::string("named")) << "it may run elsewhere";
    EXPECT_EQ(visit(false, all), std::string("measured")) << "it was not bound";
}

/// Measures by indices in a file of which `change` changes the links after they are proven.
std::string refusal_of_walk_in_file(std::size_t bytes, const std::function<void(std::span<std::byte>)>& change) {
    const FakeSystem folder;
    const std::string path = folder.root() / "area";
    folder.add("/area", "");
    std::filesystem::resize_file(path, 16 * mib);
    TeamPlan plan = small_plan(1);
    plan.shape.link = Link::index;
    plan.largest_bytes = plan.area_bytes = 16 * mib;
    plan.memory_file = read_mapped_file(path, true, SystemFiles());
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    void* const memory = mmap(nullptr, 16 * mib, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    std::string refusal;
    std::thread([&] {
        Walker walker(plan, placement_of(plan, 0), SystemFiles(), never_interrupted);
        static_cast<void>(walker.prepare({.bytes = bytes}));
        Measurement measurement;
        walker.measure({.accesses = 1000, .batches = 1}, measurement);
        change({static_cast<std::byte*>(memory), 16 * mib});
        try {
            walker.finish(measurement);
        } catch (const Error& error) {
            refusal = error.what();
        }
    }).join();
    munmap(memory, 16 * mib);
    return refusal;
}

TEST(Walkers, FindOutThatAnotherProgramChangedTheirFile) {
    const auto clear = [](std::span<std::byte> memory) { std::ranges::fill(memory, std::byte{0}); };
    for (const std::size_t bytes : {mib, 16 * mib}) { // the larger one is too large to be proven in full
        EXPECT_EQ(refusal_of_walk_in_file(bytes, [](std::span<std::byte>) {}), "");
        EXPECT_NE(refusal_of_walk_in_file(bytes, clear).find("--memory"), std::string::npos) << bytes;
    }
}

TEST(Walkers, TakeTheMemoryOfEachFromANodeOfItsOwn) {
    const SystemFiles files;
    TeamPlan plan = small_plan(2);
    if (!numa_nodes_of(Arena(plan.area_bytes, plan.pages, files).memory()))
        GTEST_SKIP() << "this kernel does not know nodes";
    plan.nodes = {read_numa_nodes(files).front().id, 1000};
    EXPECT_THROW(Team(plan, files, never_interrupted), Error) << "of the second";
}

TEST(Walkers, WalkTheirWarmUpLapsInEachRound) {
    for (const unsigned parallel : {1U, max_parallel}) {
        TeamPlan plan = small_plan(1);
        plan.shape.parallel = parallel;
        constexpr unsigned lines = 64;
        constexpr unsigned hops = 20'000'000; // of which each takes its time, however many chains there are
        plan.warmup_laps = hops / lines * parallel;
        Walker walker(plan, {}, SystemFiles(), never_interrupted);
        MonotonicClock clock;
        for (const unsigned round : {0U, 1U}) {
            const std::uint64_t start = clock.now_ns();
            EXPECT_GT(walker.prepare(visit_of(lines * plan.shape.line_bytes, round)), 0U);
            EXPECT_GT(static_cast<double>(clock.now_ns() - start), hops * shortest_access_ns) << parallel;
        }
    }
}

TEST(Walkers, TellThatTheCachesDoNotHoldASizeBeyondTheLast) {
    const int processor = allowed_processors().front();
    const FakeSystem system;
    system.add_cache(processor, 0, 1, "Data", "4K", "0");
    TeamPlan plan = small_plan(1);
    const auto is_held = [&](unsigned parallel) {
        plan.shape.parallel = parallel;
        Walker walker(plan, {.processor = processor}, system.files(), never_interrupted);
        EXPECT_GT(walker.prepare(visit_of(8192)), 0U);
        Measurement measurement;
        walker.measure({.accesses = 1000, .batches = 1}, measurement);
        return measurement.is_held;
    };
    EXPECT_FALSE(is_held(1));
    EXPECT_FALSE(is_held(4));
    plan.warmup_laps = 1;
    EXPECT_TRUE(is_held(1)) << "not known";
}

TEST(Walkers, ThatStartColdTakeNoPilotToKnowWhatBatchIsLongEnough) {
    TeamPlan plan = small_plan(1);
    plan.warmup_laps = 0;
    for (const unsigned parallel : {1U, 4U}) {
        plan.shape.parallel = parallel;
        Walker walker(plan, {}, SystemFiles(), never_interrupted);
        constexpr double finest_clock_ns = 1;
        EXPECT_GE(walker.prepare(visit_of(mib)),
                  shortest_batch({}, shortest_access_ns / parallel, {.resolution_ns = finest_clock_ns}));
    }
}

TEST(Walkers, ReadTheCoresClockAndWhatDisturbsThemBeforeAndAfter) {
    if (!addition_takes_one_cycle)
        GTEST_SKIP() << "this core's clock is not known";
    Team team(small_plan(1), SystemFiles(), never_interrupted);
    std::set<std::optional<double>> before; // readings differ in their last digits
    std::set<std::optional<double>> after;
    bool clock_was_read_twice = false;
    for (int visit = 0; visit < 200 && (before.size() < 2 || after.size() < 2 || !clock_was_read_twice); ++visit) {
        const Measurement m = team.visit(visit_of(4096)).at(0);
        before.insert(m.ghz_before);
        after.insert(m.ghz_after);
        clock_was_read_twice = clock_was_read_twice || m.ghz_before != m.ghz_after;
        EXPECT_GT(m.before.faults, 0U) << "of the thread's own stack, at least";
        EXPECT_GE(m.after.faults, m.before.faults);
    }
    EXPECT_GE(before.size(), 2U) << "in each visit anew";
    EXPECT_GE(after.size(), 2U);
    EXPECT_TRUE(clock_was_read_twice) << "before and after";
}

TEST(Walkers, BeginAnewInEachRoundWhereTheirPlaceStaysTheSame) {
    TeamPlan plan = small_plan(1);
    plan.area_bytes = plan.largest_bytes;
    Team team(plan, SystemFiles(), never_interrupted);
    for (unsigned round = 0; round < 3; ++round) {
        for (const std::size_t bytes :
             std::initializer_list<std::size_t>{mib / 4 * 3, mib}) // which grow, and could not shrink
            EXPECT_EQ(team.visit(visit_of(bytes, round)).at(0).place_bytes, 0U);
    }
}

TEST(Walkers, TimeFromTheClockThatOthersRead) {
    Team team(small_plan(1), SystemFiles(), never_interrupted);
    MonotonicClock clock;
    const std::uint64_t before = clock.now_ns();
    const std::uint64_t start = team.visit(visit_of(4096)).at(0).start_ns;
    EXPECT_GT(start, before);
    EXPECT_LT(start, clock.now_ns());
}

TEST(Walkers, RunOnTheProcessorsAskedFor) {
    TeamPlan plan = small_plan(1);
    plan.processors = {allowed_processors().back()};
    Team team(plan, SystemFiles(), never_interrupted);
    const auto measurements = team.visit(visit_of(4096));
    EXPECT_EQ(measurements.at(0).before.processor, plan.processors[0]);
    EXPECT_EQ(measurements.at(0).after.processor, plan.processors[0]);
}

TEST(Walkers, MeasureEveryShapeOfChain) {
    for (const Order order : {Order::backward, Order::forward, Order::random}) {
        for (const unsigned parallel : {1U, 4U}) {
            for (const std::optional<unsigned> laps : {std::optional<unsigned>{}, {0U}, {2U}}) {
                TeamPlan plan = small_plan(1);
                plan.shape.order = order;
                plan.shape.parallel = parallel;
                plan.warmup_laps = laps;
                Team team(plan, SystemFiles(), never_interrupted);
                const Timing timing = team.visit(visit_of(64 * 1024)).at(0).timing;
                EXPECT_EQ(timing.accesses, 20'000U);
                EXPECT_FALSE(timing.batch_ns.empty());
            }
        }
    }
}

TEST(Walkers, OneThatCannotStartIsAnErrorAndTheOthersGoHome) {
    TeamPlan plan = small_plan(2);
    plan.processors[1] = 5000;
    EXPECT_THROW(Team(plan, SystemFiles(), never_interrupted), Error);
}

TEST(Walkers, NotPinnedRunWhereverTheSystemLetsThem) {
    TeamPlan plan = small_plan(2);
    plan.processors = {5000, 5001};
    plan.pinned = false;
    Team team(plan, SystemFiles(), never_interrupted);
    EXPECT_EQ(team.visit(visit_of(4096)).size(), 2U);
}

TEST(Walkers, InterruptedBeforeTheyStartFillNoMemoryAndMeasureNothing) {
    const std::atomic<bool> interrupted{true};
    TeamPlan plan = small_plan(1);
    plan.pages = PageKind::base;
    plan.nodes = {read_numa_nodes(SystemFiles()).front().id};
    const std::uint64_t before = *SystemFiles().number("/proc/self/statm");
    Team team(plan, SystemFiles(), interrupted);
    EXPECT_TRUE(team.visit(visit_of(mib)).empty());
    EXPECT_GT(before, 0U);
}

TEST(Walkers, CountOverTheTimedBatchesOfEverySize) {
    if (try_counter(Counter::page_faults) != 0 || try_counter(Counter::context_switches) != 0)
        GTEST_SKIP() << "this system does not count page faults and context switches";
    TeamPlan plan = small_plan(2);
    plan.counters = {Counter::page_faults, Counter::context_switches};
    Team team(plan, SystemFiles(), never_interrupted);
    for (const std::size_t bytes : std::initializer_list<std::size_t>{4096, mib}) {
        for (const Measurement& m : team.visit(visit_of(bytes))) {
            EXPECT_EQ(m.timing.accesses, 20'000U);
            ASSERT_EQ(m.counters.size(), 2U);
            EXPECT_GT(m.counters[0].running_ns, 0U);
            EXPECT_GT(m.counters[1].running_ns, 0U);
        }
    }
}

/// How many times longer than its batches a counter was to count: 1, and a little for what lies between them.
double counted_per_timed(const Measurement& m) {
    double timed_ns = 0;
    for (const double ns_per_access : m.timing.batch_ns)
        timed_ns +=
            ns_per_access * static_cast<double>(m.timing.accesses) / static_cast<double>(m.timing.batch_ns.size());
    return static_cast<double>(m.counters.at(0).enabled_ns) / timed_ns;
}

// Longer than its batches it was also to count where the machine stood still between two of them, but not every time;
// and not where another thread ran: then the counter waits, and a batch goes on.
TEST(Walkers, DoNotCountOverTheWarmUp) {
    if (try_counter(Counter::page_faults) != 0)
        GTEST_SKIP() << "this system does not count page faults";
    constexpr std::size_t lines = 64;
    constexpr unsigned warmup_per_timed = 100;
    constexpr std::uint64_t accesses = 100'000;
    TeamPlan plan = small_plan(1);
    plan.counters = {Counter::page_faults};
    plan.warmup_laps = static_cast<unsigned>(warmup_per_timed * accesses / lines);
    Team team(plan, SystemFiles(), never_interrupted);
    const auto measure = [&] {
        return team.visit({.bytes = lines * plan.shape.line_bytes, .left = {.accesses = accesses, .batches = 4}}).at(0);
    };
    static_cast<void>(measure()); // after which the counter must not go on
    double smallest = warmup_per_timed;
    for (int time = 0; time < 10; ++time)
        smallest = std::min(smallest, counted_per_timed(measure()));
    EXPECT_LT(smallest, warmup_per_timed / 2.0);
}

TEST(Walkers, TakeMemoryFromTheNodesAskedForAndVerifyThat) {
    const SystemFiles files;
    TeamPlan plan = small_plan(2);
    plan.nodes.assign(2, read_numa_nodes(files).back().id);
    const Arena arena(plan.area_bytes, plan.pages, files);
    const bool kernel_tells = numa_nodes_of(arena.memory()).has_value();
    const Team team(plan, files, never_interrupted);
    for (const ThreadFacts& facts : team.facts())
        EXPECT_EQ(facts.node_verified, kernel_tells);
}

TEST(Walkers, ANodeWithoutMemoryIsAnError) {
    const SystemFiles files;
    TeamPlan plan = small_plan(1);
    const Arena arena(plan.area_bytes, plan.pages, files);
    if (!numa_nodes_of(arena.memory()))
        GTEST_SKIP() << "this kernel does not know nodes";
    plan.nodes = {1000};
    EXPECT_THROW(Team(plan, files, never_interrupted), Error);
}

TEST(Walkers, SayWhatPagesTheyGot) {
    TeamPlan plan = small_plan(1);
    plan.pages = PageKind::base;
    const Team team(plan, SystemFiles(), never_interrupted);
    EXPECT_EQ(team.facts().at(0).pages.page_bytes, base_page_bytes());
}

TEST(Walkers, LinkKeptSizesOnceAndWalkOnWhereTheyStopped) {
    TeamPlan plan = cold_plan(); // no hop but the timed ones
    plan.largest_bytes = 4 * mib;
    plan.area_bytes = 5 * mib;
    plan.kept_from_bytes = 3 * mib;
    Walker walker(plan, {}, SystemFiles(), never_interrupted);
    std::map<std::size_t, std::uintptr_t> stopped;
    std::set<std::size_t> places;
    for (unsigned round = 0; round < 3; ++round) {
        for (const std::size_t bytes : {mib, 3 * mib, 4 * mib}) {
            EXPECT_GT(walker.prepare(visit_of(bytes, round)), 0U);
            EXPECT_TRUE(walker.chains()->proven());
            EXPECT_EQ(walker.chains()->nodes(), bytes / plan.shape.line_bytes);
            if (bytes != mib && round > 0) {
                EXPECT_EQ(walker.chains()->position(0), stopped.at(bytes)) << bytes;
            }
            Measurement measurement;
            walker.measure({.accesses = 1000, .batches = 1}, measurement);
            stopped[bytes] = walker.chains()->position(0);
            if (bytes != mib) {
                places.insert(measurement.place_bytes);
            }
        }
    }
    EXPECT_EQ(places.size(), 1U) << "in every round";
}

/// The shortest batch of a visit to a MiB, and where it left the walk.
struct Walked {
    std::uint64_t shortest_batch;
    std::size_t position;
    std::uint64_t accesses;
};

Walked walked(Order order, std::uint64_t accesses, std::uint64_t seed, unsigned visits = 1) {
    TeamPlan plan = cold_plan();
    plan.warmup_laps = 1;
    plan.shape.order = order;
    plan.shape.seed = seed;
    Walker walker(plan, {}, SystemFiles(), never_interrupted);
    const TimingPlan timing{.accesses = accesses, .batches = 1, .visits = visits};
    const std::uint64_t shortest = walker.prepare({.bytes = mib, .round = 0, .left = timing});
    Measurement measurement;
    walker.measure(timing, measurement);
    return {
        .shortest_batch = shortest, .position = walker.chains()->position(0), .accesses = measurement.timing.accesses};
}

constexpr std::uint64_t lines_of_mib = mib / 64;

TEST(Walkers, TimeWholeLapsInAStrideOrder) {
    EXPECT_EQ(walked(Order::backward, 10 * lines_of_mib, 1).shortest_batch % lines_of_mib, 0U);
    EXPECT_EQ(walked(Order::forward, lines_of_mib, 1).shortest_batch % lines_of_mib, 0U);
}

TEST(Walkers, WithFewerAccessesThanALapTimePartsAtRandomPlaces) {
    EXPECT_NE(walked(Order::backward, lines_of_mib / 4, 1).position,
              walked(Order::backward, lines_of_mib / 4, 2).position);
    EXPECT_EQ(walked(Order::backward, lines_of_mib / 4, 1).position,
              walked(Order::backward, lines_of_mib / 4, 1).position);
    EXPECT_NE(walked(Order::backward, 2 * lines_of_mib, 1, 4).shortest_batch % lines_of_mib, 0U)
        << "of those that a visit has";
    EXPECT_EQ(walked(Order::backward, lines_of_mib / 4 + 100, 1).accesses, lines_of_mib / 4 + 100)
        << "the last part is shorter";
}

TEST(Walkers, HaveNoChainsToWalkWherePreparingFails) {
    TeamPlan plan = cold_plan();
    plan.largest_bytes = plan.area_bytes;
    plan.kept_from_bytes = 3 * mib;
    for (const std::size_t bytes : {2 * mib, 3 * mib}) { // grown, and linked once
        bool fails = true;
        for (long allocation = 0; fails; ++allocation) {
            Walker walker(plan, {}, SystemFiles(), never_interrupted);
            EXPECT_GT(walker.prepare(visit_of(mib)), 0U);
            const FailingAllocation failing(allocation);
            try {
                EXPECT_GT(walker.prepare(visit_of(bytes, 1)), 0U);
            } catch (const std::bad_alloc&) {
            }
            fails = FailingAllocation::has_failed();
            const Chains* chains = walker.chains();
            EXPECT_TRUE(chains == nullptr || chains->nodes() == bytes / plan.shape.line_bytes) << allocation;
            EXPECT_TRUE(allocation > 0 || fails) << "there is an allocation that can fail";
        }
    }
}

} // namespace
} // namespace memtest

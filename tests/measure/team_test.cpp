#include "memtest/measure/team.hpp"

#include "memtest/base/error.hpp"
#include "support/failing_allocation.hpp"
#include "support/test.hpp"
#include "support/until.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>

namespace memtest {
namespace {

/// What the members of a team did, in the order in which they did it.
class Log {
public:
    void add(std::size_t member, const std::string& what) {
        const std::scoped_lock lock(mutex_);
        entries_.push_back({member, what});
    }

    [[nodiscard]] std::size_t count(const std::string& what) const {
        const std::scoped_lock lock(mutex_);
        return static_cast<std::size_t>(
            std::ranges::count_if(entries_, [&](const Entry& e) { return e.what == what; }));
    }

    [[nodiscard]] std::string of(std::size_t member) const {
        const std::scoped_lock lock(mutex_);
        std::string all;
        for (const Entry& e : entries_) {
            if (e.member == member)
                all += e.what + " ";
        }
        return all;
    }

    /// The place of the first or last entry of this kind.
    [[nodiscard]] std::size_t first(const std::string& what) const { return place(what, true); }
    [[nodiscard]] std::size_t last(const std::string& what) const { return place(what, false); }

private:
    struct Entry {
        std::size_t member;
        std::string what;
    };

    [[nodiscard]] std::size_t place(const std::string& what, bool first) const {
        const std::scoped_lock lock(mutex_);
        std::size_t found = entries_.size();
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            if (entries_[i].what == what && (!first || found == entries_.size()))
                found = i;
        }
        return found;
    }

    mutable std::mutex mutex_;
    std::vector<Entry> entries_;
};

/// What a fake member does at each of its steps; the name of the step.
using Step = std::function<void(std::size_t member, const std::string& step)>;

/// Enters its steps in the log, and does what it is told at each.
class FakeMember : public TeamMember {
public:
    FakeMember(std::size_t number, Log& log, Step step) : number_(number), log_(log), step_(std::move(step)) {
        enter("made");
    }
    ~FakeMember() override { log_.add(number_, "gone"); }

    FakeMember(const FakeMember&) = delete;
    FakeMember& operator=(const FakeMember&) = delete;
    FakeMember(FakeMember&&) = delete;
    FakeMember& operator=(FakeMember&&) = delete;

    ThreadFacts facts() override {
        enter("facts");
        return {.core_ghz = static_cast<double>(number_)};
    }
    std::uint64_t prepare(const VisitPlan& visit) override {
        enter("prepare");
        log_.add(number_, "prepared");
        return visit.bytes * (number_ + 1);
    }
    void stay_warm() override { enter("stay_warm"); }
    void measure(const TimingPlan& timing, Measurement& measurement) override {
        enter("measure");
        log_.add(number_, "measured");
        measurement.timing.accesses = timing.accesses;
        measurement.place_bytes = number_;
    }
    void walk_on() override { enter("walk_on"); }
    void finish(Measurement& /*measurement*/) override { enter("finish"); }

private:
    void enter(const std::string& step) {
        log_.add(number_, step);
        step_(number_, step);
    }

    std::size_t number_;
    Log& log_;
    Step step_;
};

constexpr std::size_t size = 3;

class TeamOfFakes : public testing::Test {
protected:
    std::unique_ptr<Team> team(const Step& step = [](std::size_t, const std::string&) {}) {
        return std::make_unique<Team>(
            size, [this, step](std::size_t number) { return std::make_unique<FakeMember>(number, log, step); },
            interrupted);
    }

    Log log;
    std::atomic<bool> interrupted{false};
};

TEST_F(TeamOfFakes, GivesFactsAndMeasurementsInTheOrderOfTheMembers) {
    const auto three = team();
    ASSERT_EQ(three->facts().size(), size);
    const auto measured = three->visit({.bytes = 1, .left = {.accesses = 10}});
    ASSERT_EQ(measured.size(), size);
    for (std::size_t i = 0; i < size; ++i) {
        EXPECT_EQ(three->facts()[i].core_ghz, static_cast<double>(i));
        EXPECT_EQ(measured[i].place_bytes, i);
    }
}

TEST_F(TeamOfFakes, StartsTheTimedPartsOnlyWhenAllAreReadyAndKeepsTheOthersWarm) {
    // The last member is not ready before the others have waited for a while, or have gone on without it.
    const auto three = team([this](std::size_t member, const std::string& step) {
        if (member == size - 1 && step == "prepare")
            until([this] { return log.count("stay_warm") > 10 || log.count("measure") > 0; });
    });
    ASSERT_EQ(three->visit({.bytes = 1}).size(), size);
    EXPECT_LT(log.last("prepared"), log.first("measure"));
    EXPECT_GT(log.count("stay_warm"), 10U);
}

TEST_F(TeamOfFakes, WalksOnUntilTheLastHasMeasured) {
    // The last member has not measured before the others have walked on for a while, or have gone on without it.
    const auto three = team([this](std::size_t member, const std::string& step) {
        if (member == size - 1 && step == "measure")
            until([this] { return log.count("walk_on") > 10 || log.count("finish") > 0; });
    });
    ASSERT_EQ(three->visit({.bytes = 1}).size(), size);
    EXPECT_LT(log.last("measured"), log.first("finish"));
    EXPECT_GT(log.count("walk_on"), 10U);
}

TEST_F(TeamOfFakes, MakesTheSameShareOnAllOfThemLongEnoughForEach) {
    // The one that needs most is ready first, so that the others could take less after it.
    const auto three = team([this](std::size_t member, const std::string& step) {
        if (member < size - 1 && step == "prepare")
            until([this] { return log.of(size - 1).find("stay_warm") != std::string::npos; });
    });
    // A batch of 100, 200 and 300 accesses is long enough for one of them each.
    for (const Measurement& m : three->visit({.bytes = 100, .left = {.accesses = 900, .visits = 9}}))
        EXPECT_EQ(m.timing.accesses, 300U);
    for (const Measurement& m : three->visit({.bytes = 10, .left = {.accesses = 900, .visits = 9}}))
        EXPECT_EQ(m.timing.accesses, 100U) << "what a size needed does not hold for the next";
}

TEST_F(TeamOfFakes, InterruptedGivesNothing) {
    const auto three = team([this](std::size_t, const std::string& step) {
        if (step == "measure")
            interrupted = true;
    });
    EXPECT_TRUE(three->visit({.bytes = 1}).empty());
}

/// Fails in one way at one step of one member.
Step failing(std::size_t who, const std::string& where, const std::function<void()>& how) {
    return [=](std::size_t member, const std::string& step) {
        if (member == who && step == where)
            how();
    };
}

const std::array<std::function<void()>, 3> ways_to_fail{[] { throw Error("broken"); }, [] { throw std::bad_alloc(); },
                                                        [] { throw std::runtime_error("broken"); }};

TEST_F(TeamOfFakes, WhatAMemberThrowsAtTheStartIsAnErrorAndAllGoHome) {
    for (const auto& how : ways_to_fail) {
        for (const char* where : {"made", "facts"}) {
            for (std::size_t who = 0; who < size; ++who)
                EXPECT_THROW(team(failing(who, where, how)), Error) << where << " " << who;
        }
    }
    // A constructor that throws makes nothing that could go.
    EXPECT_EQ(log.count("made") - log.count("gone"), ways_to_fail.size() * size);
}

TEST_F(TeamOfFakes, WithoutMemoryForAThreadIsNoneAndTheOthersGoHome) {
    bool fails = true;
    for (long allocation = 0; fails; ++allocation) {
        const FailingAllocation failing(allocation);
        try {
            EXPECT_EQ(team()->facts().size(), size);
        } catch (const Error&) {
        } catch (const std::bad_alloc&) {
        }
        fails = FailingAllocation::has_failed();
    }
    EXPECT_GT(log.count("made"), size + 1) << "one failed after others had started";
    EXPECT_EQ(log.count("made"), log.count("gone"));
}

TEST_F(TeamOfFakes, WhatAMemberThrowsInAVisitIsAnErrorAndNobodyHangs) {
    for (const auto& how : ways_to_fail) {
        for (const char* where : {"prepare", "measure", "finish"}) {
            for (std::size_t who = 0; who < size; ++who) {
                const auto three = team(failing(who, where, how));
                EXPECT_THROW((void)three->visit({.bytes = 1}), Error) << where << " " << who;
            }
        }
    }
    EXPECT_EQ(log.count("made"), log.count("gone"));
}

TEST_F(TeamOfFakes, WhatAMemberThrowsWhileItWaitsIsAnErrorToo) {
    for (const auto& steps : {std::pair{"stay_warm", "prepare"}, std::pair{"walk_on", "measure"}}) {
        const std::string where = steps.first;
        const std::string others = steps.second;
        std::atomic<bool> threw = false;
        const auto three = team([&](std::size_t member, const std::string& step) {
            if (member == 0 && step == where) {
                threw = true;
                throw Error("broken");
            }
            if (member != 0 && step == others)
                until([&] { return threw.load(); });
        });
        EXPECT_THROW((void)three->visit({.bytes = 1}), Error) << where;
    }
}

TEST_F(TeamOfFakes, AMemberThatFailedDoesNothingMoreInThatVisit) {
    const auto three = team(failing(1, "prepare", [] { throw Error("broken"); }));
    EXPECT_THROW((void)three->visit({.bytes = 1}), Error);
    EXPECT_EQ(log.of(1), "made facts prepare ");
}

} // namespace
} // namespace memtest
